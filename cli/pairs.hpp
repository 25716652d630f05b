// pairs.hpp - reads records of a key, a delimiter and a value, the input of a map.
//
// A record is split at its first delimiter; a carriage return at its end is not part of the value.
// A key or a value may be quoted, as in any table (record.hpp), unless the delimiter is a tab.
// Values are integers if all of them are written as a program would write them; otherwise all are
// texts. So `get` prints what was read, byte for byte, without the quotes.
//
// Layout     A record is a digest, a value (the integer, or the number of the text until `settle`)
//            and the number of its first line. It is kept in a spool like the keys of a set, in
//            memory or on disk.
// Invariant  The result of `settle` depends only on the set of pairs: not on order, repeats, memory
//            or threads.
// Limits     A key with two values is `conflict`. The error names the conflict whose second line
//            comes first.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <umbel/cells/texts.hpp>
#include <umbel/core/spool.hpp>
#include <umbel/map/naming.hpp>

#include "keys.hpp"
#include "options.hpp"

namespace umbel::cli {

enum class value_type { string, u64 };

struct pair_options {
  std::optional<value_type> type{};      // none: integers if all values are
  std::optional<unsigned> value_bits{};  // none: as many as the values need
};
void add_pair_options(option_list& takes, pair_options& into);

struct pair_line {
  digest key;
  std::uint64_t line = 0;  // from 0, through all files
  std::uint64_t value = 0;
  friend auto operator<=>(const pair_line&, const pair_line&) = default;
};
[[nodiscard]] inline digest key_of(const pair_line& p) noexcept { return p.key; }

class pair_list {
 public:
  pair_list(const pair_options& how, const key_options& keys, const hasher& hash,
            const spool_options& room)
      : how_(how), keys_(keys), recipe_(keys.recipe()), hash_(hash), room_(room), lines_(room) {}

  void read(const std::vector<std::string>& files, bool quiet);
  [[nodiscard]] std::uint64_t size() const noexcept { return lines_.size(); }

  struct settled {
    pair_spool pairs;     // every key once
    cells::texts names;   // empty: values are integers
    unsigned value_bits;  // that the values need, or that --value-bits gives
  };
  // Ends the list. Throws conflict, and bad_parameter for a value wider than --value-bits.
  [[nodiscard]] settled settle(unsigned threads);

 private:
  using spool = core::basic_spool<pair_line>;
  struct stretch {  // lines of one file
    std::string path, name;
    std::uint64_t first = 0;
    std::int64_t offset = -1;  // where it began, if it can be read again; else -1
  };
  struct clash {
    pair_line before, after;
  };

  void add(key_batch& batch, digester& digests);
  [[nodiscard]] std::uint64_t value_of(std::string_view text, std::uint64_t line);
  void turn_to_texts();
  [[nodiscard]] pair_spool distinct(unsigned threads);
  [[nodiscard]] unsigned width_for(std::uint64_t widest) const;

  [[nodiscard]] const stretch& stretch_of(std::uint64_t line) const;
  [[nodiscard]] std::string place_of(std::uint64_t line) const;  // file:7
  [[nodiscard]] std::optional<std::string> key_at(const pair_line& wanted) const;
  [[nodiscard]] std::string shown(std::uint64_t value) const;
  [[noreturn]] void refuse(const clash& found) const;

  pair_options how_;
  key_options keys_;
  key_recipe recipe_;
  hasher hash_;
  spool_options room_;
  spool lines_;                  // the records so far
  std::uint64_t next_line_ = 0;  // of all files; a record in quotes may take several
  bool texts_ = false;
  naming names_;
  std::uint64_t widest_ = 0, widest_line_ = 0;
  std::vector<stretch> stretches_;
  // Of the current batch.
  std::vector<std::string_view> texts_of_keys_, values_;
  std::vector<std::uint64_t> numbers_;  // of their lines
  std::deque<std::string> unquoted_;    // where they had quotes
};

}  // namespace umbel::cli
