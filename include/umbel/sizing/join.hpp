// sizing/join.hpp - Bloom joins [ML86]: traffic of finding common keys through a filter, and the
// filter with the least traffic.
//
// C(b) = n1 b + t (j + (n2 - j) f(b)). It is minimal where n1 = t (n2 - j) f ln2 / h: there, one
// more bit for every key of A costs what it saves in false candidates. If that needs f >= 1, no
// filter pays.
//
// Symbols    A has n1 keys and sends a filter of b bits per key. B has n2 rows of t bits, j of
//            which match, and sends those that the filter accepts. The false positive rate is
//            f(b) = 2^-((b - c)/h): c bits before the first halving, h bits per halving.
// Source     [ML86] for the exchange, [BM04] sec. 3.2. The optimum for any h and c is derived here.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

namespace umbel::sizing {

// How the false positive rate of a filter kind falls with its bits per key.
struct rate_law {
  double bits_per_halving = 1 / std::numbers::ln2;  // h
  double fixed_bits = 0;                            // c
  [[nodiscard]] double fpr(double bits) const {
    return std::min(1.0, std::exp2((fixed_bits - bits) / bits_per_halving));
  }
  [[nodiscard]] double bits(double fpr) const {
    return fixed_bits - bits_per_halving * std::log2(fpr);
  }
};
inline constexpr rate_law bloom_law{};
inline constexpr rate_law fuse_law{1.13, 0};   // at a million keys
inline constexpr rate_law golomb_law{1, 1.6};  // Golomb-Rice code with its entry points
// accurate to 0.3 bits for rates from 2^-8 to 2^-30
inline constexpr rate_law hash_compaction_law{1.08, 3.8};

struct join_sizes {
  double first = 0;      // n1
  double second = 0;     // n2
  double common = 0;     // j, counted in rows of B
  double key_bytes = 8;  // of a key of A
  double row_bytes = 8;  // t/8: sent for every row of B, including the key
};

enum class join_way { filter, first_whole, second_whole };

struct join_plan {
  double bits_per_key = 0;  // of the filter; 0 if no filter pays
  double fpr = 1;
  double filter_bytes = 0;        // A to B
  double candidate_bytes = 0;     // B to A
  double first_whole_bytes = 0;   // alternative: A sends its keys, B the matching rows
  double second_whole_bytes = 0;  // alternative: B sends all rows
  [[nodiscard]] double total_bytes() const { return filter_bytes + candidate_bytes; }
  [[nodiscard]] join_way cheapest() const {
    const double best = std::min({total_bytes(), first_whole_bytes, second_whole_bytes});
    if (second_whole_bytes == best) return join_way::second_whole;
    return first_whole_bytes == best ? join_way::first_whole : join_way::filter;
  }
};

// The traffic with a filter of this many bits per key.
[[nodiscard]] inline join_plan join_cost(const join_sizes& of, double bits_per_key,
                                         const rate_law& law = bloom_law) {
  const double common = std::clamp(of.common, 0.0, of.second), fpr = law.fpr(bits_per_key);
  return {.bits_per_key = bits_per_key,
          .fpr = fpr,
          .filter_bytes = of.first * bits_per_key / 8,
          .candidate_bytes = of.row_bytes * (common + (of.second - common) * fpr),
          .first_whole_bytes = of.first * of.key_bytes + common * of.row_bytes,
          .second_whole_bytes = of.second * of.row_bytes};
}

// The filter with the least traffic.
[[nodiscard]] inline join_plan plan_join(const join_sizes& of, const rate_law& law = bloom_law) {
  const double non_members = of.second - std::clamp(of.common, 0.0, of.second);
  const double fpr =
      of.first * law.bits_per_halving / (8 * of.row_bytes * non_members * std::numbers::ln2);
  const join_plan none = join_cost(of, 0, law);
  if (!(fpr > 0 && fpr < 1)) return none;
  const join_plan best = join_cost(of, law.bits(fpr), law);
  // the fixed bits may cost more than the filter saves
  return best.total_bytes() < none.total_bytes() ? best : none;
}

}  // namespace umbel::sizing
