// key_lines.cpp - fuzz target: any bytes as a list or a table, under all options that say how to
// read one, give the same lines and keys for reads of any sizes; without fields, the lines of a
// plain split.
// Input      A byte of options; a byte: which fields, and which delimiter; a byte: how many of the
//            next ones are sizes of reads; these; the rest is the file.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/hash/hasher.hpp>

#include "../cli/input.hpp"
#include "../cli/keys.hpp"
#include "../test/support/memory_file.hpp"
#include "require.hpp"
#include "short_reads.hpp"

namespace {

using namespace umbel::cli;
using umbel::fuzz::require;
using view = std::span<const std::uint8_t>;

[[nodiscard]] key_options options_of(std::uint8_t flags, std::uint8_t fields) {
  key_options out;
  out.nul = (flags & 1) != 0;
  out.keep_cr = (flags & 2) != 0;
  out.trim = (flags & 4) != 0;
  out.ignore_case = (flags & 8) != 0;
  if ((flags & 16) != 0) out.types = {umbel::key_type::integer};
  if ((flags & 32) != 0) out.max_line = 40;
  out.fields.header = (flags & 64) != 0;
  static const std::vector<std::string> choices[] = {{},         {"1"},         {"2"},     {"name"},
                                                     {"2", "1"}, {"name", "a"}, {"3", "3"}};
  out.fields.fields = choices[fields % 8 % std::size(choices)];
  out.fields.delimiter = "\0,\t;"[fields / 8 % 4];
  return out;
}

struct outcome {
  std::vector<std::string> lines, headers;
  std::vector<std::uint64_t> numbers;  // of the lines
  std::vector<umbel::digest> keys;
  bool refused = false;
};

[[nodiscard]] outcome read_all(const std::string& path, const key_options& options, view reads) {
  const umbel::fuzz::short_reads as_told(reads);
  outcome out;
  try {
    const umbel::key_recipe recipe = options.recipe();
    key_input input({path}, options.lines(recipe));
    digester digests(umbel::hasher(), recipe);
    for (key_batch batch; input.next(batch);) {
      if (batch.has_header) out.headers.push_back(batch.header);
      const auto keys = digests(batch);
      require(keys.size() == batch.lines.size(), "a key for every line");
      out.keys.insert(out.keys.end(), keys.begin(), keys.end());
      for (std::size_t i = 0; i < batch.lines.size(); ++i) {
        out.lines.emplace_back(batch.text(i));
        out.numbers.push_back(batch.line_number(i));
      }
    }
  } catch (const umbel::io_error&) {
    throw;  // a file in memory can always be read
  } catch (const umbel::error&) {
    out.refused = true;
  }
  return out;
}

// The lines of an unpacked file, if none is longer than allowed.
[[nodiscard]] std::vector<std::string> plain_lines(std::string_view file, char separator,
                                                   bool keep_cr) {
  if (file.starts_with("\xef\xbb\xbf")) file.remove_prefix(3);
  std::vector<std::string> out;
  while (!file.empty()) {
    const std::size_t end = std::min(file.find(separator), file.size());
    std::string_view line = file.substr(0, end);
    file.remove_prefix(std::min(end + 1, file.size()));
    if (separator == '\n' && !keep_cr && line.ends_with('\r')) line.remove_suffix(1);
    out.emplace_back(line);
  }
  return out;
}

template <class T>
[[nodiscard]] bool agree(const std::vector<T>& a, const std::vector<T>& b) {  // as far as both go
  return std::equal(
      a.begin(), a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size())), b.begin());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const key_options options = options_of(data[0], data[1]);
  const std::size_t sizes = std::min<std::size_t>(data[2] % 16, size - 3);
  const view reads(data + 3, sizes), file(data + 3 + sizes, size - 3 - sizes);
  static umbel::test::memory_file disk;
  static const std::string path = disk.path();
  disk.assign(std::as_bytes(file));

  const outcome whole = read_all(path, options, {}), pieces = read_all(path, options, reads);
  require(whole.refused == pieces.refused, "refused whatever the reads");
  require(agree(whole.lines, pieces.lines) && agree(whole.keys, pieces.keys) &&
              agree(whole.numbers, pieces.numbers),
          "the same lines whatever the reads");
  if (whole.refused) return 0;
  require(whole.lines.size() == pieces.lines.size() && whole.headers == pieces.headers,
          "as many lines");

  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  const bool packed = text.starts_with("\x1f\x8b") || text.starts_with("\x28\xb5\x2f\xfd");
  if (packed || options.fields.used()) return 0;
  const std::vector<std::string> expected =
      plain_lines(text, options.nul ? '\0' : '\n', options.keep_cr);
  require(whole.lines == expected, "the lines are those of a plain split");
  if ((data[0] & (4 | 8 | 16)) != 0) return 0;
  for (std::size_t i = 0; i < expected.size(); ++i)
    require(whole.keys[i] == umbel::hasher()(expected[i]), "a key is the digest of its line");
  return 0;
}
