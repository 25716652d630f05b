// sizing/hash_compaction.hpp - hash compaction [WL93] in an ordered hash table [AK74]: slots,
// fingerprint width, false positive rate.
//
// A search for v passes over fingerprints above v, and can match only in the slot where this walk
// ends. Larger fingerprints are placed as if smaller ones did not exist. So the rate is the mean
// over loads b from 0 to a of 1/(1 - b)^2, the mean length of the run of home slots that ends in a
// slot: a s / V. An unordered table would match anywhere up to the next empty slot: (s^2 - 1) / 2
// V.
//
// Symbols    n keys in m slots of r bits; load a = n/m; V = 2^r - 1 fingerprints (0 is an empty
//            slot); s = 1/(1 - a).
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
inline constexpr double compaction_max_load = 0.99;  // above it searches take hundreds of slots

// Mean slots read by a search, successful or not: (1 + s) / 2.
[[nodiscard]] double compaction_probes(double load);
// Mean slots from a home slot to the first empty one, which an insert reads: (1 + s^2) / 2.
[[nodiscard]] double compaction_insert_probes(double load);

// False positive rate of n keys in m slots of r bits. Requires n < m unless r is 1: then the table
// is a bitmap.
[[nodiscard]] double compaction_fpr(std::uint64_t n, std::uint64_t m, unsigned r);
// The same for infinite m and V <= 255 fingerprints, layer by layer, in time V^2. Exact, including
// keys that share a slot.
[[nodiscard]] double compaction_fpr_by_layers(double a, unsigned fingerprints);

// Fewest bits with compaction_fpr <= eps and n/m <= load.
[[nodiscard]] compaction_plan plan_compaction_for_rate(std::uint64_t n, double eps, double load);
// The lowest rate for n keys in `bits`. If even one bit per slot exceeds `load`, a bitmap.
[[nodiscard]] compaction_plan plan_compaction_for_bits(std::uint64_t n, std::uint64_t bits,
                                                       double load);
// The most keys that `bits` hold at rate eps.
[[nodiscard]] compaction_plan compaction_room_for(std::uint64_t bits, double eps, double load);

}  // namespace umbel::sizing

#if UMBEL_WITH_BODIES
#include <umbel/sizing/hash_compaction.ipp>
#endif
