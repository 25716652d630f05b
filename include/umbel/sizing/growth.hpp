// sizing/growth.hpp - the stages of filters that grow: how large each is, and what they err
// together.
// Words      n keys of the first stage, eps the rate asked for, s the growth of stages, r by how
//            much each is tightened, i the number of a stage from 0.
// Idea       Stage i may err at P_i, and the sum of all P_i is eps however many stages there will
//            be: a geometric series, P_i = eps (1 - r) r^i, or eps 6 / (pi (i + 1))^2.
// Source     [ABPH07] for the first, [App22] for the second.
#pragma once

#include <cmath>
#include <cstdint>

namespace umbel::sizing {

inline constexpr std::uint64_t min_growth = 2, max_growth = 16;
inline constexpr double min_tightening = 0.1, max_tightening = 0.99;
// Below, later levels of split blocks would be nearly empty: what tells keys apart inside a block
// has 32 bits.
inline constexpr double min_level_rate = 1e-7;

// Keys that fill half of a slice of so many cells: the most n with (1 - 1/M)^n >= 1/2. [ABPH07] has
// M ln 2, which is the same but for half a key.
[[nodiscard]] inline std::uint64_t slice_room(std::uint64_t cells) {
  if (cells < 2) return 0;
  return static_cast<std::uint64_t>(std::log(2.0) / -std::log1p(-1 / static_cast<double>(cells)) *
                                    (1 + 1e-14));
}
// Cells of a slice that n keys fill by half at most.
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
// Slices, each half full, for this rate.
[[nodiscard]] inline unsigned slices_for(double eps) {
  return eps >= 0.5 ? 1 : static_cast<unsigned>(std::ceil(-std::log2(eps) * (1 - 1e-14)));
}
// Keys that stage i has room for; a number too large for any memory stays so.
[[nodiscard]] inline std::uint64_t stage_room(std::uint64_t n, std::uint64_t s, unsigned i) {
  constexpr std::uint64_t most = std::uint64_t{1} << 56;
  for (; i > 0 && n < most; --i) n *= s;  // s < 2^8
  return n < most ? n : most;
}

}  // namespace umbel::sizing
