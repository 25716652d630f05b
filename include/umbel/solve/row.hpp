// row.hpp - an equation during peeling, packed so that the rows of a cell can be summed [GL22].
//
// A cell stores the SUM of its rows. Each row has 1 in its low 8 bits, so the sum counts the rows
// of the cell; when one is left, the sum is that row. One word per cell, one addition per probe.
//
// Layout     token = content << 8 | 1. The content of a slim row is place << value_bits | value. A
//            wide row keeps its value in a second word, for values that do not fit beside the
//            place.
// Limits     The attempt fails (`crowded`) when a cell has 128 rows, before its count could wrap.
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
