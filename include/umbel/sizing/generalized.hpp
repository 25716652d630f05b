// sizing/generalized.hpp - filters whose keys set bits and clear others: how often they err, and how soon they forget.
// Words      m bits; a key clears k0 and sets k1 of them, except those it clears. n keys; j of them later than a given one.
// Idea       A key clears a given bit with chance q0, sets it with q1 and leaves it with u = 1 - q0 - q1, whatever it held.
//            So a bit's chance to be clear moves from where it was towards q0/(q0 + q1), by u a key. The rate is that of
//            b0 bits clear and b1 set, the mean numbers of a key's bits.
// Limits     Mean numbers stand in exponents: from a one-sided start of few bits the true rate is higher (a quarter at
//            m = 256), never above the bound.
// Source     The filter [LVC05]; the model is derived in doc/theory/generalized.md.
#pragma once

#include <cstdint>

#include <umbel/base/config.hpp>

namespace umbel::sizing {

inline constexpr unsigned generalized_max_probes = 64;

struct generalized {
  double m, k0, k1;

  // What one key does to a bit.
  [[nodiscard]] double clears() const;  // q0
  [[nodiscard]] double sets() const;    // q1
  // The chance that a bit is clear after n keys, from `start` before the first.
  [[nodiscard]] double clear_after(double n, double start) const;
  // Rate where a share of the bits is clear; and its largest value over all shares, whatever the bits were.
  [[nodiscard]] double fpr(double clear) const;
  [[nodiscard]] double bound() const;
  // The chance that a key is forgotten once j others came after it; and its mean over n keys in a row.
  [[nodiscard]] double fnr(double j) const;
  [[nodiscard]] double mean_fnr(std::uint64_t n) const;
};

// Fewest bits a key sets, and clears as many, for a bound of eps.
[[nodiscard]] unsigned generalized_probes(double eps);
// The smallest m at which no more than this share of keys of age n is forgotten; the largest age at a given m; and the
// most bits per key, set and cleared each, that m allows at age n: at least one.
[[nodiscard]] std::uint64_t generalized_bits(std::uint64_t n, unsigned k0, unsigned k1, double forgets);
[[nodiscard]] std::uint64_t generalized_room(std::uint64_t m, unsigned k0, unsigned k1, double forgets);
[[nodiscard]] unsigned generalized_most_probes(std::uint64_t n, std::uint64_t m, double forgets);

}  // namespace umbel::sizing

#if UMBEL_WITH_BODIES
#include <umbel/sizing/generalized.ipp>
#endif
