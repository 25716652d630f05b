// sizing/deletable.hpp - deletable Bloom filters [RMVM10]: the share of keys that can be erased.
//
// In a collision-free region every bit was set at most once. A key can be erased if one of its bits
// is in such a region.
//
// Symbols    n keys, k probes, m bits without the region flags, r regions.
// Differs    [RMVM10] omit that a key's own bit must be set by no other key: they predict .90 where
//            .78 is measured. The formula here includes it.
#pragma once

#include <algorithm>
#include <cmath>

namespace umbel::sizing {

// For a region that holds a bit of a given key: the probability that no other key set this bit, and
// that no other bit of the region was set twice.
[[nodiscard]] inline double region_free(double n, double k, double m, double r) {
  const double all = k * n, one = 1 / m;
  const double none = std::exp(all * std::log1p(-one)),
               once = all * one * std::exp((all - 1) * std::log1p(-one));
  return std::exp((all - k) * std::log1p(-one)) * std::pow(none + once, std::max(0.0, m / r - 1));
}
// The share of n stored keys that can be erased.
[[nodiscard]] inline double deletable_share(double n, double k, double m, double r) {
  return n == 0 ? 1 : 1 - std::pow(1 - region_free(n, k, m, r), k);
}

}  // namespace umbel::sizing
