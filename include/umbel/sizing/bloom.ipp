// sizing/bloom.ipp - bodies of sizing/bloom.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <umbel/sizing/bloom.hpp>
#include <umbel/sizing/exclusion.hpp>

namespace umbel::sizing {

UMBEL_INLINE double bloom_fpr_asymptotic(double n, double m, double k) {
  return std::pow(-std::expm1(-k * n / m), k);
}

UMBEL_INLINE double bloom_fpr_classic(double n, double m, double k) {
  return std::pow(-std::expm1(k * n * std::log1p(-1 / m)), k);
}

UMBEL_INLINE double bloom_fpr_exact(std::uint64_t n, std::uint64_t m, unsigned k) {
  const auto size = static_cast<double>(m);
  const std::uint64_t throws = n * k;
  const std::uint64_t most = std::min(m, throws);
  std::vector<double> odds(most + 1, 0.0);  // odds[i]: probability that exactly i bits are set
  odds[0] = 1;
  for (std::uint64_t t = 0; t < throws; ++t) {
    for (std::uint64_t i = std::min(most, t + 1); i > 0; --i) {
      const auto set = static_cast<double>(i);
      odds[i] = odds[i] * set / size + odds[i - 1] * (size - set + 1) / size;
    }
    odds[0] = 0;
  }
  double rate = 0;
  for (std::uint64_t i = 1; i <= most; ++i)
    rate += odds[i] * std::pow(static_cast<double>(i) / size, k);
  return n == 0 ? 0 : rate;
}

UMBEL_INLINE double bloom_fpr_corrected(double n, double m, double k) {
  const double set = -std::expm1(k * n * std::log1p(-1 / m));
  if (set <= 0) return 0;
  const double variance = bloom_variance_of_zeros(n, m, k) / (m * m);
  return std::min(1.0, std::pow(set, k) * (1 + k * (k - 1) / 2 * variance / (set * set)));
}

namespace detail {
// The exact rate in k^2 steps instead of k*n*m. The non-member's k probes hit j distinct bits with
// probability S(k,j) m(m-1)...(m-j+1) / m^k, and inclusion-exclusion gives the probability that j
// given bits are all set. The alternating sum loses about ((1+q)/(1-q))^k of its precision, where q
// is the share of zeros.
inline double bloom_fpr_by_exclusion(double n, double m, unsigned k) {
  std::vector<double> ways(k + 1, 0.0);  // Stirling numbers S(k, j), divided by m^(k-j)
  ways[0] = 1;
  for (unsigned i = 1; i <= k; ++i) {
    for (unsigned j = i; j > 0; --j) ways[j] = ways[j] * j / m + ways[j - 1];
    ways[0] = 0;
  }
  double rate = 0, falling = 1;
  for (unsigned j = 1; j <= k && j <= m; ++j) {
    falling *= (m - j + 1) / m;
    const auto clear = [&](unsigned r) {
      return std::exp(k * n * std::log1p(-static_cast<double>(r) / m));
    };
    rate += ways[j] * falling * all_set(j, clear);
  }
  return std::min(1.0, rate);
}
}  // namespace detail

UMBEL_INLINE double bloom_fpr(std::uint64_t n, std::uint64_t m, unsigned k) {
  const auto keys = static_cast<double>(n), size = static_cast<double>(m);
  if (n == 0) return 0;
  if (m <= 1024) {
    const double zero = std::exp(k * keys * std::log1p(-1 / size));
    if (k <= 64 && k * std::log((1 + zero) / (1 - zero)) < 21)
      return detail::bloom_fpr_by_exclusion(keys, size, k);  // e^21 = 1e9
    if (n * k <= 8192) return bloom_fpr_exact(n, m, k);
  }
  return bloom_fpr_corrected(static_cast<double>(n), static_cast<double>(m), k);
}

UMBEL_INLINE double bloom_bose_slack(double n, double m, double k) {
  const double p = -std::expm1(k * n * std::log1p(-1 / m));
  return k / p * std::sqrt((std::log(m) - k * std::log(p)) / m);
}

namespace detail {
inline constexpr double ln2_squared = std::numbers::ln2 * std::numbers::ln2;

inline std::uint64_t to_count(double x) {
  return x >= static_cast<double>(max_bits) ? max_bits : x < 1 ? 1 : static_cast<std::uint64_t>(x);
}
}  // namespace detail

UMBEL_INLINE std::uint64_t bloom_bits(std::uint64_t n, double eps) {
  return detail::to_count(std::ceil(-static_cast<double>(n) * std::log(eps) / detail::ln2_squared));
}

UMBEL_INLINE std::uint64_t bloom_bits(std::uint64_t n, unsigned k, double eps) {
  return detail::to_count(
      std::ceil(-static_cast<double>(n) * k / std::log1p(-std::pow(eps, 1.0 / k))));
}

UMBEL_INLINE std::uint64_t bloom_capacity(std::uint64_t m, double eps) {
  return static_cast<std::uint64_t>(
      std::clamp(-static_cast<double>(m) * detail::ln2_squared / std::log(eps), 0.0, 1.8e19));
}

UMBEL_INLINE unsigned bloom_probes(std::uint64_t n, std::uint64_t m) {
  const auto keys = static_cast<double>(std::max<std::uint64_t>(n, 1));
  const auto size = static_cast<double>(m);
  const double best = std::min(size / keys * std::numbers::ln2, bloom_max_probes - 1.0);
  const unsigned low = std::max(1U, static_cast<unsigned>(best));
  return bloom_fpr_asymptotic(keys, size, low) <= bloom_fpr_asymptotic(keys, size, low + 1)
             ? low
             : low + 1;
}

UMBEL_INLINE double bloom_optimal_probes(double n, double m) {
  return -std::numbers::ln2 / (n * std::log1p(-1 / m));
}

UMBEL_INLINE bloom_plan plan_bloom_for_bits(std::uint64_t n, std::uint64_t m, unsigned probes) {
  const unsigned k = probes != 0 ? probes : bloom_probes(n, m);
  return {m, k, bloom_fpr(n, m, k)};
}

UMBEL_INLINE bloom_plan plan_bloom_for_rate(std::uint64_t n, double eps, unsigned probes) {
  const std::uint64_t keys = std::max<std::uint64_t>(n, 1);
  // The smallest m over k, by the formula for fixed k. The optimum is within one of log2(1/eps).
  const auto around =
      static_cast<unsigned>(std::clamp(-std::log2(eps), 1.0, bloom_max_probes - 1.0));
  bloom_plan plan{max_bits, 1, 1};
  for (unsigned k = probes != 0 ? probes : around; k <= (probes != 0 ? probes : around + 1); ++k) {
    const std::uint64_t m = bloom_bits(keys, k, eps);
    if (m < plan.bits) plan = {m, k, bloom_fpr(keys, m, k)};
  }
  // At small m the exact rate is slightly above the asymptotic one: grow until it fits.
  while (plan.fpr > eps && plan.bits < max_bits) {
    plan.bits += std::max<std::uint64_t>(1, plan.bits / 100000);
    plan.fpr = bloom_fpr(keys, plan.bits, plan.probes);
  }
  return plan;
}

UMBEL_INLINE bloom_room bloom_room_for(std::uint64_t m, double eps, unsigned probes) {
  // With the best k for each n the rate rises with n, so bisect on n.
  std::uint64_t low = 0;
  std::uint64_t high = bloom_capacity(m, eps) + 1;
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (plan_bloom_for_bits(middle, m, probes).fpr <= eps ? low : high) = middle;
  }
  return {low, probes != 0 ? probes : bloom_probes(low, m)};
}

UMBEL_INLINE double bloom_expected_zeros(double n, double m, double k) {
  return m * std::exp(k * n * std::log1p(-1 / m));
}

UMBEL_INLINE double bloom_variance_of_zeros(double n, double m, double k) {
  const double a = k * n / m;
  return m * std::exp(-a) * (1 - (1 + a) * std::exp(-a));
}

UMBEL_INLINE double bloom_azuma_bound(double n, double m, double k, double t) {
  return 2 * std::exp(-2 * t * t * m * m / (n * k));
}

UMBEL_INLINE double bloom_cardinality(double zeros, double m, double k) {
  return std::max(0.0, std::log(zeros / m) / (k * std::log1p(-1 / m)));  // avoids -0
}

UMBEL_INLINE double bloom_cardinality_error(double n, double m, double k) {
  const double a = k * n / m;
  return std::sqrt(m * (std::expm1(a) - a)) / k;
}

UMBEL_INLINE double bloom_intersection_size(double zeros_a, double zeros_b, double zeros_or,
                                            double m, double k) {
  return std::log(m * zeros_or / (zeros_a * zeros_b)) / (-k * std::log1p(-1 / m));
}

UMBEL_INLINE double bloom_inner_product(double size_a, double size_b, double common, double m,
                                        double k) {
  const auto zero = [&](double keys) { return std::exp(keys * k * std::log1p(-1 / m)); };
  return m * (1 - zero(size_a) - zero(size_b) + zero(size_a + size_b - common));
}

UMBEL_INLINE double bloom_probes_per_non_member(double fill, unsigned k) {
  return fill >= 1 ? k : (1 - std::pow(fill, k)) / (1 - fill);
}

UMBEL_INLINE double set_lower_bound(double n, double eps) { return -n * std::log2(eps); }

UMBEL_INLINE double set_lower_bound(double n, double eps, double u) {
  const auto choose = [](double a, double b) {
    return (std::lgamma(a + 1) - std::lgamma(b + 1) - std::lgamma(a - b + 1)) / std::numbers::ln2;
  };
  return choose(u, n) - choose(n + eps * (u - n), n);
}

}  // namespace umbel::sizing
