// row.hpp - equations on their way through a peel, small enough to be added up in the cells they
// touch.
// Idea       A cell keeps the SUM of the rows on it, and every row brings 1 in its low 8 bits: so a
//            cell counts its rows, and when one is left the sum is that row itself. One word per
//            cell, one addition per probe.
// Layout     token = content << 8 | 1. A slim row's content is place << value_bits | value; a wide
//            row keeps its value in a second word, for values that do not fit beside the place.
// Limits     A cell of 128 rows or more ends the attempt (`crowded`) before its count could wrap.
#pragma once

#include <cstdint>

#include <umbel/base/integers.hpp>

namespace umbel::solve {

inline constexpr unsigned count_bits = 8;
inline constexpr std::uint64_t crowded = 0x80;

struct slim_row {
  std::uint64_t token = 0;

  static slim_row make(std::uint64_t place, std::uint64_t value, unsigned value_bits) noexcept {
    return {(place << value_bits | value) << count_bits | 1};
  }
  [[nodiscard]] std::uint64_t place(unsigned value_bits) const noexcept {
    return token >> (count_bits + value_bits);
  }
  [[nodiscard]] std::uint64_t value(unsigned value_bits) const noexcept {
    return token >> count_bits & detail::low_mask(value_bits);
  }
  void operator+=(const slim_row& other) noexcept { token += other.token; }
  void operator-=(const slim_row& other) noexcept { token -= other.token; }
};

struct wide_row {
  std::uint64_t token = 0;
  std::uint64_t content = 0;

  static wide_row make(std::uint64_t place, std::uint64_t value, unsigned) noexcept {
    return {place << count_bits | 1, value};
  }
  [[nodiscard]] std::uint64_t place(unsigned) const noexcept { return token >> count_bits; }
  [[nodiscard]] std::uint64_t value(unsigned) const noexcept { return content; }
  void operator+=(const wide_row& other) noexcept {
    token += other.token, content += other.content;
  }
  void operator-=(const wide_row& other) noexcept {
    token -= other.token, content -= other.content;
  }
};

}  // namespace umbel::solve
