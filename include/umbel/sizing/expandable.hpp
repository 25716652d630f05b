// sizing/expandable.hpp - InfiniFilter [DBRT23]: fingerprint lengths that bound the rate over any
// number of expansions.
//
// An expansion moves one bit of each fingerprint into its quotient. A fingerprint then matches
// twice as many keys of its slot, of twice as many slots, so what the keys of generation g
// contribute to the rate never changes. At full load it is load * 2^-F for the first generation and
// half of load * 2^-(F + d(g)) for each later one. With d(g) >= 2 log2(g + 1) the sum is at most
// 1 + (pi^2/6 - 1)/2 = 1.3225 times load * 2^-F, for any number of expansions. With d = 0 it is
// 1 + g/2.
//
// Symbols    F is the fingerprint length of keys inserted before the first expansion; F + d(g) that
//            of keys inserted after the g-th.
// Source     [DBRT23] for the scheme and for growing lengths; the bound is derived here.
#pragma once

#include <bit>
#include <cstdint>

#include <umbel/base/config.hpp>

namespace umbel::sizing {

struct expandable_plan {
  std::uint64_t keys, blocks;
  unsigned length;    // of the first fingerprints
  double fpr, bound;  // with `keys` keys; after any number of expansions
};

inline constexpr double expandable_growth = 1.3225;
inline constexpr unsigned expandable_max_generation = 56;

// d(g): the least integer with 2^d >= (g + 1)^2.
[[nodiscard]] constexpr unsigned expandable_extra(unsigned generation) noexcept {
  const std::uint64_t square = std::uint64_t{generation + 1} * (generation + 1);
  return static_cast<unsigned>(std::bit_width(square - 1));
}
inline constexpr unsigned expandable_max_length = 55;
// F + d(g), at most the longest fingerprint a slot can hold.
[[nodiscard]] constexpr unsigned expandable_length(unsigned first, unsigned generation) noexcept {
  const unsigned options = first + expandable_extra(generation);
  return options < expandable_max_length ? options : expandable_max_length;
}
// Upper bound of the rate over all expansions.
[[nodiscard]] double expandable_bound(unsigned length);

// Fewest bits for n keys at a rate that holds after any number of expansions. If no length keeps
// the rate, the longest fingerprints.
[[nodiscard]] expandable_plan plan_expandable_for_rate(std::uint64_t n, double eps);
// The longest fingerprints for n keys in `bits`. If n keys do not fit, as many as do.
[[nodiscard]] expandable_plan plan_expandable_for_bits(std::uint64_t n, std::uint64_t bits);
// The number of keys that `bits` hold before the first expansion.
[[nodiscard]] expandable_plan expandable_room_for(std::uint64_t bits, double eps);

}  // namespace umbel::sizing

#if UMBEL_WITH_BODIES
#include <umbel/sizing/expandable.ipp>
#endif
