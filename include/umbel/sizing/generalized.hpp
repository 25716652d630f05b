// sizing/generalized.hpp - generalized Bloom filters [LVC05]: error rate, its bound over every
// content of the bits, and how soon keys are forgotten.
//
// Words      m bits; a key clears k0 of them and sets k1, except those it clears. All k0 + k1
//            positions are independent draws, with repetition. n keys; j of them later than a given
//            one.
// Rate       Which bits are clear does not matter, only how many: independent draws of a non-member
//            hit z clear bits of m alike wherever they are. So the rate at z clear bits is exact,
//            and its largest value over z = 0 .. m bounds the rate whatever the bits were before.
// Forgetting A key clears a given bit with probability q0, sets it with q1 and leaves it with
//            u = 1 - q0 - q1, whatever it held. So P(clear) moves from where it was towards
//            q0/(q0 + q1), by the factor u a key.
// Limits     The forgetting formulas have mean numbers of bits in exponents: at m = 256 they are
//            4 % above what is measured.
// Source     The filter [LVC05]; the formulas are derived in doc/theory/generalized.md.
#pragma once

#include <cstdint>
#include <optional>

#include <umbel/base/config.hpp>

namespace umbel::sizing {

inline constexpr unsigned generalized_max_probes = 64;

struct generalized {
  double m, k0, k1;

  // What one key does to a bit.
  [[nodiscard]] double clears() const;  // q0
  [[nodiscard]] double sets() const;    // q1
  // The probability that a bit is clear after n keys, from `start` before the first.
  [[nodiscard]] double clear_after(double n, double start) const;
  // The rate where this share of the bits is clear.
  [[nodiscard]] double fpr(double clear) const;
  // The number of clear bits at which the rate is largest, and that rate, which no content
  // exceeds.
  [[nodiscard]] double worst_clear() const;
  [[nodiscard]] double bound() const;
  // What the bound falls to as m grows: (k0/(k0 + k1))^k0 (k1/(k0 + k1))^k1.
  [[nodiscard]] double limit() const;
  // The probability that a key is forgotten once j others came after it; and its mean over n keys
  // in a row.
  [[nodiscard]] double fnr(double j) const;
  [[nodiscard]] double mean_fnr(std::uint64_t n) const;
};

// The smallest m at which the bound is within eps; none if no m is enough.
[[nodiscard]] std::optional<std::uint64_t> generalized_bits_for_rate(double eps, unsigned k0,
                                                                     unsigned k1);
// The smallest m at which no more than this share of keys of age n is forgotten; the largest age at
// a given m; and the most bits per key, set and cleared each, that m allows at age n: at least one.
[[nodiscard]] std::uint64_t generalized_bits(std::uint64_t n, unsigned k0, unsigned k1,
                                             double forgets);
[[nodiscard]] std::uint64_t generalized_room(std::uint64_t m, unsigned k0, unsigned k1,
                                             double forgets);
[[nodiscard]] unsigned generalized_probes_that_keep(std::uint64_t n, std::uint64_t m,
                                                    double forgets);

// A filter that keeps a rate whatever the bits were before, and forgets no more than asked. Of
// `sets` and `clears` 0 and none are chosen: `clears` as `sets`, and `sets` so that the bits are
// fewest.
struct generalized_shape {
  std::uint64_t bits;
  unsigned sets, clears;
};
// For n keys. If nothing keeps the rate, the bits are what forgetting alone needs: the bound tells.
[[nodiscard]] generalized_shape plan_generalized(std::uint64_t n, double eps, unsigned sets,
                                                 std::optional<unsigned> clears, double forgets);
// For m bits: the fewest bits a key sets that keep the rate, or the most there are if none do.
[[nodiscard]] generalized_shape plan_generalized_for_bits(std::uint64_t m, double eps,
                                                          unsigned sets,
                                                          std::optional<unsigned> clears);

}  // namespace umbel::sizing

#if UMBEL_WITH_BODIES
#include <umbel/sizing/generalized.ipp>
#endif
