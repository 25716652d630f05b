// sizing/two_choice.hpp - two-choice Bloom filters [LM07]: fill and false positive rate when each
// key chooses among groups of probes.
//
// A group sets Binomial(k, 1 - rho) new bits, and a key adds the least of g such numbers. With its
// mean E(rho), rho grows by E(rho)/m per key. In the limit of many keys the fill solves d
// rho / d(n/m) = E(rho), so n/m = integral of d rho / E(rho): one integral gives the size for a
// fill, its inverse the fill for a size. Neither takes longer for more keys.
//
// Symbols    n keys, m bits, c = m/n, g groups of k probes, rho the share of bits set.
// Limits     The limit neglects the variance of the fill and collisions inside a group: 1 % of the
//            rate at 1000 bits, falling as 1/m. Smaller filters use the exact Markov chain of the
//            fill, key by key.
// Source     [LM07] for the filter. The integral, its inverse and the standard error are derived in
//            doc/theory/two-choice.md.
#pragma once

#include <cstdint>

#include <umbel/base/config.hpp>
#include <umbel/sizing/bloom.hpp>

namespace umbel::sizing {

inline constexpr unsigned min_choices = 2;
inline constexpr unsigned max_choices = 8;

// Rate at a given fill: the probability that all bits of some group are set, 1 - (1 - rho^k)^g.
[[nodiscard]] double two_choice_fpr_at(double rho, unsigned k, unsigned g);

// New bits per key at a given fill: the least of g numbers.
struct new_bits {
  double mean, variance;
};
[[nodiscard]] new_bits two_choice_new_bits(double rho, unsigned k, unsigned g);

// Fill at c bits per key; and its inverse, the bits per key for a fill.
[[nodiscard]] double two_choice_fill(double c, unsigned k, unsigned g);
[[nodiscard]] double two_choice_bits_per_key(double rho, unsigned k, unsigned g);
// Rate at c bits per key, and the number of probes that minimizes it.
[[nodiscard]] double two_choice_fpr(double c, unsigned k, unsigned g);
[[nodiscard]] unsigned two_choice_probes(double c, unsigned g);

// The exact rate, by the Markov chain of the number of set bits. Time n*m*k + m*k^2: for m up to
// about a thousand.
[[nodiscard]] double two_choice_fpr_exact(std::uint64_t n, std::uint64_t m, unsigned k, unsigned g);

// Estimated number of keys in m bits with this fill, and its standard error. Invalid for filters
// that were merged, folded or built at once, so the structure itself does not offer it.
struct two_choice_estimate {
  double keys, standard_error;
};
[[nodiscard]] two_choice_estimate two_choice_cardinality(double rho, double m, unsigned k,
                                                         unsigned g);

// Plans. Exactly two of keys, rate and bits are given. `probes` 0 means: choose the number.
[[nodiscard]] bloom_plan plan_two_choice_for_rate(std::uint64_t n, double eps, unsigned g,
                                                  unsigned probes = 0);
[[nodiscard]] bloom_plan plan_two_choice_for_bits(std::uint64_t n, std::uint64_t m, unsigned g,
                                                  unsigned probes = 0);
// How many keys m bits hold at this rate, and with how many probes.
[[nodiscard]] bloom_room two_choice_room_for(std::uint64_t m, double eps, unsigned g,
                                             unsigned probes = 0);

}  // namespace umbel::sizing

#if UMBEL_WITH_BODIES
#include <umbel/sizing/two_choice.ipp>
#endif
