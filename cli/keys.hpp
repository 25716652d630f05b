// keys.hpp - how the lines of an input become digests: separator, key type, preparation of text,
// secret key.
// Idea       build and query read keys by the same code. What build did is written into the file as
//            its key recipe; query, get, add and erase follow the recipe, and refuse options that
//            contradict it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <umbel/hash/hasher.hpp>
#include <umbel/hash/key_recipe.hpp>

#include "fields.hpp"
#include "input.hpp"
#include "options.hpp"

namespace umbel::cli {

// A piece of input fit for a message: short, and without what would upset a terminal.
[[nodiscard]] std::string quoted(std::string_view text);

struct key_options {
  bool nul = false;  // keys end at NUL instead of at a line end
  bool keep_cr = false, trim = false, ignore_case = false;
  std::vector<key_type> types{};  // one for every column, or one for all of them; none: not said
  std::uint64_t max_line = line_options{}.max_line;
  field_options fields{};
  std::string secret_file{};

  // The recipe of a new file whose keys are read by these options. Throws bad_parameter.
  [[nodiscard]] key_recipe recipe() const;
  // The recipe by which keys are made for a file that was built by another: that of the file.
  // Throws incompatible, naming the file, where these options contradict it.
  [[nodiscard]] key_recipe following(const key_recipe& built, const std::string& file) const;
  // How to read lines that become keys by this recipe.
  [[nodiscard]] line_options lines(const key_recipe& recipe) const;
  // How to read records of a key and a value.
  [[nodiscard]] line_options pair_lines(const key_recipe& recipe) const;
  // The secret in the key file, when one was named: 16 bytes, or 32 hexadecimal digits and perhaps
  // a line end.
  [[nodiscard]] std::optional<secret_key> secret() const;
};
void add_key_options(option_list& takes, key_options& into);
void add_key_file_option(option_list& takes, key_options& into);

// One for each thread.
class digester {
 public:
  // White space around an integer is no part of it, so a file of integers alone does not record
  // whether it was removed: the caller says so. Beside text that is trimmed, integers are too.
  digester(const hasher& hash, const key_recipe& recipe, bool trim_integers = false)
      : hash_(hash), recipe_(recipe), trim_integers_(trim_integers || recipe.trimmed) {}
  // Good until the next call. Throws bad_parameter, naming the line, where a number or a field was
  // expected and not found.
  [[nodiscard]] std::span<const digest> operator()(const key_batch& batch);
  // The same of texts that the caller picked from the lines of the batch.
  [[nodiscard]] std::span<const digest> operator()(const key_batch& batch,
                                                   std::span<const std::string_view> keys);

 private:
  template <class KeyAt>
  [[nodiscard]] std::span<const digest> hash_all(const key_batch& batch, KeyAt&& key_at);
  template <class Where>
  [[nodiscard]] digest hash_one(std::string_view text, key_type type, Where&& where);

  hasher hash_;
  key_recipe recipe_;
  bool trim_integers_;
  std::vector<digest> digests_;
  field_picker pick_;
  std::string prepared_;
};

}  // namespace umbel::cli
