// sizing/cuckoo.hpp - tags in pairs of buckets: how many buckets, how wide, how wrong.
// Words      n keys in nb buckets of b slots, an even number; V = 2^f - 1 tags of f bits; load a =
//            n / (nb b). Sorted: a slot of f bits takes f - 1.
// Idea       A non-member has one of nb V / 2 pairs of bucket and tag, all alike, and passes if one
//            of n keys has the same: 1 - (1 - 2/(nb V))^n. That is [FAKM14]'s 1 - (1 - 1/V)^(2ba)
//            for all but the narrowest tags, where copies of a tag in one bucket make theirs too
//            large. Two things keep keys out of a table that has room: too high a load, and crowds,
//            more keys on a pair of buckets than it has slots. There are (nb/2) min(nb/2, V) pairs:
//            small tables and narrow tags have few.
// Source     [FAKM14]; loads and deviations from bench/derive/cuckoo.cpp, crowds in
//            doc/theory/cuckoo.md.
#pragma once

#include <cstdint>

#include <umbel/base/config.hpp>

namespace umbel::sizing {

struct cuckoo_plan {
  std::uint64_t keys, buckets;
  unsigned slots, width;
  bool sorted;
  double fpr;
};

// the chance we take that planned keys do not fit, for crowds
inline constexpr double cuckoo_misfit = 1e-9;

// The load that tables without end reach with room to spare: .84, .95, .98 for 2, 4 and 8 slots.
[[nodiscard]] double cuckoo_load(unsigned b);
[[nodiscard]] double cuckoo_fpr(std::uint64_t n, std::uint64_t nb, unsigned f);
// The fewest buckets that n keys always fit into; and the most keys that always fit into nb.
[[nodiscard]] std::uint64_t cuckoo_buckets(std::uint64_t n, unsigned b, unsigned f);
[[nodiscard]] std::uint64_t cuckoo_room(std::uint64_t nb, unsigned b, unsigned f);
[[nodiscard]] std::uint64_t cuckoo_bits(std::uint64_t nb, unsigned b, unsigned f,
                                        bool sorted = false);  // whole words, and one more

// The fewest bits for n keys at rate eps. Where that takes half as many buckets again as they need,
// a higher rate.
[[nodiscard]] cuckoo_plan plan_cuckoo_for_rate(std::uint64_t n, double eps, unsigned b,
                                               bool sorted = false);
// The least rate that `bits` give n keys; or as many of them as fit, if not all do.
[[nodiscard]] cuckoo_plan plan_cuckoo_for_bits(std::uint64_t n, std::uint64_t bits, unsigned b,
                                               bool sorted = false);
// The most keys that `bits` hold at rate eps.
[[nodiscard]] cuckoo_plan cuckoo_room_for(std::uint64_t bits, double eps, unsigned b,
                                          bool sorted = false);

}  // namespace umbel::sizing

#if UMBEL_WITH_BODIES
#include <umbel/sizing/cuckoo.ipp>
#endif
