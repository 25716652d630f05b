// band_span.hpp - the share of random rows that are sums of a band's rows.
//
// A homogeneous ribbon filter passes every row in the span of its members' rows, whatever its
// columns hold. This counts such rows exactly, from the rows that elimination left behind
// (solve/band.hpp).
//
// Idea       Elimination made the starts of rows different. Rows are taken from the last start to
//            the first; one that ends where an earlier one ends adds that one to itself, which
//            keeps its start and moves its end to the left. Then ends differ too: this is the
//            minimal span form of a generator matrix [McE96]. In it, the vectors of the span that
//            are zero outside the slots s .. s + w - 1 are the sums of the rows that begin and end
//            there. Let there be d of these rows. If one begins at s, 2^(d-1) of the 2^(w-1) rows
//            that start at s are in the span; else none.
// Limits     Time: like elimination itself, but slot after slot, with w rows at hand.
// Source     [McE96] for the form; its use for ribbons is ours.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include <umbel/base/integers.hpp>
#include <umbel/solve/band.hpp>

namespace umbel::solve {

[[nodiscard]] inline unsigned leading_zeros(std::uint64_t word) noexcept {
  return static_cast<unsigned>(std::countl_zero(word));
}
[[nodiscard]] inline unsigned leading_zeros(detail::uint128 word) noexcept {
  const auto high = static_cast<std::uint64_t>(word >> 64);
  return high != 0 ? leading_zeros(high) : 64 + leading_zeros(static_cast<std::uint64_t>(word));
}
[[nodiscard]] inline int ones_of(std::uint64_t word) noexcept { return std::popcount(word); }
[[nodiscard]] inline int ones_of(detail::uint128 word) noexcept {
  return std::popcount(static_cast<std::uint64_t>(word >> 64)) +
         std::popcount(static_cast<std::uint64_t>(word));
}

// share_at(s) is the probability that a random row starts at slot s; its other coefficients are
// random.
template <class Word, class ShareAt>
[[nodiscard]] double span_share(std::span<const band_slot<Word>> slots, ShareAt&& share_at) {
  constexpr unsigned width = 8 * sizeof(Word);
  // by end, modulo the width; the top bit of a row stands for its end
  std::array<Word, width> ending{};
  Word ends = 0;  // bit i: a row ends at slot s + i
  double sum = 0;
  for (std::uint64_t s = slots.size(); s-- > 0;) {
    ends <<= 1;
    Word row = slots[s].coefficients;
    if (row == 0) continue;
    unsigned zeros = leading_zeros(row), end = width - 1;
    for (;;) {
      row <<= zeros;
      end -= zeros;
      if ((ends >> end & 1) == 0) break;
      row ^= ending[(s + end) % width];  // never all of it: no other row begins at s
      zeros = leading_zeros(row);
    }
    ends |= Word{1} << end;
    ending[(s + end) % width] = row;
    if (s + width <= slots.size())
      sum += share_at(s) * std::ldexp(1.0, ones_of(ends) - static_cast<int>(width));
  }
  return sum;
}

}  // namespace umbel::solve
