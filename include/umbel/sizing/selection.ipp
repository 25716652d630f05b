// sizing/selection.ipp - bodies of sizing/selection.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

#include <umbel/sizing/crossing.hpp>
#include <umbel/sizing/selection.hpp>

namespace umbel::sizing {

// The integral of x d(Phi^C). It is smooth and vanishes at both ends, so equal steps are as
// accurate as any rule.
UMBEL_INLINE double mean_largest_normal(double count) {
  constexpr double step = 1.0 / 16;
  double sum = 0;
  for (double x = -9; x <= 9; x += step) {
    const double below = std::erfc(-x / std::numbers::sqrt2) / 2;
    sum += x * std::exp(-x * x / 2) * count * std::pow(below, count - 1);
  }
  return sum * step / std::sqrt(2 * std::numbers::pi);
}

namespace detail {

// x to an integer power. Plans compute the same few powers a hundred thousand times.
inline double power(double x, double whole) {
  double out = 1;
  for (auto left = static_cast<std::uint64_t>(whole); left != 0; left /= 2, x *= x)
    if (left % 2 != 0) out *= x;
  return out;
}

// Expected minimum of c draws from a binomial distribution with this mean and variance.
inline double min_of_binomials(double mean, double variance, double c) {
  const double q = variance / mean, p = 1 - q, t = mean / p, odds = p / q;
  const auto up = [&](double x) { return (t - x) / (x + 1) * odds; };  // P(x + 1) / P(x)
  const double middle = std::floor(mean);
  double total = 1;
  for (double x = middle, w = 1; x < t && w > 1e-12; ++x) total += w *= up(x);
  double low = middle, weight = 1;
  for (; low > 0 && weight > 1e-12; --low) total += weight *= low / ((t - low + 1) * odds);
  double least = low, below = weight / total;  // P(X <= low)
  for (double x = low; x < t; ++x) {
    // probability that all of them are above x
    const double share = power(std::max(0.0, 1 - below), c);
    if (share < 1e-9) break;
    least += share;
    below += (weight *= up(x)) / total;
  }
  return least;
}

// The best of C draws: for large means, e_C standard deviations below the mean.
struct luck {
  double c, e;
  explicit luck(double candidates)
      : c(candidates), e(candidates > 1 ? mean_largest_normal(candidates) : 0) {}
};

// Expected number of ones that t probes add at a fill of r in m bits.
inline double fewest_new_ones(double t, double r, double m, const luck& of) {
  const double b = -t * std::log1p(-1 / m), missed = std::exp(-b), zeros = m * (1 - r);
  const double mean = zeros * -std::expm1(-b);
  // Occupancy variance: t r (1-r) for a group that is small compared to m, that of a whole filter
  // if there is one group.
  const double variance = zeros * missed * (1 - missed - (1 - r) * b * missed);
  if (of.c <= 1 || variance < 1e-9 * mean) return mean;
  return variance < 25 ? min_of_binomials(mean, variance, of.c) : mean - of.e * std::sqrt(variance);
}

struct alike_groups {
  double size, number;
};
// Groups in order, the largest first. Groups of one size are merged into steps of a 64th of the
// keys and at least one group. Keys choose their group by hash, so sizes are binomial.
inline std::vector<alike_groups> groups_in_order(double n, double g) {
  const double mean = n / g, p = 1 / g, middle = std::floor(mean);
  // for larger means the order hardly matters
  std::vector<alike_groups> sizes{{g > 1 && mean <= 100 ? middle : mean, 1}};
  if (g > 1 && mean <= 100) {
    for (double s = middle, w = 1; s < n && w > 1e-15; ++s)
      sizes.push_back({s + 1, w *= (n - s) / (s + 1) * p / (1 - p)});
    std::reverse(sizes.begin(), sizes.end());
    for (double s = middle, w = 1; s > 0 && w > 1e-15; --s)
      sizes.push_back({s - 1, w *= s / (n - s + 1) * (1 - p) / p});
  }
  double total = 0;
  for (const auto& one : sizes) total += one.number;
  std::vector<alike_groups> steps;
  double keys = 0, groups = 0;
  for (const auto& [size, weight] : sizes) {
    groups += weight * g / total;
    keys += weight * g / total * size;
    if (groups < 1 && size != sizes.back().size) continue;
    const double pieces = std::max(1.0, std::min(std::ceil(keys * 64 / n), std::floor(groups)));
    steps.insert(steps.end(), static_cast<std::size_t>(pieces), {keys / groups, groups / pieces});
    keys = groups = 0;
  }
  return steps;
}

// The part that does not depend on the filter's shape, computed once for all shapes that a plan
// tries.
class selection_model {
 public:
  selection_model(double n, const selection& among)
      : n_(n), luck_(among.candidates), steps_(groups_in_order(n, among.groups)) {}

  [[nodiscard]] double fill(double m, double k) const {
    if (n_ <= 0) return 0;
    if (m <= 1) return 1;
    double fill = 0;
    for (const alike_groups& next : steps_) {
      if (next.size <= 0) continue;
      const auto ones = [&](double r) {
        return fewest_new_ones(k * next.size, std::clamp(r, 0.0, 1.0), m, luck_) / m;
      };
      // Many groups on few bits need smaller steps: at the middle of a long step the model would
      // meet a full filter and add nothing. If even a 64th of a step would fill all bits, the
      // filter is full.
      double first = ones(fill);
      const double wanted = 4 * next.number * first / (1 - fill);
      if (wanted > 256) return 1;
      double left = std::clamp(std::ceil(wanted), 1.0, std::max(1.0, std::floor(next.number)));
      for (const double number = next.number / left; left > 0; --left) {
        // fill at the middle group of the step
        fill += number * ones(fill + first * (number - 1) / 2);
        if (fill >= 1) return 1;
        if (left > 1) first = ones(fill);
      }
    }
    return std::min(1.0, fill);
  }
  [[nodiscard]] double fpr(double m, double k) const {
    const double share = fill(m, k);
    if (share <= 0 || share >= 1) return share;
    const double variance = bloom_variance_of_zeros(n_, m, k) / (m * m);
    return std::min(1.0, std::pow(share, k) * (1 + k * (k - 1) / 2 * variance / (share * share)));
  }
  [[nodiscard]] bloom_plan plan(std::uint64_t m, unsigned k) const {
    return {m, k,
            std::min(1.0, fpr(static_cast<double>(m), k) * (1 + selection_margin + 0.5 / n_))};
  }

 private:
  double n_;
  luck luck_;
  std::vector<alike_groups> steps_;
};

}  // namespace detail

UMBEL_INLINE double selected_fill(double n, double m, double k, const selection& among) {
  return detail::selection_model(n, among).fill(m, k);
}
UMBEL_INLINE double selected_fpr(double n, double m, double k, const selection& among) {
  return detail::selection_model(n, among).fpr(m, k);
}

UMBEL_INLINE bloom_plan plan_selected_for_bits(std::uint64_t n, std::uint64_t m,
                                               const selection& among, unsigned probes) {
  const auto keys = static_cast<double>(std::max<std::uint64_t>(n, 1));
  const detail::selection_model model(keys, among);
  if (probes != 0) return model.plan(m, probes);
  // Fewer ones allow more probes than (m/n) ln 2. The rate has one minimum, slightly above that.
  const double plain = static_cast<double>(m) / keys * std::numbers::ln2;
  bloom_plan best =
      model.plan(m, static_cast<unsigned>(std::clamp(plain, 1.0, bloom_max_probes - 0.0)));
  while (best.probes < bloom_max_probes) {
    const bloom_plan next = model.plan(m, best.probes + 1);
    if (next.fpr >= best.fpr) break;
    best = next;
  }
  return best;
}

UMBEL_INLINE bloom_plan plan_selected_for_rate(std::uint64_t n, double eps, const selection& among,
                                               unsigned probes) {
  const std::uint64_t keys = std::max<std::uint64_t>(n, 1);
  const detail::selection_model model(static_cast<double>(keys), among);
  const auto smallest = [&](unsigned k) {
    const auto excess = [&](double m) {
      return rate_excess(model.plan(static_cast<std::uint64_t>(m), k).fpr, eps);
    };
    const auto most = static_cast<double>(max_bits);
    // size of a plain filter: enough, or nearly so
    auto high = static_cast<double>(bloom_bits(keys, k, eps));
    while (excess(high) > 0 && high < most) high = std::min(most, 2 * high);
    double low = std::floor(high / 4);
    while (low > 0 && excess(low) <= 0) high = std::exchange(low, std::floor(low / 4));
    high = smallest_enough(std::max(low, 0.5), high, 0x1p-20, excess);
    return model.plan(static_cast<std::uint64_t>(high), k);
  };
  if (probes != 0) return smallest(probes);
  // The size has one minimum over k, near log2(1/eps).
  bloom_plan best =
      smallest(static_cast<unsigned>(std::clamp(-std::log2(eps) - 1, 1.0, bloom_max_probes - 0.0)));
  while (best.probes < bloom_max_probes) {
    const bloom_plan next = smallest(best.probes + 1);
    if (next.bits >= best.bits) break;
    best = next;
  }
  return best;
}

}  // namespace umbel::sizing
