// sizing/exact_set.hpp - how large a set in two stages is that makes no error on its universe.
// Words      c keys are told from s others, c <= s; g = s/c.
// Idea       The first stage stores `rank` bits of each of the c keys, and lets one in 2^rank of
//            the others pass as well. The second stores a bit for every key that passes: c (rank +
//            1 + g / 2^rank) bits in all. One more bit of rank costs c and saves c g / 2^(rank +
//            1), so floor(log2 g) is best; up to g = 2 that is no first stage.
// Source     [Sch25]; the bound of both stages' ribbons is in sizing/ribbon.hpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace umbel::sizing {

// Requires 1 <= c <= s.
[[nodiscard]] constexpr unsigned exact_rank(std::uint64_t c, std::uint64_t s) noexcept {
  return static_cast<unsigned>(std::bit_width(s / c)) - 1;
}
// Keys that pass the first stage, on average.
[[nodiscard]] inline std::uint64_t exact_passing(std::uint64_t c, std::uint64_t s) {
  return c + static_cast<std::uint64_t>(
                 std::ldexp(static_cast<double>(s), -static_cast<int>(exact_rank(c, s))));
}
// c (rank + 1 + g / 2^rank): bits of both stages before their ribbons' overhead.
[[nodiscard]] inline double exact_set_bits(std::uint64_t c, std::uint64_t s) {
  if (c == 0 || s == 0) return 0;
  if (c > s) return exact_set_bits(s, c);
  const double stored = static_cast<double>(c), rank = exact_rank(c, s);
  return stored * (rank + 1) + std::exp2(-rank) * static_cast<double>(s);
}

// ---- small sets: square systems instead of ribbons (core/square_systems.hpp) ----

// A ribbon has fixed costs: fields, ends, blocks of 64 slots in every column. Together some 2000
// bits for two stages. Up to this many keys in the second stage both stages may be square systems.
inline constexpr std::uint64_t exact_square_most = 98'304;
// Whether both stages of c keys told from s others are square systems. They take 100 times as long
// to build, so only where ribbons would be more than 0.6 bits per key above the bound: the more
// others a key has, the nearer the formula alone comes to that.
[[nodiscard]] inline bool exact_takes_squares(std::uint64_t c, std::uint64_t s) {
  if (c == 0) return true;
  const std::uint64_t others_each = std::min<std::uint64_t>(s / c, 1U << 20);
  return exact_passing(c, s) <= exact_square_most && c * (18 + others_each) <= 55'000 * others_each;
}
// Systems that n keys are divided into: solving n unknowns takes n^3 steps.
[[nodiscard]] constexpr std::uint64_t square_parts(std::uint64_t n) noexcept {
  return n == 0 ? 0 : n <= 6144 ? 1 : (n + 2047) / 2048;
}
inline constexpr unsigned square_seeds = 256;  // of a system

// First stages of c keys to choose from: each lets other non-members pass, and the one that lets
// the fewest pass is kept. Every one costs a pass over the universe and c keys to be solved, so
// both are bounded: about a second in all. With few others for a key there is nothing to save: the
// formula alone is far enough below 0.6 bits.
[[nodiscard]] constexpr std::uint64_t exact_tries(std::uint64_t c, std::uint64_t s) noexcept {
  const std::uint64_t by_keys = 32'768 / c, by_universe = (std::uint64_t{1} << 25) / (c + s);
  const std::uint64_t by_share = std::bit_floor(std::max<std::uint64_t>(s / c / 4, 1));
  return std::clamp<std::uint64_t>(std::min({by_keys, by_universe, by_share}), 1, 32);
}

}  // namespace umbel::sizing
