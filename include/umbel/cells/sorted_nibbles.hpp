// sorted_nibbles.hpp - four numbers below 16 in 12 bits, if their order does not matter.
// Idea       Sorted, a <= b <= c <= d, they are one of 3876 combinations, and those below a given
//            one are counted by binomials: (a, b + 1, c + 2, d + 3) rise strictly, and strictly
//            rising numbers below n are C(n, how many).
// Source     [FAKM14] sec. 5.2, which numbers the combinations by a table both ways.
#pragma once

#include <array>
#include <cstdint>

namespace umbel::cells {

class sorted_nibbles {
 public:
  static constexpr unsigned code_bits = 12;
  static constexpr unsigned codes = 3876;

  // Of four nibbles, the lowest first, none above the next.
  [[nodiscard]] static constexpr std::uint64_t encode(std::uint64_t nibbles) noexcept {
    std::uint64_t code = 0;
    for (unsigned j = 0; j < 4; ++j) code += below_[j][nibbles >> (4 * j) & 15];
    return code;
  }
  // And back. 12 bits that are no code are those of four zeros.
  [[nodiscard]] static constexpr std::uint64_t decode(std::uint64_t code) noexcept {
    return nibbles_[code & 0xFFF];
  }

 private:
  // below_[j][v]: how many choices of the lowest j + 1 have the highest of them below v.
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
