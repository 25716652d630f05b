// sizing/hash_list.hpp - fingerprints in a sorted list: w bits per key, of 2^w values n are taken.
// Source     [BM04] sec. 2.3.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace umbel::sizing {

// Fewest bits that keep n values within eps; 64 at most.
[[nodiscard]] inline unsigned hash_list_width(std::uint64_t n, double eps) {
  const auto keys = static_cast<double>(std::max<std::uint64_t>(n, 1));
  return static_cast<unsigned>(std::clamp(std::ceil(std::log2(keys / eps) - 1e-9), 1.0, 64.0));
}
// The rate n keys will have: those whose values coincide take one place.
[[nodiscard]] inline double hash_list_planned_fpr(std::uint64_t n, unsigned width) {
  return -std::expm1(-static_cast<double>(n) * std::exp2(-static_cast<double>(width)));
}
// The rate of so many distinct values, exactly.
[[nodiscard]] inline double hash_list_fpr(std::uint64_t values, unsigned width) {
  return static_cast<double>(values) * std::exp2(-static_cast<double>(width));
}

}  // namespace umbel::sizing
