// sizing/growth.hpp - scalable Bloom filters [ABPH07]: sizes and error rates of the stages of
// growing filters.
//
// Stage i has rate P_i, and all P_i sum to eps for any number of stages: either a geometric series,
// P_i = eps (1 - r) r^i, or P_i = eps 6 / (pi (i + 1))^2.
//
// Symbols    n keys in the first stage; eps the rate asked for; s the growth factor of stages; r
//            the tightening ratio; i the index of a stage from 0.
// Source     [ABPH07] for the geometric series, [App22] for the other.
#pragma once

#include <cmath>
#include <cstdint>

namespace umbel::sizing {

inline constexpr std::uint64_t min_growth = 2, max_growth = 16;
inline constexpr double min_tightening = 0.1, max_tightening = 0.99;
// Below this rate, later levels of split blocks would be nearly empty: only 32 bits of the digest
// distinguish keys inside a block.
inline constexpr double min_level_rate = 1e-7;

// Number of keys that fill a slice of `cells` cells to one half: the largest n with
// (1 - 1/M)^n >= 1/2. [ABPH07] uses M ln 2, which differs by half a key.
[[nodiscard]] inline std::uint64_t slice_room(std::uint64_t cells) {
  if (cells < 2) return 0;
  return static_cast<std::uint64_t>(std::log(2.0) / -std::log1p(-1 / static_cast<double>(cells)) *
                                    (1 + 1e-14));
}
// Cells of a slice that n keys fill to at most one half.
[[nodiscard]] inline std::uint64_t slice_for(std::uint64_t n) {
  if (n == 0) return 1;
  auto cells = static_cast<std::uint64_t>(-1 / std::expm1(-std::log(2.0) / static_cast<double>(n)));
  while (slice_room(cells) < n) ++cells;
  return cells;
}

[[nodiscard]] inline double geometric_rate(double eps, double r, unsigned i) {
  return eps * (1 - r) * std::pow(r, i);
}
[[nodiscard]] inline double level_share(unsigned i) {
  constexpr double pi = 3.14159265358979323846;
  return 6 / (pi * pi) / (i + 1.0) / (i + 1.0);
}
// Number of half-full slices for this rate.
[[nodiscard]] inline unsigned slices_for(double eps) {
  return eps >= 0.5 ? 1 : static_cast<unsigned>(std::ceil(-std::log2(eps) * (1 - 1e-14)));
}
// Number of keys that stage i holds, at most 2^56.
[[nodiscard]] inline std::uint64_t stage_room(std::uint64_t n, std::uint64_t s, unsigned i) {
  constexpr std::uint64_t most = std::uint64_t{1} << 56;
  for (; i > 0 && n < most; --i) n *= s;  // s < 2^8
  return n < most ? n : most;
}

}  // namespace umbel::sizing
