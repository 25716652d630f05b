// sizing/hash_compaction.hpp - fingerprints in an ordered open-addressing table: how many slots,
// how wide, how wrong.
// Words      n keys in m slots of r bits, load a = n/m, V = 2^r - 1 fingerprints (0 is an empty
//            slot), s = 1/(1 - a).
// Idea       A search for v walks over fingerprints above v and can match in one slot only, where
//            that walk ends. Layers of larger fingerprints do not feel smaller ones, so the rate is
//            the mean over loads b from 0 to a of the length, 1/(1 - b)^2, of the stretch of homes
//            that ends in a slot: a s / V. Unordered slots would match on the whole way to an empty
//            one: (s^2 - 1) / 2 V.
// Source     [AK74] for the ordered table, [Knu98] sec. 6.4 for Q_0; the rest is derived in
//            doc/theory/hash-compaction.md.
#pragma once

#include <cstdint>

#include <umbel/base/config.hpp>

namespace umbel::sizing {

struct compaction_plan {
  std::uint64_t keys, slots;
  unsigned width;
  double fpr;
};

inline constexpr unsigned compaction_max_layers = 255;
inline constexpr double compaction_max_load = 0.99;  // past it a walk grows to hundreds of slots

// Slots a search looks at on average, found or not: (1 + s) / 2.
[[nodiscard]] double compaction_probes(double load);
// Slots on the way from a home to the first empty one, which an insert looks at: (1 + s^2) / 2.
[[nodiscard]] double compaction_insert_probes(double load);

// The rate of n keys in m slots of r bits; n < m unless r is 1, when the table is a bitmap.
[[nodiscard]] double compaction_fpr(std::uint64_t n, std::uint64_t m, unsigned r);
// The same for m without end and V <= 255 fingerprints, layer by layer: time V^2. Exact, keys that
// share a slot included.
[[nodiscard]] double compaction_fpr_by_layers(double a, unsigned fingerprints);

// Fewest bits with compaction_fpr <= eps and n/m <= load.
[[nodiscard]] compaction_plan plan_compaction_for_rate(std::uint64_t n, double eps, double load);
// The least rate that `bits` give n keys. Where even one bit per slot is too much for `load`, a
// bitmap.
[[nodiscard]] compaction_plan plan_compaction_for_bits(std::uint64_t n, std::uint64_t bits,
                                                       double load);
// The most keys that `bits` hold at rate eps.
[[nodiscard]] compaction_plan compaction_room_for(std::uint64_t bits, double eps, double load);

}  // namespace umbel::sizing

#if UMBEL_WITH_BODIES
#include <umbel/sizing/hash_compaction.ipp>
#endif
