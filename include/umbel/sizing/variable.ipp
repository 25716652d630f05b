// sizing/variable.ipp - bodies of sizing/variable.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <umbel/sizing/bloom.hpp>
#include <umbel/sizing/variable.hpp>

namespace umbel::sizing {

namespace detail {

// Probabilities of 0 to n successes, by the recurrence over trials. It has no subtractions, so no
// digits are lost.
[[nodiscard]] inline std::vector<double> binomial(unsigned n, double p) {
  std::vector<double> odds(n + 1);
  odds[0] = 1;
  for (unsigned i = 1; i <= n; ++i) {
    for (unsigned j = i; j > 0; --j) odds[j] = odds[j] * (1 - p) + odds[j - 1] * p;
    odds[0] *= 1 - p;
  }
  return odds;
}

}  // namespace detail

UMBEL_INLINE double variable_fpr(double rho, unsigned k, unsigned q) {
  const auto odds = detail::binomial(k, rho);
  double sum = 0;
  for (unsigned j = k + 1; j-- > q;) sum += odds[j];  // small terms first
  return std::min(sum, 1.0);
}

UMBEL_INLINE double variable_fill(double n, double m, double t) {
  return n == 0 ? 0 : -std::expm1(t * n * std::log1p(-1 / m));
}

UMBEL_INLINE double variable_fill_for(double eps, unsigned k, unsigned q) {
  double low = 0, high = 1;
  for (int round = 0; round < 200 && low < high; ++round) {
    const double middle = (low + high) / 2;
    if (middle == low || middle == high) break;
    (variable_fpr(middle, k, q) <= eps ? low : high) = middle;
  }
  return low;
}

UMBEL_INLINE double variable_fnr(double rho, double y, unsigned k, unsigned t, unsigned q) {
  const auto own = detail::binomial(t, 1 - y), others = detail::binomial(k - t, rho * (1 - y));
  double sum = 0;
  for (unsigned i = 0; i < own.size(); ++i)
    for (unsigned j = 0; j < others.size() && i + j < q; ++j) sum += own[i] * others[j];
  return sum;
}

UMBEL_INLINE std::uint64_t variable_bits(std::uint64_t n, double eps, unsigned k, unsigned t,
                                         unsigned q) {
  if (n == 0) return 1;
  // -ln(1 - 1/m)
  const double each = -std::log1p(-variable_fill_for(eps, k, q)) / (t * static_cast<double>(n));
  const double m = std::ceil(-1 / std::expm1(-each));
  if (!(m < static_cast<double>(max_bits))) return max_bits;
  auto bits = static_cast<std::uint64_t>(m);
  while (bits < max_bits &&
         variable_fpr(variable_fill(static_cast<double>(n), static_cast<double>(bits), t), k, q) >
             eps)
    bits += bits / (std::uint64_t{1} << 50) + 1;
  return bits;
}
UMBEL_INLINE std::uint64_t variable_room(std::uint64_t m, double eps, unsigned k, unsigned t,
                                         unsigned q) {
  const double n =
      std::log1p(-variable_fill_for(eps, k, q)) / (t * std::log1p(-1 / static_cast<double>(m)));
  auto keys = static_cast<std::uint64_t>(std::clamp(n, 0.0, 0x1p50));
  while (keys > 0 &&
         variable_fpr(variable_fill(static_cast<double>(keys), static_cast<double>(m), t), k, q) >
             eps)
    --keys;
  return keys;
}

}  // namespace umbel::sizing
