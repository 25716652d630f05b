// keys.hpp - how lines become digests: separator, key type, normalisation of text, secret key.
//
// `build` and `query` read keys with the same code. `build` writes the choices into the file as its
// key recipe; `query`, `get`, `add` and `erase` follow that recipe and refuse options that
// contradict it.
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

// A piece of input for a message: shortened, and without control characters.
[[nodiscard]] std::string quoted(std::string_view text);

struct key_options {
  bool nul = false;  // keys end at NUL instead of at a line end
  bool keep_cr = false, trim = false, ignore_case = false;
  std::vector<key_type> types{};  // one for every column, or one for all; empty: not given
  std::uint64_t max_line = line_options{}.max_line;
  field_options fields{};
  std::string secret_file{};

  // The recipe of a new file whose keys are read by these options. Throws bad_parameter.
  [[nodiscard]] key_recipe recipe() const;
  // The recipe of an existing file, which its keys must follow. Throws incompatible, naming the
  // file, if these options contradict it.
  [[nodiscard]] key_recipe following(const key_recipe& built, const std::string& file) const;
  // How to read lines that become keys by this recipe.
  [[nodiscard]] line_options lines(const key_recipe& recipe) const;
  // How to read records of a key and a value.
  [[nodiscard]] line_options pair_lines(const key_recipe& recipe) const;
  // The secret key in the key file, if a file was named: 16 bytes, or 32 hexadecimal digits and an
  // optional line end.
  [[nodiscard]] std::optional<secret_key> secret() const;
};
void add_key_options(option_list& takes, key_options& into);
void add_key_file_option(option_list& takes, key_options& into);

// One for each thread.
class digester {
 public:
  // `trim_integers`: white space around an integer is not part of it, so the recipe of a file of
  // integers does not record whether it was removed. Beside trimmed text, integers are trimmed too.
  digester(const hasher& hash, const key_recipe& recipe, bool trim_integers = false)
      : hash_(hash), recipe_(recipe), trim_integers_(trim_integers || recipe.trimmed) {}
  // Valid until the next call. Throws a bad_parameter that names the line if a number or a field
  // was expected and not found.
  [[nodiscard]] std::span<const digest> operator()(const key_batch& batch);
  // The same for texts that the caller picked from the lines of the batch.
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
