// sizing/exact_set.hpp - size of the two-stage static set that is exact on its universe (Clubcard)
// [Sch25].
//
// The first stage stores `rank` bits of each of the c keys, and one in 2^rank of the other keys
// passes as well. The second stage stores a bit for every key that passes: c
// (rank + 1 + g / 2^rank) bits in all. One more bit of rank costs c and saves c g / 2^(rank + 1),
// so floor(log2 g) is best. Below g = 2 there is no first stage.
//
// Symbols    c keys are separated from s others, c <= s; g = s/c.
// Source     [Sch25]. The overhead of both stages' ribbons is in sizing/ribbon.hpp.
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
// Expected number of keys that pass the first stage.
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

// ---- small sets: square systems instead of ribbons (engine/retrieval/matrix/square_systems.hpp)
// ----

// A ribbon has fixed costs (fields, ends, blocks of 64 slots per column): about 2000 bits for two
// stages. Up to this many keys in the second stage, both stages may be square systems.
inline constexpr std::uint64_t exact_square_most = 98'304;
// Whether both stages for c keys and s others are square systems. These take 100 times as long to
// build, so they are used only where ribbons would exceed the bound by more than 0.6 bits per key.
// With more others per key, the formula alone comes closer to the bound plus 0.6 bits.
[[nodiscard]] inline bool exact_takes_squares(std::uint64_t c, std::uint64_t s) {
  if (c == 0) return true;
  const std::uint64_t others_each = std::min<std::uint64_t>(s / c, 1U << 20);
  return exact_passing(c, s) <= exact_square_most && c * (18 + others_each) <= 55'000 * others_each;
}
// Number of systems that n keys are split into: solving n unknowns takes n^3 steps.
[[nodiscard]] constexpr std::uint64_t square_parts(std::uint64_t n) noexcept {
  return n == 0 ? 0 : n <= 6144 ? 1 : (n + 2047) / 2048;
}
inline constexpr unsigned square_seeds = 256;  // tried per system

// Number of first stages to try for c keys. Each accepts different non-members; the one that
// accepts the fewest is kept. A try costs a pass over the universe and solving for c keys, so both
// are bounded: about a second in all. With few others per key there is nothing to gain: the formula
// alone is far enough below 0.6 bits.
[[nodiscard]] constexpr std::uint64_t exact_tries(std::uint64_t c, std::uint64_t s) noexcept {
  const std::uint64_t by_keys = 32'768 / c, by_universe = (std::uint64_t{1} << 25) / (c + s);
  const std::uint64_t by_share = std::bit_floor(std::max<std::uint64_t>(s / c / 4, 1));
  return std::clamp<std::uint64_t>(std::min({by_keys, by_universe, by_share}), 1, 32);
}

}  // namespace umbel::sizing
