// record.cpp - fuzz target: any bytes as a line of a table; its fields, written again with quotes,
// are read as the same fields.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "../cli/record.hpp"

namespace {

// The fields; none at all if a quote is not closed.
std::vector<std::string> fields_of(std::string_view line, char delimiter) {
  std::vector<std::string> out;
  std::string unquoted;
  for (umbel::cli::record rest(line, delimiter); rest.has_more();) {
    const auto field = rest.next(unquoted);
    if (!field) return {};
    out.emplace_back(*field);
  }
  return out;
}

std::string quoted(const std::vector<std::string>& fields, char delimiter) {
  std::string out;
  for (const std::string& field : fields) {
    out += out.empty() ? "\"" : std::string(1, delimiter) + "\"";
    for (const char c : field) out += c == '"' ? "\"\"" : std::string(1, c);
    out += '"';
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  for (const char delimiter : {',', '\t', ';'}) {
    const std::vector<std::string> fields = fields_of(line, delimiter);
    // A line without quotes always has fields.
    if (delimiter == '\t' && fields.empty()) std::abort();
    std::size_t bytes = 0;
    for (const std::string& field : fields) bytes += field.size();
    if (bytes > size) std::abort();
    if (delimiter != '\t' && !fields.empty() &&
        fields_of(quoted(fields, delimiter), delimiter) != fields)
      std::abort();
  }
  return 0;
}
