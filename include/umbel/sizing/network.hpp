// sizing/network.hpp - what filters in packets and routing tables err, and by how much a decayed
// signature fades.
// Words      m bits, k ones of a mask (all different) or probes of a key, h masks in a packet, rho
//            the share of ones.
// Source     [WW02] (loops), [JZA09] (links), [KXZ05] (decay), [Sno01] (traceback), [TRL12] sec.
//            IV.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace umbel::sizing {

// A field with j ones contains the next mask: C(j, k) / C(m, k), since a mask's ones are different.
[[nodiscard]] inline double mask_match(unsigned m, unsigned k, unsigned j) {
  double match = 1;
  for (unsigned i = 0; i < k; ++i) match *= j > i ? static_cast<double>(j - i) / (m - i) : 0;
  return match;
}

// How many ones fields of m bits have after some masks of k ones each: the probability of every
// number, exactly. A mask shares o of its ones with a field of j ones with probability
// C(j, o) C(m - j, k - o) / C(m, k).
class mask_ones {
 public:
  mask_ones(unsigned m, unsigned k) : m_(m), k_(k), of_(m + 1), overlap_(k + 1) { of_[0] = 1; }

  // Every field takes one mask more.
  void add() { step(true); }
  // The same, but fields that contain their mask already are dropped. Returns their share.
  double add_new() { return step(false); }

  [[nodiscard]] double match() const {
    double sum = 0;
    for (unsigned j = 0; j <= m_; ++j) sum += of_[j] * mask_match(m_, k_, j);
    return sum;
  }
  // Of the emptiest of so many independent fields.
  [[nodiscard]] double match_of_emptiest(unsigned fields) const {
    double sum = 0, more = 1;  // the chance that every field has at least j ones
    double fuller = 1;         // the chance that one has more than j
    for (unsigned j = 0; j <= m_; ++j) {
      fuller = std::max(0.0, fuller - of_[j]);
      const double next = std::pow(fuller, fields);
      sum += (more - next) * mask_match(m_, k_, j);
      more = next;
    }
    return sum;
  }

 private:
  double step(bool keep) {
    std::vector<double> next(of_.size());
    double contained = 0;
    for (unsigned j = 0; j <= m_; ++j) {
      if (of_[j] == 0) continue;
      find_overlaps(j);
      for (unsigned o = 0; o < k_; ++o)
        if (overlap_[o] != 0) next[j + k_ - o] += of_[j] * overlap_[o];
      contained += of_[j] * overlap_[k_];
      if (keep) next[j] += of_[j] * overlap_[k_];
    }
    of_.swap(next);
    return contained;
  }
  // The hypergeometric probabilities at j ones, from the most likely overlap outwards: the first
  // factors of the least likely ones would be too small for a double.
  void find_overlaps(unsigned j) {
    const unsigned least = k_ + j > m_ ? k_ + j - m_ : 0, most = std::min(j, k_);
    const auto mode = static_cast<unsigned>((j + 1.0) * (k_ + 1.0) / (m_ + 2.0));
    const unsigned start = std::clamp(mode, least, most);
    const auto ratio = [&](unsigned o) {  // of overlap o + 1 to overlap o
      return static_cast<double>(j - o) * (k_ - o) / ((o + 1.0) * (m_ + o + 1.0 - j - k_));
    };
    std::fill(overlap_.begin(), overlap_.end(), 0.0);
    double sum = overlap_[start] = 1;
    for (unsigned o = start; o < most; ++o) sum += overlap_[o + 1] = overlap_[o] * ratio(o);
    for (unsigned o = start; o > least; --o) sum += overlap_[o - 1] = overlap_[o] / ratio(o - 1);
    for (double& share : overlap_) share /= sum;
  }

  unsigned m_, k_;
  std::vector<double> of_;       // by number of ones
  std::vector<double> overlap_;  // of the field in work, by ones shared
};

// Share of ones after h masks of k ones each.
[[nodiscard]] inline double mask_fill(double m, double k, double h) {
  return -std::expm1(h * std::log1p(-k / m));
}
// The next mask lies within h others: a node's false alarm of a loop at its hop h, a link outside
// the tree that is followed. With several tables the masks are those of the table that sets the
// fewest bits.
[[nodiscard]] inline double mask_fpr(unsigned m, unsigned k, unsigned h, unsigned tables = 1) {
  mask_ones field(m, k);
  for (unsigned i = 0; i < h; ++i) field.add();
  return tables == 1 ? field.match() : field.match_of_emptiest(tables);
}

// Some node of a path of so many hops gives a false alarm.
[[nodiscard]] inline double loop_alarm(unsigned m, unsigned k, unsigned hops) {
  mask_ones field(m, k);
  double alarm = 0;
  for (unsigned h = 0; h < hops; ++h) alarm += field.add_new();
  return alarm;
}
// The number of ones with the fewest false alarms on paths of that length.
[[nodiscard]] inline unsigned loop_ones(unsigned m, unsigned hops) {
  unsigned best = 1;
  double fewest = loop_alarm(m, best, hops);
  for (unsigned k = 2; k <= m / 2; ++k)
    if (const double alarm = loop_alarm(m, k, hops); alarm < fewest) fewest = alarm, best = k;
  return best;
}
// Fields worth their bits, with ones for paths of 10 to 20 hops. The alarms of each are in
// doc/guide/networks.md.
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
inline constexpr double link_max_fill = 0.7;

// Probes of a key that still hit after y decays by the factor d, over a background of ones rho.
[[nodiscard]] inline double decayed_theta(double k, double d, double y, double rho) {
  return k * (1 - (1 - std::pow(d, -y)) * (1 - rho));
}
// Probes of a non-member that hit: the mean and its deviation; and what more than that is taken for
// a signal.
[[nodiscard]] inline double noise_mean(double k, double rho) { return k * rho; }
[[nodiscard]] inline double noise_deviation(double k, double rho) {
  return std::sqrt(k * rho * (1 - rho));
}
inline constexpr double signal_deviations = 3;
[[nodiscard]] inline double noise_level(double k, double rho) {
  return noise_mean(k, rho) + signal_deviations * noise_deviation(k, rho);
}

// Routers beside a path that seem to have seen a packet, for each router on it with that many other
// neighbours.
[[nodiscard]] inline double trace_branches(double neighbours, double f) { return neighbours * f; }

}  // namespace umbel::sizing
