// sizing/selection.hpp - filters that choose among hashes at build time: how many ones choosing
// saves.
// Idea       A group of s keys throws t = ks probes at m bits, of which a share r is set. The bits
//            it sets anew are a binomial draw, the fewest of C draws being what is kept: nearly e_C
//            sqrt(t r (1-r)) fewer than the mean. Groups follow each other, the largest first, each
//            meeting the fill that those before it left.
// Words      As sizing/bloom.hpp; g groups, C candidates. One group of all keys is the best of C
//            whole filters.
// Limits     Against built filters within 1 % from 100 keys on, within 3 % from 8 keys on, 10 %
//            below. Plans add a margin, so that they err on the high side. Refinements are not
//            counted on.
// Source     [HKL07], [JCR07] for the schemes; [TRL12] sec. II-C and IV-F; the recurrence is our
//            own.
#pragma once

#include <cstdint>

#include <umbel/base/config.hpp>
#include <umbel/sizing/bloom.hpp>

namespace umbel::sizing {

inline constexpr std::uint64_t selection_keys_per_group = 4;
inline constexpr unsigned selection_max_choice_bits = 8;

// e_C: the mean of the largest of C standard normal draws.
[[nodiscard]] double mean_largest_normal(double count);

struct selection {
  double groups = 1;      // g
  double candidates = 1;  // C
};
// Share of ones after n keys.
[[nodiscard]] double selected_fill(double n, double m, double k, const selection& among);
// Its k-th power, and what the spread of the fill adds: that of a plain filter, which is wider.
[[nodiscard]] double selected_fpr(double n, double m, double k, const selection& among);

// Plans of the bits alone, without what remembers the choices. `probes` 0 means: choose. What is
// promised is the rate and this share of it, and half a key's share: more than the model was ever
// found low.
inline constexpr double selection_margin = 0.01;
[[nodiscard]] bloom_plan plan_selected_for_rate(std::uint64_t n, double eps, const selection& among,
                                                unsigned probes = 0);
[[nodiscard]] bloom_plan plan_selected_for_bits(std::uint64_t n, std::uint64_t m,
                                                const selection& among, unsigned probes = 0);

}  // namespace umbel::sizing

#if UMBEL_WITH_BODIES
#include <umbel/sizing/selection.ipp>
#endif
