// small.hpp - dense linear systems over GF(2) with a row length known at compile time.
//
// The same elimination as in dense.hpp. A group of 64 keys is eliminated three or four times. Rows
// that stay in registers make it four times as fast as rows of any length.
//
// Invariant  Pivots and solution equal those of dense_system.
// Limits     64 * Words unknowns.
// Threads    One.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace umbel::solve {

template <unsigned Words>
class small_system {
 public:
  static constexpr std::size_t most = 64 * Words;

  void reset() noexcept { taken_ = {}; }
  // Adds an equation. Returns false if it contradicts the earlier ones.
  [[nodiscard]] bool add(const std::uint64_t* coefficients, std::uint64_t right) noexcept {
    row now;
    for (unsigned i = 0; i < Words; ++i) now.bits[i] = coefficients[i];
    now.right = right;
    for (unsigned word = 0; word < Words; ++word) {
      while (now.bits[word] != 0) {
        const auto bit = static_cast<unsigned>(std::countr_zero(now.bits[word]));
        row& stored = rows_[64 * word + bit];
        if ((taken_[word] >> bit & 1) == 0) {
          stored = now;
          taken_[word] |= std::uint64_t{1} << bit;
          return true;
        }
        for (unsigned i = word; i < Words; ++i) now.bits[i] ^= stored.bits[i];
        now.right ^= stored.right;
      }
    }
    return now.right == 0;
  }
  // Back-substitution: one word per unknown, from the last to the first.
  void solve(std::span<std::uint64_t> out) const noexcept {
    for (std::size_t pivot = out.size(); pivot-- > 0;) {
      out[pivot] = 0;
      if ((taken_[pivot / 64] >> pivot % 64 & 1) == 0) continue;
      std::uint64_t value = rows_[pivot].right;
      for (std::size_t word = pivot / 64; word < Words; ++word)
        for (std::uint64_t left = rows_[pivot].bits[word]; left != 0; left &= left - 1)
          value ^= out[64 * word + static_cast<unsigned>(std::countr_zero(left))];
      out[pivot] = value;
    }
  }

 private:
  struct row {
    std::array<std::uint64_t, Words> bits;
    std::uint64_t right;
  };
  std::array<row, most> rows_;
  std::array<std::uint64_t, Words> taken_{};
};

}  // namespace umbel::solve
