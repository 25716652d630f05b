// secret_key.cpp - fuzz target: any bytes as a key file. 16 bytes are the key; 32 hexadecimal
// digits and optional line ends encode it; everything else is refused; reads may have any size.
// Input      A byte: how many of the next ones are sizes of reads; these; the rest is the file.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <umbel/base/error.hpp>

#include "../cli/keys.hpp"
#include "../test/support/memory_file.hpp"
#include "require.hpp"
#include "short_reads.hpp"

namespace {

using view = std::span<const std::uint8_t>;

[[nodiscard]] int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

[[nodiscard]] std::optional<umbel::secret_key> expected(view file) {
  umbel::secret_key key{};
  if (file.size() == key.size()) {
    std::ranges::copy(file, reinterpret_cast<std::uint8_t*>(key.data()));
    return key;
  }
  std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (text.size() >= 64) return std::nullopt;  // the digits and some line ends, not any number
  while (text.size() > 32 && (text.ends_with('\n') || text.ends_with('\r'))) text.remove_suffix(1);
  if (text.size() != 32 || std::ranges::any_of(text, [](char c) { return digit(c) < 0; }))
    return std::nullopt;
  for (std::size_t i = 0; i < key.size(); ++i)
    key[i] = static_cast<umbel::secret_key::value_type>(digit(text[2 * i]) * 16 +
                                                        digit(text[2 * i + 1]));
  return key;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  view input(data, size);
  if (input.empty()) return 0;
  const std::size_t sizes = std::min<std::size_t>(input[0] % 16, size - 1);
  const view reads = input.subspan(1, sizes), file = input.subspan(1 + sizes);
  static umbel::test::memory_file disk;
  umbel::cli::key_options options;
  options.secret_file = disk.path();
  disk.assign(std::as_bytes(file));
  const umbel::fuzz::short_reads as_told(reads);
  std::optional<umbel::secret_key> found;
  try {
    found = options.secret();
  } catch (const umbel::bad_parameter&) {
  }
  umbel::fuzz::require(found == expected(file), "a key is 16 bytes or 32 digits");
  return 0;
}
