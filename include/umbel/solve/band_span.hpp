// band_span.hpp - counts the random rows that lie in the span of a band's rows, by the minimal span
// form [McE96].
//
// A homogeneous ribbon filter accepts every row in the span of its members' rows, whatever its
// columns hold. This file computes the exact share of such rows from the rows that elimination
// stored (solve/band.hpp).
//
// Elimination made the starts of the rows distinct. The rows are taken from the last start to the
// first. If a row ends where an earlier one ends, the earlier one is added to it; its start stays
// and its end moves left. Then the ends are distinct too: this is the minimal span form of a
// generator matrix [McE96]. In this form, the vectors of the span that are zero outside the slots s
// .. s + w - 1 are the sums of the rows that begin and end there. Let d be the number of these
// rows. If one of them begins at s, 2^(d-1) of the 2^(w-1) rows that start at s are in the span;
// otherwise none is.
//
// Limits     Time is that of the elimination itself, slot by slot, with w rows in memory.
// Source     [McE96] for the form. Its use for ribbon filters is new here.
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

// share_at(s) is the probability that a random row starts at slot s. Its other coefficients are
// random.
template <class Word, class ShareAt>
[[nodiscard]] double span_share(std::span<const band_slot<Word>> slots, ShareAt&& share_at) {
  constexpr unsigned width = 8 * sizeof(Word);
  // by end, modulo the width; the top bit of a row is its end
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
      row ^= ending[(s + end) % width];  // never cancels: no other row begins at s
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
