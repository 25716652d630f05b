// sum_code.hpp - a list of small numbers, most of them 0, as one number; it has one as long as
// their sum is at most so much.
// Idea       Arithmetic coding with counts for probabilities: of n numbers that may still add up to
//            b there are N(n, b) lists, those that begin with 0 first, N(n - 1, b) of them, then
//            the N(n, b - 1) whose first number is to be one more. N(n, b) is the binomial of n + b
//            over b: all is exact, every code below N(Length, Most) stands for one list, and a 0 is
//            coded with n / (n + b) of what there is.
// Invariant  Whether a list has a code follows from its sum alone: zeros may be put in and taken
//            out anywhere.
// Limits     N(Length, Most) is below 2^64. The list of zeros has the code 0.
// Source     [Cov73], enumerative coding.
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

  // Lists of n numbers that add up to at most b.
  [[nodiscard]] static constexpr std::uint64_t lists(std::size_t n, unsigned b) noexcept {
    return table[n][b];
  }
  [[nodiscard]] static constexpr std::uint64_t codes() noexcept { return lists(Length, Most); }

  // Nothing if they add up to more than Most.
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
  // Of any number: one that is no code gives some list.
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
