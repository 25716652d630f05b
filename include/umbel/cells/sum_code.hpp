// sum_code.hpp - enumerative coding [Cov73]: a list of small numbers, most of them 0, as one
// integer.
//
// A list has a code if its sum is at most Most. Let N(n, b) be the number of lists of n numbers
// with sum at most b, which is the binomial of n + b over b. Ordered by the first number, N(n - 1,
// b) lists begin with 0, and N(n, b - 1) begin with a larger number. So the code is exact: every
// integer below N(Length, Most) is the code of one list, and a 0 takes the share n / (n + b) of the
// range.
//
// Invariant  Whether a list has a code depends on its sum alone: zeros can be inserted and removed
//            anywhere.
// Limits     N(Length, Most) is below 2^64. The list of zeros has code 0.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace umbel::cells {

template <std::size_t Length, unsigned Most>
class sum_code {
 public:
  using list = std::array<std::uint8_t, Length>;
  static_assert(Most < 256);

  // Number of lists of n numbers with sum at most b.
  [[nodiscard]] static constexpr std::uint64_t lists(std::size_t n, unsigned b) noexcept {
    return table[n][b];
  }
  [[nodiscard]] static constexpr std::uint64_t codes() noexcept { return lists(Length, Most); }

  // Nothing if the sum exceeds Most.
  [[nodiscard]] static constexpr std::optional<std::uint64_t> encode(const list& numbers) noexcept {
    std::uint64_t code = 0;
    unsigned left = Most;
    for (std::size_t i = 0; i < Length; ++i)
      for (unsigned one = 0; one < numbers[i]; ++one) {
        if (left == 0) return std::nullopt;
        code += lists(Length - 1 - i, left--);
      }
    return code;
  }
  // Accepts any integer; one that is no code gives some list.
  [[nodiscard]] static constexpr list decode(std::uint64_t code) noexcept {
    list numbers{};
    unsigned left = Most;
    for (std::size_t i = 0; i < Length && code != 0; ++i)
      while (left > 0 && code >= lists(Length - 1 - i, left)) {
        code -= lists(Length - 1 - i, left--);
        ++numbers[i];
      }
    return numbers;
  }

 private:
  static constexpr auto table = [] {
    std::array<std::array<std::uint64_t, Most + 1>, Length + 1> out{};
    for (std::size_t n = 0; n <= Length; ++n)
      for (unsigned b = 0; b <= Most; ++b)
        out[n][b] = n == 0 || b == 0 ? 1 : out[n - 1][b] + out[n][b - 1];
    return out;
  }();
};

}  // namespace umbel::cells
