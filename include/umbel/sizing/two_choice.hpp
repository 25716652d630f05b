// sizing/two_choice.hpp - how full, and how wrong, a Bloom filter is whose keys choose among groups
// of probes.
// Words      n keys, m bits, c = m/n, g groups of k probes, rho the share of bits set.
// Idea       A group would set Binomial(k, 1 - rho) new bits, and the least of g such numbers is
//            what a key adds. With E(rho) its mean, rho grows by E(rho)/m per key; in the limit of
//            many keys the fill solves d rho / d(n/m) = E(rho), so that n/m = integral of d rho /
//            E(rho): one integral gives the size for a fill, its inverse the fill for a size.
//            Neither takes longer for more keys.
// Limits     The limit neglects that fills vary and that a group's own probes meet: 1 % of the rate
//            at 1000 bits, falling as 1/m. Below that the chain of fills is followed key by key
//            instead.
// Source     [LM07] for the filter; the integral, its inverse and the standard error are derived in
//            doc/theory/two-choice.md.
#pragma once

#include <cstdint>

#include <umbel/base/config.hpp>
#include <umbel/sizing/bloom.hpp>

namespace umbel::sizing {

inline constexpr unsigned min_choices = 2;
inline constexpr unsigned max_choices = 8;

// The rate at a given fill: some group of a non-member is all set. 1 - (1 - rho^k)^g.
[[nodiscard]] double two_choice_fpr_at(double rho, unsigned k, unsigned g);

// What a new key adds at a given fill: the least of g numbers of new bits.
struct new_bits {
  double mean, variance;
};
[[nodiscard]] new_bits two_choice_new_bits(double rho, unsigned k, unsigned g);

// Fill at c bits per key; and, the other way round, the bits per key at which that fill is reached.
[[nodiscard]] double two_choice_fill(double c, unsigned k, unsigned g);
[[nodiscard]] double two_choice_bits_per_key(double rho, unsigned k, unsigned g);
// The rate at c bits per key, and the number of probes that makes it least.
[[nodiscard]] double two_choice_fpr(double c, unsigned k, unsigned g);
[[nodiscard]] unsigned two_choice_probes(double c, unsigned g);

// The true rate, by the chain of the numbers of bits set: time n*m*k + m*k^2, meant for m up to
// about a thousand.
[[nodiscard]] double two_choice_fpr_exact(std::uint64_t n, std::uint64_t m, unsigned k, unsigned g);

// Keys behind m bits that grew to this fill key by key, and the standard error of that number. It
// holds for no filter that was merged, folded or built at once, which is why the structure itself
// does not offer it.
struct two_choice_estimate {
  double keys, standard_error;
};
[[nodiscard]] two_choice_estimate two_choice_cardinality(double rho, double m, unsigned k,
                                                         unsigned g);

// Plans: exactly two of keys, rate and bits are known. `probes` 0 means: choose.
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
