// sizing/hash_compaction.ipp - bodies of hash_compaction.hpp.
#pragma once

#include <umbel/sizing/hash_compaction.hpp>

#include <algorithm>
#include <cmath>

#include <umbel/base/integers.hpp>

namespace umbel::sizing {
namespace detail {

// Q_0(m, n) - 1, in the limit a s: the sum of n (n-1) ... (n-k+1) / m^k over k >= 1.
[[nodiscard]] inline double compaction_crowding(double n, double m) {
  double sum = 0, term = 1;
  for (double k = 0; k < n && term > 1e-12 * sum; ++k) sum += term *= (n - k) / m;
  return sum;
}

// The widths that can be best for a rate: at load `compaction_max_load` a table needs 6.6 bits more
// than log2(1/eps).
struct compaction_widths {
  unsigned first, last;
};
[[nodiscard]] inline compaction_widths compaction_widths_for(double eps) {
  const double least = std::floor(-std::log2(eps)) - 1;
  return {static_cast<unsigned>(std::clamp(least, 1.0, 64.0)),
          static_cast<unsigned>(std::clamp(least + 9, 1.0, 64.0))};
}

// Binary search: the least x in [low, high] that satisfies `holds`, which must be true for high and
// monotone.
template <class Holds>
[[nodiscard]] std::uint64_t compaction_least(std::uint64_t low, std::uint64_t high, Holds&& holds) {
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (holds(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return high;
}

}  // namespace detail

UMBEL_INLINE double compaction_probes(double load) { return (1 + 1 / (1 - load)) / 2; }
UMBEL_INLINE double compaction_insert_probes(double load) {
  return (1 + 1 / ((1 - load) * (1 - load))) / 2;
}

// Free slots cut the table into runs of home slots that end in them; their lengths are independent
// and identically distributed. A layer takes a run of length g with probability 1 - q^g,
// q = e^(-a/V). A run that it does not take absorbs the taken runs before it. With f(z) = E z^g, f
// becomes f(zq) / (1 - f(z) + f(zq)), and a search in this layer succeeds with probability 1 - E g
// q^g / E g. Only f(q^j) and its derivative are needed.
UMBEL_INLINE double compaction_fpr_by_layers(double a, unsigned fingerprints) {
  const unsigned layers = std::min(fingerprints, compaction_max_layers);
  // at z = q^j: f(z), and z times its derivative
  double f[compaction_max_layers + 1], d[compaction_max_layers + 1];
  for (unsigned j = 0; j <= layers; ++j) f[j] = d[j] = std::exp(-a * j / layers);
  double sum = 0;
  for (unsigned left = layers; left > 0; --left) {
    sum += 1 - d[1] / d[0];
    for (unsigned j = 0; j < left; ++j) {
      const double all = 1 - f[j] + f[j + 1], slope = d[j + 1] - d[j];
      d[j] = (d[j + 1] * all - f[j + 1] * slope) / (all * all);
      f[j] = f[j + 1] / all;
    }
  }
  return sum / layers;
}

UMBEL_INLINE double compaction_fpr(std::uint64_t n, std::uint64_t m, unsigned r) {
  if (n == 0) return 0;
  const auto keys = static_cast<double>(n), slots = static_cast<double>(m);
  if (r == 1) return m == 1 ? 1 : -std::expm1(keys * std::log1p(-1 / slots));
  // A finite table is as crowded as an infinite one of a lower load. The formulas below use that
  // load.
  const double crowding = detail::compaction_crowding(keys, slots), s = 1 + crowding;
  const double fingerprints = std::exp2(r) - 1;
  if (r <= 5) return compaction_fpr_by_layers(crowding / s, (1U << r) - 1);
  // With shared slots the rate is c/V - c d/V^2 + ..., with d as below. The next term was fitted to
  // the layers: within 1 % for V >= 63 and rates up to 0.05, and too high beyond.
  const double d = 7 * s * s / 6 - s - 1 / (6 * s);
  return std::min(1.0, crowding / (fingerprints + d / (1 + 0.78 * d / fingerprints)));
}

UMBEL_INLINE compaction_plan plan_compaction_for_rate(std::uint64_t n, double eps, double load) {
  const std::uint64_t keys = std::max<std::uint64_t>(n, 1);
  const auto least = static_cast<std::uint64_t>(std::ceil(static_cast<double>(keys) / load));
  const auto [first, last] = detail::compaction_widths_for(eps);
  compaction_plan best{n, 0, 0, 0};
  for (unsigned r = first; r <= last; ++r) {
    const auto holds = [&](std::uint64_t m) { return compaction_fpr(keys, m, r) <= eps; };
    std::uint64_t most = std::max<std::uint64_t>(least, 2);
    while (!holds(most)) most *= 2;  // the rate is about n / (m V), so this ends soon
    const std::uint64_t m = detail::compaction_least(least, most, holds);
    if (best.slots == 0 ||
        static_cast<double>(m) * r < static_cast<double>(best.slots) * best.width)
      best = {n, m, r, compaction_fpr(n, m, r)};
  }
  return best;
}

UMBEL_INLINE compaction_plan plan_compaction_for_bits(std::uint64_t n, std::uint64_t bits,
                                                      double load) {
  const std::uint64_t keys = std::max<std::uint64_t>(n, 1);
  compaction_plan best{n, bits, 1, compaction_fpr(keys, bits, 1)};
  for (unsigned r = 2; r <= 64 && static_cast<double>(keys) <= load * static_cast<double>(bits / r);
       ++r)
    if (const double fpr = compaction_fpr(keys, bits / r, r); fpr < best.fpr)
      best = {n, bits / r, r, fpr};
  if (n == 0) best.fpr = 0;
  return best;
}

UMBEL_INLINE compaction_plan compaction_room_for(std::uint64_t bits, double eps, double load) {
  const auto [first, last] = detail::compaction_widths_for(eps);
  compaction_plan best{0, bits / first, first, 0};
  for (unsigned r = first; r <= last; ++r) {
    const std::uint64_t m = bits / r;
    const auto most = static_cast<std::uint64_t>(load * static_cast<double>(m));
    const auto over = [&](std::uint64_t n) { return n > most || compaction_fpr(n, m, r) > eps; };
    if (const std::uint64_t n = detail::compaction_least(1, most + 1, over) - 1; n > best.keys)
      best = {n, m, r, compaction_fpr(n, m, r)};
  }
  return best;
}

}  // namespace umbel::sizing
