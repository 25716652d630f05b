// pairs.cpp - fuzz target: any bytes as lines of a key and a value are refused with a typed error,
// or give the pairs that an ordinary map would hold, for reads of any sizes.
// Input      A byte of options; a byte: how many of the next ones are sizes of reads; these; the
//            rest is the file.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <umbel/base/error.hpp>
#include <umbel/core/spool.hpp>
#include <umbel/hash/hasher.hpp>

#include "../cli/pairs.hpp"
#include "../test/support/memory_file.hpp"
#include "require.hpp"
#include "short_reads.hpp"

namespace {

using namespace umbel::cli;
using umbel::fuzz::require;
using view = std::span<const std::uint8_t>;

[[nodiscard]] bool ends_line(std::string_view rest) {
  return rest.empty() || rest == "\r" || rest[0] == '\n' || rest.starts_with("\r\n");
}

// Takes the first field off a text; nothing if a quote in it is not closed.
[[nodiscard]] std::optional<std::string> take_field(std::string_view& text, char between) {
  std::string out;
  const bool in_quotes = between != '\t' && text.starts_with('"');
  if (in_quotes) text.remove_prefix(1);
  for (; in_quotes || !(ends_line(text) || text[0] == between); text.remove_prefix(1)) {
    if (text.empty()) return std::nullopt;
    if (in_quotes && text[0] == '"') {
      const std::string_view behind = text.substr(1);
      if (ends_line(behind) || behind[0] == between) {
        text = behind;
        return out;
      }
      if (behind[0] == '"') text = behind;
    }
    out += text[0];
  }
  return out;
}

// Key to value; nothing if a line has no delimiter, a quote is open, or a key has two values.
[[nodiscard]] std::optional<std::map<std::string, std::string>> expected(std::string_view file,
                                                                         char between) {
  if (file.starts_with("\xef\xbb\xbf")) file.remove_prefix(3);
  std::map<std::string, std::string> out;
  while (!file.empty()) {
    const auto key = take_field(file, between);
    if (!key || ends_line(file)) return std::nullopt;
    file.remove_prefix(1);
    const std::string_view behind = file;
    auto value = take_field(file, between);
    if (value && behind.starts_with('"') && between != '\t') {
      if (!ends_line(file)) return std::nullopt;  // more behind it
    } else {
      while (value && !ends_line(file)) {  // all of the record, further fields too
        file.remove_prefix(1);
        value = take_field(file, between);
      }
      if (value) value = behind.substr(0, behind.size() - file.size());
    }
    if (!value) return std::nullopt;
    file.remove_prefix(std::min<std::size_t>(file.starts_with('\r') ? 2 : 1, file.size()));
    const auto [at, fresh] = out.emplace(*key, *value);
    if (!fresh && at->second != *value) return std::nullopt;
  }
  return out;
}

[[nodiscard]] bool same(const pair_list::settled& found,
                        const std::map<std::string, std::string>& wanted) {
  std::map<umbel::digest, std::string> by_digest;
  found.pairs.for_each(0, umbel::pair_spool::bins, [&](std::span<const umbel::core::valued> block) {
    for (const auto& pair : block)
      by_digest.emplace(pair.key, found.names.size() != 0 ? std::string(found.names[pair.value])
                                                          : std::to_string(pair.value));
  });
  if (by_digest.size() != wanted.size()) return false;
  return std::ranges::all_of(wanted, [&](const auto& pair) {
    const auto at = by_digest.find(umbel::hasher()(pair.first));
    return at != by_digest.end() && at->second == pair.second;
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  pair_options how;
  key_options keys;
  if ((data[0] & 1) != 0) keys.fields.delimiter = ',';
  if ((data[0] & 2) != 0) how.type = value_type::string;
  const std::size_t sizes = std::min<std::size_t>(data[1] % 16, size - 2);
  const view reads(data + 2, sizes), file(data + 2 + sizes, size - 2 - sizes);
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  // unpack.cpp covers those.
  if (text.starts_with("\x1f\x8b") || text.starts_with("\x28\xb5\x2f\xfd")) return 0;
  static umbel::test::memory_file disk;
  static const std::string path = disk.path();
  disk.assign(std::as_bytes(file));

  const auto wanted = expected(text, keys.fields.between());
  const umbel::fuzz::short_reads as_told(reads);
  try {
    pair_list list(how, keys, umbel::hasher(), {});
    list.read({path}, true);
    const auto found = list.settle(1);
    require(wanted && same(found, *wanted), "the pairs of the file");
  } catch (const umbel::io_error&) {
    throw;
  } catch (const umbel::error&) {
    require(!wanted, "pairs without a fault are taken");
  }
  return 0;
}
