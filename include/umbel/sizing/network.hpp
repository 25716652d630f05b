// sizing/network.hpp - error rates of in-packet Bloom filters and routing filters [WW02], [JZA09],
// [KXZ05], [Sno01].
//
// Symbols    m bits; k distinct ones of a mask, or probes of a key; h masks in a packet; rho the
//            share of ones.
// Source     [WW02] (loop detection), [JZA09] (links), [KXZ05] (exponential decay), [Sno01]
//            (traceback), [TRL12] sec. IV.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace umbel::sizing {

// Probability that a field with j ones contains the next mask: C(j, k) / C(m, k), since the ones of
// a mask are distinct.
[[nodiscard]] inline double mask_match(unsigned m, unsigned k, unsigned j) {
  double match = 1;
  for (unsigned i = 0; i < k; ++i) match *= j > i ? static_cast<double>(j - i) / (m - i) : 0;
  return match;
}

// The exact distribution of the number of ones in a field of m bits after some masks of k ones
// each. A mask shares o of its ones with a field of j ones with probability C(j, o) C(m - j,
// k - o) / C(m, k).
class mask_ones {
 public:
  mask_ones(unsigned m, unsigned k) : m_(m), k_(k), of_(m + 1), overlap_(k + 1) { of_[0] = 1; }

  // Adds one mask to every field.
  void add() { step(true); }
  // Adds one mask, and drops the fields that contain it already. Returns their share.
  double add_new() { return step(false); }

  [[nodiscard]] double match() const {
    double sum = 0;
    for (unsigned j = 0; j <= m_; ++j) sum += of_[j] * mask_match(m_, k_, j);
    return sum;
  }
  // match() of the emptiest of `fields` independent fields.
  [[nodiscard]] double match_of_emptiest(unsigned fields) const {
    double sum = 0, more = 1;  // probability that every field has at least j ones
    double fuller = 1;         // probability that a field has more than j
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
  // The hypergeometric probabilities for j ones, computed from the mode outwards: from an end, the
  // first factors would underflow a double.
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
  std::vector<double> of_;       // indexed by number of ones
  std::vector<double> overlap_;  // of the current field, indexed by shared ones
};

// Share of ones after h masks of k ones each.
[[nodiscard]] inline double mask_fill(double m, double k, double h) {
  return -std::expm1(h * std::log1p(-k / m));
}
// Probability that the next mask is contained in h others: a false loop alarm at hop h, or a link
// outside the tree that is followed. With several tables, the masks are those of the table that
// sets the fewest bits.
[[nodiscard]] inline double mask_fpr(unsigned m, unsigned k, unsigned h, unsigned tables = 1) {
  mask_ones field(m, k);
  for (unsigned i = 0; i < h; ++i) field.add();
  return tables == 1 ? field.match() : field.match_of_emptiest(tables);
}

// Probability that some node of a path of this many hops raises a false alarm.
[[nodiscard]] inline double loop_alarm(unsigned m, unsigned k, unsigned hops) {
  mask_ones field(m, k);
  double alarm = 0;
  for (unsigned h = 0; h < hops; ++h) alarm += field.add_new();
  return alarm;
}
// The number of ones with the lowest false alarm probability on paths of that length.
[[nodiscard]] inline unsigned loop_ones(unsigned m, unsigned hops) {
  unsigned best = 1;
  double fewest = loop_alarm(m, best, hops);
  for (unsigned k = 2; k <= m / 2; ++k)
    if (const double alarm = loop_alarm(m, k, hops); alarm < fewest) fewest = alarm, best = k;
  return best;
}
// Recommended fields, with ones for paths of 10 to 20 hops. doc/guide/networks.md has their false
// alarm rates.
struct loop_preset {
  unsigned bits, ones;
};
inline constexpr std::array<loop_preset, 3> loop_presets{{{64, 4}, {128, 6}, {256, 9}}};
[[nodiscard]] constexpr unsigned loop_usual_ones(unsigned bits) {
  for (const loop_preset& preset : loop_presets)
    if (bits <= preset.bits) return preset.ones;
  return loop_presets.back().ones;
}

// A zFilter with a larger fill is dropped: it would flood the network, whether by chance or by
// attack.
inline constexpr double link_max_fill = 0.7;

// Expected probes of a key that still hit after y decays by the factor d, with a share rho of
// background ones.
[[nodiscard]] inline double decayed_theta(double k, double d, double y, double rho) {
  return k * (1 - (1 - std::pow(d, -y)) * (1 - rho));
}
// Probes of a non-member that hit: mean and standard deviation; and the level above which a count
// is taken as a signal.
[[nodiscard]] inline double noise_mean(double k, double rho) { return k * rho; }
[[nodiscard]] inline double noise_deviation(double k, double rho) {
  return std::sqrt(k * rho * (1 - rho));
}
inline constexpr double signal_deviations = 3;
[[nodiscard]] inline double noise_level(double k, double rho) {
  return noise_mean(k, rho) + signal_deviations * noise_deviation(k, rho);
}

// Expected routers beside the path that seem to have seen a packet, per router on the path with
// that many other neighbours.
[[nodiscard]] inline double trace_branches(double neighbours, double f) { return neighbours * f; }

}  // namespace umbel::sizing
