// keys.hpp - how the lines of an input become digests: separator, key type, secret key.
// Idea       build and query read keys by the same options and the same code, so that what one wrote the other finds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <umbel/hash/hasher.hpp>

#include "fields.hpp"
#include "input.hpp"
#include "options.hpp"

namespace umbel::cli {

// A piece of input fit for a message: short, and without what would upset a terminal.
[[nodiscard]] std::string quoted(std::string_view text);

enum class key_type { string, u64 };

struct key_options {
  bool nul = false;  // keys end at NUL instead of at a line end
  key_type type = key_type::string;
  field_options fields;
  std::string secret_file;

  [[nodiscard]] char separator() const noexcept { return nul ? '\0' : '\n'; }
  [[nodiscard]] key_input input(std::vector<std::string> files) const {
    return {std::move(files), separator(), fields};
  }
  // The secret in the key file, when one was named: 16 bytes, or 32 hexadecimal digits and perhaps a line end.
  [[nodiscard]] std::optional<secret_key> secret() const;
};
void add_key_options(option_list& takes, key_options& into);
void add_key_file_option(option_list& takes, key_options& into);

class digester {
 public:
  digester(const hasher& hash, key_type type) : hash_(hash), type_(type) {}
  // Good until the next call. Throws bad_parameter, naming the line, where a number or a field was expected and not found.
  [[nodiscard]] std::span<const digest> operator()(const key_batch& batch);

 private:
  template <class KeyAt>
  void hash_all(const key_batch& batch, KeyAt&& key_at);

  hasher hash_;
  key_type type_;
  std::vector<digest> digests_;
  std::string unquoted_;
};

}  // namespace umbel::cli
