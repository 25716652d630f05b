// golden_keys.hpp - keys of golden files: as JSON shows them, and as the library hashes them.
#pragma once

#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <umbel/hash/hasher.hpp>

namespace golden {

// The name is the one answers.json uses.
enum class key_type { string, bytes, u64, i64, i32 };
[[nodiscard]] inline std::string name_of(key_type type) {
  static constexpr const char* names[] = {"string", "bytes", "u64", "i64", "i32"};
  return names[static_cast<int>(type)];
}

template <class Integer>
[[nodiscard]] Integer number(std::string_view text) {
  Integer out{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size())
    throw std::logic_error("not a number");
  return out;
}
[[nodiscard]] inline std::vector<std::byte> unhexed(std::string_view text) {
  std::vector<std::byte> out;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    unsigned byte = 0;
    std::from_chars(text.data() + i, text.data() + i + 2, byte, 16);
    out.push_back(static_cast<std::byte>(byte));
  }
  return out;
}

[[nodiscard]] inline umbel::digest digest_of(const umbel::hasher& hash, key_type type,
                                             const std::string& text) {
  switch (type) {
    case key_type::string: return hash(text);
    case key_type::bytes: return hash(unhexed(text));
    case key_type::u64: return hash(number<std::uint64_t>(text));
    case key_type::i64: return hash(number<std::int64_t>(text));
    case key_type::i32: return hash(number<std::int32_t>(text));
  }
  throw std::logic_error("no such type of key");
}

// Members come first and non-members after them, so no key is both. The first members are edge
// cases.
[[nodiscard]] inline std::string key_number(key_type type, std::uint64_t i, bool non_member) {
  static const std::vector<std::string> strings = {"", "a", "gr\xC3\xBCn \xF0\x9F\x8C\xBC",
                                                   "\"quoted\\\"", "tab\there\n"};
  static const std::vector<std::string> bytes = {"", "00", "0000", "ff00fe",
                                                 "000102030405060708090a0b0c0d0e0f10"};
  static const std::vector<std::string> u64 = {"0", "18446744073709551615", "9007199254740993"};
  static const std::vector<std::string> i64 = {"-1", "-9223372036854775808", "9223372036854775807"};
  static const std::vector<std::string> i32 = {"-1", "-2147483648", "2147483647"};
  const auto plain = [&](const std::vector<std::string>& first, const auto& rest) -> std::string {
    return !non_member && i < first.size() ? first[i] : rest();
  };
  const auto decimal = [&] { return std::to_string(non_member ? 1'000'000 + i : i); };
  switch (type) {
    case key_type::string:
      return plain(strings,
                   [&] { return (non_member ? "non-member-" : "member-") + std::to_string(i); });
    case key_type::bytes:
      return plain(bytes, [&] {
        std::string hex = non_member ? "57" : "4d";
        for (int digit = 5; digit >= 0; --digit) hex += "0123456789abcdef"[i >> (4 * digit) & 15];
        return hex;
      });
    case key_type::u64: return plain(u64, decimal);
    case key_type::i64: return plain(i64, decimal);
    case key_type::i32: return plain(i32, decimal);
  }
  return {};
}

// JSON's own escapes; everything else is copied as UTF-8.
[[nodiscard]] inline std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\t': out += "\\t"; break;
      default: out += c;
    }
  }
  return out + "\"";
}

}  // namespace golden
