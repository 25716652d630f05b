// sizing/hash_list.hpp - sorted lists of hash fingerprints [BM04, sec. 2.3]: n of the 2^w values
// are stored.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace umbel::sizing {

// Fewest bits that keep the rate of n values within eps; at most 64.
[[nodiscard]] inline unsigned hash_list_width(std::uint64_t n, double eps) {
  const auto keys = static_cast<double>(std::max<std::uint64_t>(n, 1));
  return static_cast<unsigned>(std::clamp(std::ceil(std::log2(keys / eps) - 1e-9), 1.0, 64.0));
}
// Expected rate of n keys. Keys with equal values are stored once.
[[nodiscard]] inline double hash_list_planned_fpr(std::uint64_t n, unsigned width) {
  return -std::expm1(-static_cast<double>(n) * std::exp2(-static_cast<double>(width)));
}
// Exact rate of this many distinct values.
[[nodiscard]] inline double hash_list_fpr(std::uint64_t values, unsigned width) {
  return static_cast<double>(values) * std::exp2(-static_cast<double>(width));
}

}  // namespace umbel::sizing
