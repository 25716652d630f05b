// sizing/generalized.hpp - generalized Bloom filters [LVC05]: false positive rate, its bound over
// every content of the bits, and the false negative rate.
//
// Symbols    m bits. A key clears k0 of them and sets k1, except those it clears. All k0 + k1
//            positions are independent draws with repetition. n keys; j of them inserted after a
//            given one.
// Rate       The rate depends only on the number of clear bits, not on their positions, because a
//            non-member's draws are independent. So the rate at z clear bits is exact, and its
//            maximum over z = 0 .. m bounds the rate for any initial content.
// Forgetting A key clears a given bit with probability q0, sets it with q1 and leaves it with
//            u = 1 - q0 - q1, whatever its value. So P(clear) moves from its start towards
//            q0/(q0 + q1), by the factor u per key.
// Limits     The forgetting formulas have mean numbers of bits in exponents: at m = 256 they are
//            4 % above what is measured.
// Source     [LVC05] for the filter; the formulas are derived in doc/theory/generalized.md.
#pragma once

#include <cstdint>
#include <optional>

#include <umbel/base/config.hpp>

namespace umbel::sizing {

inline constexpr unsigned generalized_max_probes = 64;

struct generalized {
  double m, k0, k1;

  // Probabilities that one key clears or sets a given bit.
  [[nodiscard]] double clears() const;  // q0
  [[nodiscard]] double sets() const;    // q1
  // Probability that a bit is clear after n keys, from `start` before the first.
  [[nodiscard]] double clear_after(double n, double start) const;
  // False positive rate if this share of the bits is clear.
  [[nodiscard]] double fpr(double clear) const;
  // The number of clear bits with the largest rate; and that rate, which no content exceeds.
  [[nodiscard]] double worst_clear() const;
  [[nodiscard]] double bound() const;
  // The limit of the bound as m grows: (k0/(k0 + k1))^k0 (k1/(k0 + k1))^k1.
  [[nodiscard]] double limit() const;
  // Probability that a key is forgotten after j later keys; and its mean over n consecutive keys.
  [[nodiscard]] double fnr(double j) const;
  [[nodiscard]] double mean_fnr(std::uint64_t n) const;
};

// The smallest m with bound() <= eps; nothing if no m is enough.
[[nodiscard]] std::optional<std::uint64_t> generalized_bits_for_rate(double eps, unsigned k0,
                                                                     unsigned k1);
// The smallest m at which at most this share of keys of age n is forgotten; the largest age for
// given m; and the most bits per key, both set and cleared, that m allows at age n (at least one).
[[nodiscard]] std::uint64_t generalized_bits(std::uint64_t n, unsigned k0, unsigned k1,
                                             double forgets);
[[nodiscard]] std::uint64_t generalized_room(std::uint64_t m, unsigned k0, unsigned k1,
                                             double forgets);
[[nodiscard]] unsigned generalized_probes_that_keep(std::uint64_t n, std::uint64_t m,
                                                    double forgets);

// A filter that keeps the rate for any initial content and forgets no more than asked. The plan
// chooses `sets` if it is 0 and `clears` if it is not given: `clears` equals `sets`, and `sets`
// minimizes the bits.
struct generalized_shape {
  std::uint64_t bits;
  unsigned sets, clears;
};
// For n keys. If no filter keeps the rate, the bits are those that the limit on forgetting needs;
// bound() shows the rate.
[[nodiscard]] generalized_shape plan_generalized(std::uint64_t n, double eps, unsigned sets,
                                                 std::optional<unsigned> clears, double forgets);
// For m bits: the fewest bits set per key that keep the rate, or the most possible if none do.
[[nodiscard]] generalized_shape plan_generalized_for_bits(std::uint64_t m, double eps,
                                                          unsigned sets,
                                                          std::optional<unsigned> clears);

}  // namespace umbel::sizing

#if UMBEL_WITH_BODIES
#include <umbel/sizing/generalized.ipp>
#endif
