// sizing/compressed.ipp - bodies of sizing/compressed.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <umbel/sizing/bloom.hpp>
#include <umbel/sizing/compressed.hpp>

namespace umbel::sizing {

UMBEL_INLINE double bit_entropy(double p) {
  if (p <= 0 || p >= 1) return 0;
  return -(p * std::log(p) + (1 - p) * std::log1p(-p)) / std::numbers::ln2;
}

UMBEL_INLINE double compressed_bits(double c, unsigned k) {
  return c * bit_entropy(std::exp(-(k / c)));
}

UMBEL_INLINE compressed_plan plan_compressed_for_bits(double z, double most) {
  compressed_plan best{0, 0, 0, std::numeric_limits<double>::infinity()};
  const auto last = static_cast<unsigned>(
      std::min(std::ceil(z * std::numbers::ln2) + 1, double{bloom_max_probes}));
  for (unsigned k = 1; k <= last; ++k) {
    double least = 0, c = most;  // the largest c within z, which rises with c
    if (compressed_bits(most, k) > z)
      for (int round = 0; round < 100; ++round) {
        const double middle = (least + c) / 2;
        (compressed_bits(middle, k) > z ? c : least) = middle;
      }
    const double eps = bloom_fpr_asymptotic(1, c, k);
    if (eps < best.fpr) best = {c, k, compressed_bits(c, k), eps};
  }
  return best;
}

UMBEL_INLINE compressed_plan plan_compressed_for_rate(double eps, double most) {
  compressed_plan best{0, 0, std::numeric_limits<double>::infinity(), eps};
  // Above one half full, the coded size falls again, but only with ever more probes per query: not
  // useful.
  const auto last =
      static_cast<unsigned>(std::clamp(std::ceil(-std::log2(eps)), 1.0, double{bloom_max_probes}));
  for (unsigned k = 1; k <= last; ++k) {
    const double c = -static_cast<double>(k) / std::log1p(-std::pow(eps, 1.0 / k));
    if (c > most) continue;
    const double z = compressed_bits(c, k);
    if (z < best.sent_per_key) best = {c, k, z, eps};
  }
  return best;
}

UMBEL_INLINE double compressed_change_bits(double c, unsigned k, double share) {
  const double load = k / c;
  return c * bit_entropy(-2 * std::exp(-load) * std::expm1(-load * share));
}

}  // namespace umbel::sizing
