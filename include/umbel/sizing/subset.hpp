// sizing/subset.hpp - information-theoretic lower bound for exact sets [CKRT04]: log2 of the number
// of subsets.
//
// Symbols    c members out of a universe of u keys.
// Source     [CKRT04] sec. 1 for the use; [BM99] for structures that reach it up to lower-order
//            terms.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

namespace umbel::sizing {

// log2 C(u, c). For c << u about c (log2(u/c) + 1.4427).
[[nodiscard]] inline double subset_bits(double u, double c) {
  if (c <= 0 || c >= u) return 0;
  c = std::min(c, u - c);
  const double rest = u - c;
  const double chosen = std::lgamma(c + 1);
  if (rest < 64) return (std::lgamma(u + 1) - chosen - std::lgamma(rest + 1)) / std::numbers::ln2;
  // ln(u! / rest!) by Stirling's series: the factorials are huge and their quotient is not.
  const auto tail = [](double x) { return (1 - 1 / (30 * x * x)) / (12 * x); };
  const double falling = c * std::log(u) - (rest + 0.5) * std::log1p(-c / u) - c;
  return (falling + tail(u) - tail(rest) - chosen) / std::numbers::ln2;
}

}  // namespace umbel::sizing
