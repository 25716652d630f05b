// key_text.ipp - bodies of key_text.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>

#include <umbel/base/config.hpp>
#include <umbel/hash/case_folding.ipp>
#include <umbel/hash/key_text.hpp>

namespace umbel {

namespace detail {

// White space of several bytes, in UTF-8. Comparing the last bytes of a text is safe: each entry
// begins with a lead byte, so it cannot match inside another character.
inline constexpr std::string_view wide_spaces[] = {
    "\xE1\x9A\x80", "\xE2\x80\x80", "\xE2\x80\x81", "\xE2\x80\x82", "\xE2\x80\x83",
    "\xE2\x80\x84", "\xE2\x80\x85", "\xE2\x80\x86", "\xE2\x80\x87", "\xE2\x80\x88",
    "\xE2\x80\x89", "\xE2\x80\x8A", "\xE2\x80\xA8", "\xE2\x80\xA9", "\xE2\x80\xAF",
    "\xE2\x81\x9F", "\xE3\x80\x80", "\xC2\x85",     "\xC2\xA0"};

[[nodiscard]] constexpr bool is_ascii_space(char c) noexcept {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

struct decoded {
  std::uint32_t code_point;
  std::size_t bytes;  // 0: no valid UTF-8 here
};
// Decodes the first code point. Rejects invalid UTF-8: overlong forms, surrogates, anything above
// U+10FFFF.
[[nodiscard]] inline decoded decode_utf8(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < size) return {0, 0};
  std::uint32_t point = lead & (0x7FU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {0, 0};
    point = point << 6 | (byte(i) & 0x3FU);
  }
  constexpr std::uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (point < smallest[size] || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF))
    return {0, 0};
  return {point, size};
}

inline void append_utf8(std::string& out, std::uint32_t point) {
  const auto tail = [&](unsigned shift) {
    out += static_cast<char>(0x80U | (point >> shift & 0x3FU));
  };
  if (point < 0x80) {
    out += static_cast<char>(point);
  } else if (point < 0x800) {
    out += static_cast<char>(0xC0U | point >> 6);
    tail(0);
  } else if (point < 0x10000) {
    out += static_cast<char>(0xE0U | point >> 12);
    tail(6), tail(0);
  } else {
    out += static_cast<char>(0xF0U | point >> 18);
    tail(12), tail(6), tail(0);
  }
}

}  // namespace detail

UMBEL_INLINE std::string_view trimmed(std::string_view text) noexcept {
  for (;;) {
    const std::size_t before = text.size();
    if (!text.empty() && detail::is_ascii_space(text.front())) text.remove_prefix(1);
    if (!text.empty() && detail::is_ascii_space(text.back())) text.remove_suffix(1);
    for (const std::string_view space : detail::wide_spaces) {
      if (text.starts_with(space)) text.remove_prefix(space.size());
      if (text.ends_with(space)) text.remove_suffix(space.size());
    }
    if (text.size() == before) return text;
  }
}

UMBEL_INLINE std::uint32_t folded(std::uint32_t code_point) noexcept {
  const auto* const end = std::end(detail::folding_runs);
  const auto* const run =
      std::lower_bound(std::begin(detail::folding_runs), end, code_point,
                       [](const detail::folding_run& r, std::uint32_t c) { return r.last < c; });
  if (run == end || code_point < run->first || (code_point - run->first) % run->step != 0)
    return code_point;
  return code_point + static_cast<std::uint32_t>(run->move);
}

UMBEL_INLINE void fold_case(std::string_view text, std::string& out) {
  out.clear();
  while (!text.empty()) {
    const char first = text.front();
    if (static_cast<unsigned char>(first) < 0x80) {
      out += first >= 'A' && first <= 'Z' ? static_cast<char>(first + ('a' - 'A')) : first;
      text.remove_prefix(1);
      continue;
    }
    const detail::decoded next = detail::decode_utf8(text);
    if (next.bytes == 0)
      out += first;
    else
      detail::append_utf8(out, folded(next.code_point));
    text.remove_prefix(std::max<std::size_t>(next.bytes, 1));
  }
}

}  // namespace umbel
