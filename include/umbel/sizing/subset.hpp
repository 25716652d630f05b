// sizing/subset.hpp - the bits that no exact set can go below: log2 of the number of subsets.
// Words      c members out of a universe of u keys.
// Source     [CKRT04] sec. 1 for the use; [BM99] for sets that reach it up to lower order.
#pragma once

#include <cmath>
#include <numbers>

namespace umbel::sizing {

// log2 C(u, c). For c << u about c (log2(u/c) + 1.4427).
[[nodiscard]] inline double subset_bits(double u, double c) {
  if (c <= 0 || c >= u) return 0;
  return (std::lgamma(u + 1) - std::lgamma(c + 1) - std::lgamma(u - c + 1)) / std::numbers::ln2;
}

}  // namespace umbel::sizing
