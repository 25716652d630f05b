// sizing/popularity.ipp - bodies of sizing/popularity.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <queue>
#include <utility>

#include <umbel/sizing/bloom.hpp>
#include <umbel/sizing/popularity.hpp>

namespace umbel::sizing {

UMBEL_INLINE std::vector<double> non_member_shares(std::span<const popularity> classes) {
  std::vector<double> out;
  double sum = 0;
  for (const popularity& c : classes)
    sum += out.emplace_back(c.objects * c.queries * (1 - c.membership));
  for (double& r : out) r = sum > 0 ? r / sum : 0;
  return out;
}

UMBEL_INLINE std::vector<double> real_probes(std::span<const popularity> classes, double m,
                                             double most) {
  const auto shares = non_member_shares(classes);
  std::vector<double> out(classes.size());
  // All numbers for a given constant, and their cost, which falls as the constant rises.
  const auto cost_at = [&](double constant) {
    double cost = 0;
    for (std::size_t i = 0; i < classes.size(); ++i) {
      const double set = classes[i].objects * classes[i].membership;
      out[i] = shares[i] <= 0 ? 0
               : set <= 0     ? most
                              : std::clamp(std::log2(shares[i] / set) - constant, 0.0, most);
      cost += set * out[i];
    }
    return cost;
  };
  double low = -4096, high = 4096;  // importances are quotients of doubles: within +-2100
  for (int round = 0; round < 200; ++round) {
    const double middle = (low + high) / 2;
    (cost_at(middle) > m * std::numbers::ln2 ? low : high) = middle;
  }
  (void)cost_at(high);  // sets `out` to the solution within the budget
  return out;
}

UMBEL_INLINE std::vector<unsigned> whole_probes(std::span<const popularity> classes, double m,
                                                unsigned most) {
  const auto shares = non_member_shares(classes);
  const auto real = real_probes(classes, m, most);
  std::vector<unsigned> out;
  double left = m * std::numbers::ln2 * (1 + 1e-12);
  for (std::size_t i = 0; i < classes.size(); ++i) {
    out.push_back(static_cast<unsigned>(real[i] + 1e-9));
    left -= classes[i].objects * classes[i].membership * out[i];
  }
  // Greedy: the gain of one more probe per bit it sets, the largest first.
  std::priority_queue<std::pair<double, std::size_t>> gains;
  const auto offer = [&](std::size_t i) {
    const double set = classes[i].objects * classes[i].membership;
    if (set > 0 && shares[i] > 0 && out[i] < most)
      gains.emplace(shares[i] * std::exp2(-static_cast<double>(out[i] + 1)) / set, i);
  };
  for (std::size_t i = 0; i < classes.size(); ++i) offer(i);
  while (!gains.empty()) {
    const std::size_t i = gains.top().second;
    gains.pop();
    const double cost = classes[i].objects * classes[i].membership;
    if (cost > left) continue;  // it will not fit later either
    left -= cost;
    ++out[i];
    offer(i);
  }
  return out;
}

UMBEL_INLINE double popular_error(std::span<const popularity> classes,
                                  std::span<const double> probes) {
  const auto shares = non_member_shares(classes);
  double sum = 0;
  for (std::size_t i = 0; i < classes.size(); ++i) sum += shares[i] * std::exp2(-probes[i]);
  return sum;
}

UMBEL_INLINE double popular_cost(std::span<const popularity> classes,
                                 std::span<const unsigned> probes) {
  double cost = 0;
  for (std::size_t i = 0; i < classes.size(); ++i)
    cost += classes[i].objects * classes[i].membership * probes[i];
  return cost;
}

UMBEL_INLINE double popular_fpr(std::span<const popularity> classes,
                                std::span<const unsigned> probes, double m) {
  const auto shares = non_member_shares(classes);
  const double fill = -std::expm1(-popular_cost(classes, probes) / m);
  double sum = 0;
  for (std::size_t i = 0; i < classes.size(); ++i) sum += shares[i] * std::pow(fill, probes[i]);
  return sum;
}

UMBEL_INLINE popular_report report_popular(std::span<const popularity> classes,
                                           std::span<const unsigned> probes, double m,
                                           double table_bits) {
  double n = 0;
  for (const popularity& c : classes) n += c.objects * c.membership;
  const auto plain = [&](double bits) {
    double best = 1;
    for (unsigned k = 1; k <= bloom_max_probes; ++k) {
      const double eps = bloom_fpr_asymptotic(n, bits, k);
      if (eps > best) break;  // unimodal in k
      best = eps;
    }
    return best;
  };
  return {popular_fpr(classes, probes, m), plain(m), plain(m + table_bits)};
}

UMBEL_INLINE std::vector<popularity> popularity_from(std::span<const std::uint64_t> in_sets,
                                                     std::uint64_t sets,
                                                     std::span<const std::uint64_t> asked) {
  std::vector<popularity> out;
  for (std::size_t i = 0; i < std::min(in_sets.size(), asked.size()); ++i)
    out.push_back(
        {static_cast<double>(asked[i]) + 1,
         (static_cast<double>(std::min(in_sets[i], sets)) + 1) / (static_cast<double>(sets) + 2)});
  return out;
}

UMBEL_INLINE std::vector<popularity> hot_and_cold(double objects, double membership,
                                                  double hot_share, double query_share) {
  return {{query_share / hot_share, membership, objects * hot_share},
          {(1 - query_share) / (1 - hot_share), membership, objects * (1 - hot_share)}};
}

}  // namespace umbel::sizing
