// sizing/variable.hpp - Bloom filters with variable-length signatures that set t of a key's k bits
// and require q [LPB05]: error rates and forgetting.
//
// Symbols    n keys; m bits; rho the share of bits set; y the share of set bits that were cleared
//            since.
// Source     [LPB05] for the filter; binomial sums, derived in doc/theory/variable.md.
#pragma once

#include <cstdint>

#include <umbel/base/config.hpp>

namespace umbel::sizing {

// False positive rate: q or more of a non-member's k bits are set.
[[nodiscard]] double variable_fpr(double rho, unsigned k, unsigned q);
// The fill after n keys of t bits, and the fill at which the rate is eps.
[[nodiscard]] double variable_fill(double n, double m, double t);
[[nodiscard]] double variable_fill_for(double eps, unsigned k, unsigned q);
// False negative rate: fewer than q of a key's bits are set. Each of its t bits is still set with
// probability 1 - y, each of the others is set with probability rho (1 - y).
[[nodiscard]] double variable_fnr(double rho, double y, unsigned k, unsigned t, unsigned q);

// The smallest m for n keys at this rate, and the most keys in m bits.
[[nodiscard]] std::uint64_t variable_bits(std::uint64_t n, double eps, unsigned k, unsigned t,
                                          unsigned q);
[[nodiscard]] std::uint64_t variable_room(std::uint64_t m, double eps, unsigned k, unsigned t,
                                          unsigned q);

}  // namespace umbel::sizing

#if UMBEL_WITH_BODIES
#include <umbel/sizing/variable.ipp>
#endif
