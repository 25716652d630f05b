// sorted_nibbles.hpp - semi-sorting code of cuckoo filters [FAKM14, sec. 5.2]: four unordered 4-bit
// numbers in 12 bits.
//
// Sorted, a <= b <= c <= d, they are one of 3876 combinations. The rank of a combination is a sum
// of binomials: (a, b + 1, c + 2, d + 3) is strictly increasing, and there are C(n, j) strictly
// increasing sequences of j numbers below n.
//
// Source     [FAKM14], which uses a table in both directions.
#pragma once

#include <array>
#include <cstdint>

namespace umbel::cells {

class sorted_nibbles {
 public:
  static constexpr unsigned code_bits = 12;
  static constexpr unsigned codes = 3876;

  // Encodes four nibbles in non-decreasing order, the smallest in the lowest bits.
  [[nodiscard]] static constexpr std::uint64_t encode(std::uint64_t nibbles) noexcept {
    std::uint64_t code = 0;
    for (unsigned j = 0; j < 4; ++j) code += below_[j][nibbles >> (4 * j) & 15];
    return code;
  }
  // The inverse. The 12-bit values that are no code decode to four zeros.
  [[nodiscard]] static constexpr std::uint64_t decode(std::uint64_t code) noexcept {
    return nibbles_[code & 0xFFF];
  }

 private:
  // below_[j][v]: the number of choices of the lowest j + 1 nibbles whose highest is below v.
  static constexpr auto below_ = [] {
    std::array<std::array<std::uint16_t, 16>, 4> out{};
    for (unsigned v = 0; v < 16; ++v) {
      unsigned choices = 1;
      for (unsigned j = 0; j < 4; ++j) {
        choices = choices * (v + j) / (j + 1);  // C(v + j, j + 1)
        out[j][v] = static_cast<std::uint16_t>(choices);
      }
    }
    return out;
  }();
  static constexpr auto nibbles_ = [] {
    std::array<std::uint16_t, 1 << code_bits> out{};
    unsigned code = 0;
    for (unsigned d = 0; d < 16; ++d)
      for (unsigned c = 0; c <= d; ++c)
        for (unsigned b = 0; b <= c; ++b)
          for (unsigned a = 0; a <= b; ++a)
            out[code++] = static_cast<std::uint16_t>(a | b << 4 | c << 8 | d << 12);
    return out;
  }();
};

}  // namespace umbel::cells
