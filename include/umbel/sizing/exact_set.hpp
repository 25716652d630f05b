// sizing/exact_set.hpp - how large a set in two stages is that makes no error on its universe.
// Words      c keys are told from s others, c <= s; g = s/c.
// Idea       The first stage stores `rank` bits of each of the c keys, and lets one in 2^rank of the others pass as well.
//            The second stores a bit for every key that passes: c (rank + 1 + g / 2^rank) bits in all. One more bit of
//            rank costs c and saves c g / 2^(rank + 1), so floor(log2 g) is best; up to g = 2 that is no first stage.
// Source     [Sch25]; the bound of both stages' ribbons is in sizing/ribbon.hpp.
#pragma once

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
  return c + static_cast<std::uint64_t>(std::ldexp(static_cast<double>(s), -static_cast<int>(exact_rank(c, s))));
}
// c (rank + 1 + g / 2^rank): bits of both stages before their ribbons' overhead.
[[nodiscard]] inline double exact_set_bits(std::uint64_t c, std::uint64_t s) {
  if (c == 0 || s == 0) return 0;
  if (c > s) return exact_set_bits(s, c);
  const double stored = static_cast<double>(c), rank = exact_rank(c, s);
  return stored * (rank + 1) + std::exp2(-rank) * static_cast<double>(s);
}

}  // namespace umbel::sizing
