// sizing/quotient.hpp - quotient filters [BFJKK+12], [PBJP17]: number of blocks, remainder width,
// false positive rate.
//
// A non-member passes if its fingerprint is one of the n: probability 1 - (1 - 1/M)^n, about (n/m)
// 2^-r. A slot takes r + 2.125 bits. A rate determines M, and one bit less in r then needs twice
// the slots. So the cheapest width is the one at which the slots are full, or one less.
//
// Symbols    n keys in m slots with remainders of r bits; M = m 2^r possible fingerprints.
// Limits     M is at most 2^60: fingerprints are cut from one 64-bit word, and with fewer than 16
//            words per fingerprint they would not be equally likely.
// Source     [BFJKK+12] sec. 3 for the rate, [PBJP17] sec. 3 for the space.
#pragma once

#include <cstdint>

#include <umbel/base/config.hpp>
#include <umbel/base/integers.hpp>

namespace umbel::sizing {

struct quotient_plan {
  std::uint64_t keys, blocks;
  unsigned width;  // 0: no plan exists
  double fpr;
};

inline constexpr std::uint64_t quotient_block_slots = 64;
inline constexpr double quotient_max_load = 0.95;  // above it an insert shifts hundreds of slots
inline constexpr double quotient_max_fingerprints = 0x1p60;

[[nodiscard]] constexpr std::uint64_t quotient_block_bits(unsigned width) noexcept {
  return quotient_block_slots * width + 136;
}
// The maximal number of used slots.
[[nodiscard]] constexpr std::uint64_t quotient_room(std::uint64_t slots) noexcept {
  return slots - umbel::detail::ceil_div(slots, 20);
}

[[nodiscard]] double quotient_fpr(std::uint64_t n, std::uint64_t slots, unsigned r);

// For the three plans: `beside` is the number of bits that a structure stores per block besides the
// table. This one: fewest bits with quotient_fpr <= eps and n / slots <= load; the lowest rate
// possible if none keeps eps.
[[nodiscard]] quotient_plan plan_quotient_for_rate(std::uint64_t n, double eps, double load,
                                                   unsigned beside = 0);
// The lowest rate for n keys in `bits`; if n keys do not fit, as many as do. At least one block.
[[nodiscard]] quotient_plan plan_quotient_for_bits(std::uint64_t n, std::uint64_t bits, double load,
                                                   unsigned beside = 0);
// The most keys that `bits` hold at rate eps. Uses at least one block.
[[nodiscard]] quotient_plan quotient_room_for(std::uint64_t bits, double eps, double load,
                                              unsigned beside = 0);

}  // namespace umbel::sizing

#if UMBEL_WITH_BODIES
#include <umbel/sizing/quotient.ipp>
#endif
