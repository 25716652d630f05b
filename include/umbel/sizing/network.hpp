// sizing/network.hpp - what filters in packets and routing tables err, and by how much a decayed signature fades.
// Words      m bits, k ones of a mask (all different) or probes of a key, h masks in a packet, rho the share of ones.
// Source     [WW02] (loops), [JZA09] (links), [KXZ05] (decay), [Sno01] (traceback), [TRL12] sec. IV.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

namespace umbel::sizing {

// Share of ones after h masks of k ones each.
[[nodiscard]] inline double mask_fill(double m, double k, double h) { return -std::expm1(h * std::log1p(-k / m)); }
// The next mask lies within h others: a node's false alarm of a loop at its hop h, a link that no tree has asked for.
[[nodiscard]] inline double mask_fpr(double m, double k, double h) { return std::pow(mask_fill(m, k, h), k); }

// Some node of a path of so many hops gives a false alarm.
[[nodiscard]] inline double loop_alarm(double m, double k, unsigned hops) {
  double quiet = 1;
  for (unsigned h = 1; h < hops; ++h) quiet *= 1 - mask_fpr(m, k, h);
  return 1 - quiet;
}
// The number of ones with the fewest false alarms on paths of that length.
[[nodiscard]] inline unsigned loop_ones(double m, unsigned hops) {
  unsigned best = 1;
  for (unsigned k = 2; k <= m / 2; ++k)
    if (loop_alarm(m, k, hops) < loop_alarm(m, best, hops)) best = k;
  return best;
}
// Fields worth their bits, with ones for paths of 10 to 20 hops. The alarms of each are in doc/guide/networks.md.
struct loop_preset {
  unsigned bits, ones;
};
inline constexpr std::array<loop_preset, 3> loop_presets{{{64, 4}, {128, 6}, {256, 9}}};
[[nodiscard]] constexpr unsigned loop_usual_ones(unsigned bits) {
  for (const loop_preset& preset : loop_presets)
    if (bits <= preset.bits) return preset.ones;
  return loop_presets.back().ones;
}

// A zFilter fuller than this is dropped: it would flood the network, by chance or by intent.
inline constexpr double link_most_fill = 0.7;

// Probes of a key that still hit after y decays by the factor d, over a background of ones rho.
[[nodiscard]] inline double decayed_theta(double k, double d, double y, double rho) {
  return k * (1 - (1 - std::pow(d, -y)) * (1 - rho));
}
// Probes of a stranger that hit: the mean and its deviation; and what more than that is taken for a signal.
[[nodiscard]] inline double noise_mean(double k, double rho) { return k * rho; }
[[nodiscard]] inline double noise_deviation(double k, double rho) { return std::sqrt(k * rho * (1 - rho)); }
inline constexpr double signal_deviations = 3;
[[nodiscard]] inline double noise_level(double k, double rho) {
  return noise_mean(k, rho) + signal_deviations * noise_deviation(k, rho);
}

// Routers beside a path that seem to have seen a packet, for each router on it with that many other neighbours.
[[nodiscard]] inline double trace_branches(double neighbours, double f) { return neighbours * f; }

}  // namespace umbel::sizing
