// sizing/deletable.hpp - how many keys of a deletable Bloom filter can be taken out again.
// Words      n keys, k probes, m bits of the filter proper, r regions.
// Idea       A region without a collision: every bit of it was set at most once. A key can be taken
//            out if one of its bits lies in such a region.
// Source     [RMVM10]; the formula is ours: theirs leaves out that a key's own bit must be set by
//            nobody else, and promises .90 where .78 are found.
#pragma once

#include <algorithm>
#include <cmath>

namespace umbel::sizing {

// Of a region that holds a bit of a given key: that nobody else set this bit, and no other bit was
// set twice.
[[nodiscard]] inline double region_free(double n, double k, double m, double r) {
  const double all = k * n, one = 1 / m;
  const double none = std::exp(all * std::log1p(-one)),
               once = all * one * std::exp((all - 1) * std::log1p(-one));
  return std::exp((all - k) * std::log1p(-one)) * std::pow(none + once, std::max(0.0, m / r - 1));
}
// Share of n stored keys that can be taken out.
[[nodiscard]] inline double deletable_share(double n, double k, double m, double r) {
  return n == 0 ? 1 : 1 - std::pow(1 - region_free(n, k, m, r), k);
}

}  // namespace umbel::sizing
