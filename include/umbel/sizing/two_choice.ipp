// sizing/two_choice.ipp - bodies of sizing/two_choice.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <umbel/sizing/two_choice.hpp>

namespace umbel::sizing {

UMBEL_INLINE double two_choice_fpr_at(double rho, unsigned k, unsigned g) {
  return -std::expm1(g * std::log1p(-std::pow(rho, k)));
}

namespace detail {

// Clear bits get rare exponentially, so a fill is represented by s = -ln(1 - rho): the share of
// clear bits is e^-s without cancellation.
inline constexpr double two_choice_full = 40;  // e^-40 of 2^56 bits is less than one

inline new_bits min_new_bits(double s, unsigned k, unsigned g) {
  const double clear = std::exp(-s), set = -std::expm1(-s);
  if (set <= 0) return {static_cast<double>(k), 0};
  // Binomial weights from the mode outwards, so that no relevant weight underflows.
  std::array<double, bloom_max_probes + 1> odds;
  const double ratio = clear / set;
  const auto likely = std::min(k, static_cast<unsigned>((k + 1) * clear));
  double sum = odds[likely] = 1;
  for (unsigned j = likely; j < k; ++j) sum += odds[j + 1] = odds[j] * (k - j) / (j + 1) * ratio;
  for (unsigned j = likely; j > 0; --j) sum += odds[j - 1] = odds[j] * j / (k - j + 1) / ratio;
  double tail = 0, mean = 0, squares = 0;  // the minimum is at least j if all are: P(X >= j)^g
  for (unsigned j = k; j > 0; --j) {
    tail += odds[j] / sum;
    double all = tail;
    for (unsigned i = 1; i < g; ++i) all *= tail;
    mean += all;
    squares += (2.0 * j - 1) * all;
  }
  return {mean, std::max(0.0, squares - mean * mean)};
}

// Simpson's rule over panels that are narrow where few bits are set (E bends there within 1/k) and
// equal later on. The panel edges do not depend on the end, so `integral` and `reach` are inverses
// to the last digits.
template <class Slope>
class paneled {
 public:
  paneled(Slope slope, unsigned k) : slope_(slope), first_(1.0 / k) {}

  [[nodiscard]] double integral(double end) const {
    double s = 0, sum = 0;
    for (double left = slope_(0); s < end;) {
      const double h = std::min(panel(s), end - s), right = slope_(s + h);
      sum += piece(s, h, left, right);
      s += h;
      left = right;
    }
    return sum;
  }
  // The s at which the integral is `target`; at most `two_choice_full`.
  [[nodiscard]] double reach(double target) const {
    double s = 0, left = slope_(0);
    while (s < two_choice_full) {
      const double h = panel(s), right = slope_(s + h), more = piece(s, h, left, right);
      if (more >= target) return s + part(s, h, left, target, h * target / more);
      target -= more;
      s += h;
      left = right;
    }
    return two_choice_full;
  }

 private:
  [[nodiscard]] double panel(double s) const { return std::min(1.0 / 32, (s + first_) / 8); }
  [[nodiscard]] double piece(double s, double h, double left, double right) const {
    return h / 6 * (left + 4 * slope_(s + h / 2) + right);
  }
  // The width of a panel with this integral, by Newton's method.
  [[nodiscard]] double part(double s, double h, double left, double target, double w) const {
    for (int round = 0; round < 8; ++round) {
      const double right = slope_(s + w), off = target - piece(s, w, left, right);
      w = std::clamp(w + off / right, 0.0, h);
      if (std::abs(off) <= target * 1e-15) break;
    }
    return w;
  }

  Slope slope_;
  double first_;
};

// n/m as a function of s: d rho = e^-s ds.
[[nodiscard]] inline auto two_choice_load(unsigned k, unsigned g) {
  return paneled([=](double s) { return std::exp(-s) / min_new_bits(s, k, g).mean; }, k);
}

// Hill climbing from a guess to the number of probes with the largest worth, which must be
// unimodal.
template <class Worth>
[[nodiscard]] unsigned climb(double guess, Worth&& worth) {
  auto best = static_cast<unsigned>(
      std::clamp(std::round(guess), 1.0, static_cast<double>(bloom_max_probes)));
  double most = worth(best);
  const auto walk = [&](unsigned end, unsigned step) {
    for (; best != end; best += step) {
      const double next = worth(best + step);
      if (next <= most) break;
      most = next;
    }
  };
  walk(bloom_max_probes, 1);
  walk(1, ~0U);  // adds -1
  return best;
}

// The s at which the rate is eps.
[[nodiscard]] inline double two_choice_limit(double eps, unsigned k, unsigned g) {
  const double group = -std::expm1(std::log1p(-eps) / g);  // the rate of one group
  return std::min(-std::log1p(-std::pow(group, 1.0 / k)), two_choice_full);
}
struct two_choice_fit {
  unsigned probes;
  double load;  // the most keys per bit that keep the rate
};
[[nodiscard]] inline two_choice_fit fit_two_choice(double eps, unsigned g, unsigned probes) {
  const auto load = [&](unsigned k) {
    return two_choice_load(k, g).integral(two_choice_limit(eps, k, g));
  };
  const unsigned k = probes != 0 ? probes : climb(std::log2(g / eps), load);
  return {k, load(k)};
}
}  // namespace detail

UMBEL_INLINE new_bits two_choice_new_bits(double rho, unsigned k, unsigned g) {
  return detail::min_new_bits(-std::log1p(-rho), k, g);
}

UMBEL_INLINE double two_choice_fill(double c, unsigned k, unsigned g) {
  return -std::expm1(-detail::two_choice_load(k, g).reach(1 / c));
}

UMBEL_INLINE double two_choice_bits_per_key(double rho, unsigned k, unsigned g) {
  return 1 / detail::two_choice_load(k, g).integral(
                 std::min(-std::log1p(-rho), detail::two_choice_full));
}

UMBEL_INLINE double two_choice_fpr(double c, unsigned k, unsigned g) {
  return two_choice_fpr_at(two_choice_fill(c, k, g), k, g);
}

UMBEL_INLINE unsigned two_choice_probes(double c, unsigned g) {
  return detail::climb(c * std::numbers::ln2, [&](unsigned k) { return -two_choice_fpr(c, k, g); });
}

UMBEL_INLINE two_choice_estimate two_choice_cardinality(double rho, double m, unsigned k,
                                                        unsigned g) {
  const double s = std::min(-std::log1p(-rho), detail::two_choice_full);
  // Each key adds variance v and pulls earlier deviations back by E', so Var(ones) = m
  // E^2 * integral of v/E^3 d rho. A deviation of the ones by E is one key.
  const detail::paneled spread(
      [=](double at) {
    const auto [mean, variance] = detail::min_new_bits(at, k, g);
    return std::exp(-at) * variance / (mean * mean * mean);
      },
      k);
  return {m * detail::two_choice_load(k, g).integral(s), std::sqrt(m * spread.integral(s))};
}

UMBEL_INLINE double two_choice_fpr_exact(std::uint64_t n, std::uint64_t m, unsigned k, unsigned g) {
  const auto size = static_cast<double>(m);
  const std::uint64_t states = m + 1;
  // step[i * (k + 1) + j]: with i bits set, the best group adds j.
  std::vector<double> step(states * (k + 1)), one(k + 1);
  for (std::uint64_t i = 0; i <= m; ++i) {
    one.assign(k + 1, 0);
    one[0] = 1;
    // a probe hits a set bit, a bit of an earlier probe, or a new one
    for (unsigned probe = 0; probe < k; ++probe)
      for (unsigned j = probe + 1; j-- > 0;) {
        const double fresh = std::max(0.0, (size - static_cast<double>(i) - j) / size);
        one[j + 1] += one[j] * fresh;
        one[j] *= 1 - fresh;
      }
    double tail = 0, above = 0;
    for (unsigned j = k + 1; j-- > 0;) {
      const double least = std::pow(tail += one[j], g);
      step[i * (k + 1) + j] = least - above;
      above = least;
    }
  }
  std::vector<double> odds(states + k, 0.0), next;
  odds[0] = 1;
  for (std::uint64_t key = 0; key < n; ++key) {
    next.assign(states + k, 0.0);
    for (std::uint64_t i = 0; i <= std::min(m, key * k); ++i)
      for (unsigned j = 0; j <= k; ++j) next[i + j] += odds[i] * step[i * (k + 1) + j];
    odds.swap(next);
  }
  double rate = 0;
  for (std::uint64_t i = 1; i <= m; ++i)
    rate += odds[i] * two_choice_fpr_at(static_cast<double>(i) / size, k, g);
  return std::min(1.0, rate);
}

UMBEL_INLINE bloom_plan plan_two_choice_for_bits(std::uint64_t n, std::uint64_t m, unsigned g,
                                                 unsigned probes) {
  const double c = static_cast<double>(m) / static_cast<double>(std::max<std::uint64_t>(n, 1));
  const unsigned k = probes != 0 ? probes : two_choice_probes(c, g);
  if (n == 0) return {m, k, 0};
  const bool small = m <= 1024 && k <= 64 && n <= 8192 / k;
  return {m, k, small ? two_choice_fpr_exact(n, m, k, g) : two_choice_fpr(c, k, g)};
}

UMBEL_INLINE bloom_plan plan_two_choice_for_rate(std::uint64_t n, double eps, unsigned g,
                                                 unsigned probes) {
  const std::uint64_t keys = std::max<std::uint64_t>(n, 1);
  const auto fit = detail::fit_two_choice(eps, g, probes);
  std::uint64_t m = detail::to_count(std::ceil(static_cast<double>(keys) / fit.load));
  auto plan = plan_two_choice_for_bits(keys, m, g, fit.probes);
  // small filters have a higher rate than the limit predicts: grow until it fits
  while (plan.fpr > eps && m <= 1024)
    plan = plan_two_choice_for_bits(keys, m += 1 + m / 64, g, fit.probes);
  return plan;
}

UMBEL_INLINE bloom_room two_choice_room_for(std::uint64_t m, double eps, unsigned g,
                                            unsigned probes) {
  const auto fit = detail::fit_two_choice(eps, g, probes);
  auto n = static_cast<std::uint64_t>(std::min(static_cast<double>(m) * fit.load, 1.8e19));
  while (m <= 1024 && n > 0 && plan_two_choice_for_bits(n, m, g, fit.probes).fpr > eps)
    n -= 1 + n / 64;
  return {n, fit.probes};
}

}  // namespace umbel::sizing
