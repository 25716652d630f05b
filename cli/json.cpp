// json.cpp - bodies of json.hpp.
#include "json.hpp"

#include <cmath>

#include <fmt/format.h>

namespace umbel::cli {

namespace {

// The length of the first UTF-8 character of `text`, or of the longest prefix that could begin one,
// as Unicode advises (section 3.9, "U+FFFD Substitution of Maximal Subparts").
struct character {
  std::size_t bytes;
  bool whole;
};
[[nodiscard]] character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {1, true};
  const std::size_t length = lead < 0xC2   ? 1
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 1;
  if (length == 1) return {1, false};
  // The second byte excludes overlong forms, surrogates, and code points beyond
  // U+10FFFF.
  const unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  std::size_t good = 1;
  while (good < length && good < text.size() && byte(good) >= (good == 1 ? low : 0x80) &&
         byte(good) <= (good == 1 ? high : 0xBF))
    ++good;
  return {good, good == length};
}

[[nodiscard]] std::string escaped(char c) {
  switch (c) {
    case '"': return "\\\"";
    case '\\': return "\\\\";
    case '\b': return "\\b";
    case '\f': return "\\f";
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default: return c >= 0 && c < 0x20 ? fmt::format("\\u{:04x}", c) : std::string(1, c);
  }
}

[[nodiscard]] std::string indented(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '\n' ? std::string("\n  ") : std::string(1, c);
  return out;
}

}  // namespace

json::json(double value) : text_("null") {
  if (!std::isfinite(value)) return;
  text_ = fmt::format("{}", value);
  if (text_.find_first_of(".e") == text_.npos) text_ += ".0";
}

std::string json::quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const auto [bytes, whole] = first_character(text);
    if (bytes == 1 && whole)
      out += escaped(text[0]);
    else
      out += whole ? text.substr(0, bytes) : "\uFFFD";
    text.remove_prefix(bytes);
  }
  return out + '"';
}

json json::container(std::string_view ends, const std::vector<std::string>& parts) {
  json out(nullptr);
  out.text_ = ends[0];
  for (const std::string& part : parts)
    out.text_ += (&part == &parts.front() ? "\n  " : ",\n  ") + indented(part);
  if (!parts.empty()) out.text_ += '\n';
  out.text_ += ends[1];
  return out;
}

json json::object(const std::vector<member>& members) {
  std::vector<std::string> parts;
  for (const member& m : members) parts.push_back(quoted(m.name) + ": " + m.value.text_);
  return container("{}", parts);
}

json json::array(const std::vector<json>& items) {
  std::vector<std::string> parts;
  for (const json& item : items) parts.push_back(item.text_);
  return container("[]", parts);
}

}  // namespace umbel::cli
