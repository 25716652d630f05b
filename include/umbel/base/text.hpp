// text.hpp - concatenates words and numbers to a message.
//
// Errors are rare and read by people: no stream, no format library, shortest exact decimals.
#pragma once

#include <charconv>
#include <concepts>
#include <string>
#include <string_view>

namespace umbel::detail {

inline void append(std::string& out, std::string_view word) { out += word; }
inline void append(std::string& out, double number) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(digits, end);
}
template <std::integral Integer>
void append(std::string& out, Integer number) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(digits, end);
}

template <class... Parts>
[[nodiscard]] std::string text(const Parts&... parts) {
  std::string out;
  (append(out, parts), ...);
  return out;
}

}  // namespace umbel::detail
