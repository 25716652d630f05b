// sizing/expandable.hpp - quotient filters that double for ever: how long fingerprints must be for
// the rate to stay bounded.
// Words      F bits of fingerprint for keys that come before the first doubling, F + d(g) for those
//            that come after the g-th.
// Idea       With every doubling a fingerprint gives a bit to its home, so it lets twice as many
//            through, of twice as many homes: what the keys of generation g contribute to the rate
//            never changes. Full, it is load * 2^-F for the first and half of load * 2^-(F + d(g))
//            for each later one. With d(g) >= 2 log2(g + 1) their sum is at most 1 + (pi^2/6 - 1)/2
//            = 1.3225 times load * 2^-F, however many there are; with d = 0 it is 1 + g/2.
// Source     [DBRT23] for the scheme and for lengths that grow; the bound is derived here.
#pragma once

#include <bit>
#include <cstdint>

#include <umbel/base/config.hpp>

namespace umbel::sizing {

struct expandable_plan {
  std::uint64_t keys, blocks;
  unsigned length;    // of the first fingerprints
  double fpr, bound;  // with `keys` keys; and with any number
};

inline constexpr double expandable_growth = 1.3225;
inline constexpr unsigned expandable_max_generation = 56;

// d(g): the least number with 2^d >= (g + 1)^2.
[[nodiscard]] constexpr unsigned expandable_extra(unsigned generation) noexcept {
  const std::uint64_t square = std::uint64_t{generation + 1} * (generation + 1);
  return static_cast<unsigned>(std::bit_width(square - 1));
}
inline constexpr unsigned expandable_max_length = 55;
// F + d(g), as long as a slot can be.
[[nodiscard]] constexpr unsigned expandable_length(unsigned first, unsigned generation) noexcept {
  const unsigned options = first + expandable_extra(generation);
  return options < expandable_max_length ? options : expandable_max_length;
}
// The most that the rate ever comes to.
[[nodiscard]] double expandable_bound(unsigned length);

// Fewest bits for n keys at a rate that is kept for ever; the longest fingerprints there are, if
// none keeps it.
[[nodiscard]] expandable_plan plan_expandable_for_rate(std::uint64_t n, double eps);
// The longest fingerprints for n keys in so many bits; for fewer keys, those that fit, if n do not.
[[nodiscard]] expandable_plan plan_expandable_for_bits(std::uint64_t n, std::uint64_t bits);
// The keys that `bits` hold before the first doubling.
[[nodiscard]] expandable_plan expandable_room_for(std::uint64_t bits, double eps);

}  // namespace umbel::sizing

#if UMBEL_WITH_BODIES
#include <umbel/sizing/expandable.ipp>
#endif
