// sizing/quotient.hpp - quotient filters: how many blocks of slots, how wide, how wrong.
// Words      n keys in m slots, as many homes, of remainders of r bits: M = m 2^r fingerprints in
//            all.
// Idea       A non-member passes if its fingerprint is one of the n: 1 - (1 - 1/M)^n, about (n/m)
//            2^-r. A slot takes r + 2.125 bits. For a rate, M is given, and every bit of r that is
//            saved costs twice the slots: the cheapest width is the one at which the slots are
//            full, or one less.
// Limits     M is at most 2^60: fingerprints are cut from one word, and with less than 16 words to
//            each they would not be equally likely.
// Source     [BFJKK+12] sec. 3 for the rate, [PBJP17] sec. 3 for the space.
#pragma once

#include <cstdint>

#include <umbel/base/config.hpp>
#include <umbel/base/integers.hpp>

namespace umbel::sizing {

struct quotient_plan {
  std::uint64_t keys, blocks;
  unsigned width;  // 0: it cannot be done
  double fpr;
};

inline constexpr std::uint64_t quotient_block_slots = 64;
inline constexpr double quotient_max_load = 0.95;  // past it an insert moves hundreds of slots
inline constexpr double quotient_max_fingerprints = 0x1p60;

[[nodiscard]] constexpr std::uint64_t quotient_block_bits(unsigned width) noexcept {
  return quotient_block_slots * width + 136;
}
// The most slots that are ever used.
[[nodiscard]] constexpr std::uint64_t quotient_room(std::uint64_t slots) noexcept {
  return slots - umbel::detail::ceil_div(slots, 20);
}

[[nodiscard]] double quotient_fpr(std::uint64_t n, std::uint64_t slots, unsigned r);

// In all three: `beside` is what a structure stores for each block beside the table, in bits.
// Fewest bits with quotient_fpr <= eps and n / slots <= load; the least rate there is, if none
// keeps eps.
[[nodiscard]] quotient_plan plan_quotient_for_rate(std::uint64_t n, double eps, double load,
                                                   unsigned beside = 0);
// The least rate that `bits` give n keys; for fewer keys, those that fit, if n do not. One block at
// least.
[[nodiscard]] quotient_plan plan_quotient_for_bits(std::uint64_t n, std::uint64_t bits, double load,
                                                   unsigned beside = 0);
// The most keys that `bits` hold at rate eps. At least one block is taken.
[[nodiscard]] quotient_plan quotient_room_for(std::uint64_t bits, double eps, double load,
                                              unsigned beside = 0);

}  // namespace umbel::sizing

#if UMBEL_WITH_BODIES
#include <umbel/sizing/quotient.ipp>
#endif
