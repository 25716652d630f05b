// sizing/selection.hpp - Bloom filters with hash selection (power of choices) [HKL07], [JCR07]:
// fill and false positive rate.
//
// A group of s keys makes t = ks probes into m bits, of which a share r is set. The number of newly
// set bits is binomial, and the build keeps the fewest of C draws: about e_C sqrt(t r (1-r)) fewer
// than the mean. Groups are inserted one after another, the largest first; each meets the fill that
// the earlier ones left.
//
// Symbols    As in sizing/bloom.hpp; g groups, C candidates per group. One group of all keys is the
//            best of C whole filters.
// Limits     Agrees with built filters within 1 % from 100 keys on, within 3 % from 8 keys on,
//            within 10 % below. Plans add a margin, so that they err on the high side. Refinement
//            passes are not included.
// Source     [HKL07], [JCR07] for the schemes; [TRL12] sec. II-C and IV-F. The recurrence is new
//            here.
#pragma once

#include <cstdint>

#include <umbel/base/config.hpp>
#include <umbel/sizing/bloom.hpp>

namespace umbel::sizing {

inline constexpr std::uint64_t selection_keys_per_group = 4;
inline constexpr unsigned selection_max_choice_bits = 8;

// e_C: expected maximum of C standard normal draws.
[[nodiscard]] double mean_largest_normal(double count);

struct selection {
  double groups = 1;      // g
  double candidates = 1;  // C
};
// Share of ones after n keys.
[[nodiscard]] double selected_fill(double n, double m, double k, const selection& among);
// Its k-th power, plus the effect of the fill's variance. The variance used is that of a plain
// filter, which is larger.
[[nodiscard]] double selected_fpr(double n, double m, double k, const selection& among);

// Plans of the filter's bits, without the storage of the choices. `probes` 0 means: choose the
// number. The planned rate is the model's rate plus this share of it plus half a key's share: more
// than the model was ever found too low.
inline constexpr double selection_margin = 0.01;
[[nodiscard]] bloom_plan plan_selected_for_rate(std::uint64_t n, double eps, const selection& among,
                                                unsigned probes = 0);
[[nodiscard]] bloom_plan plan_selected_for_bits(std::uint64_t n, std::uint64_t m,
                                                const selection& among, unsigned probes = 0);

}  // namespace umbel::sizing

#if UMBEL_WITH_BODIES
#include <umbel/sizing/selection.ipp>
#endif
