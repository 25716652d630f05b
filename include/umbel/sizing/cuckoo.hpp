// sizing/cuckoo.hpp - cuckoo filters [FAKM14]: number of buckets, tag width, false positive rate.
//
// A non-member has one of nb V / 2 equally likely pairs of buckets and tag. It passes if one of n
// keys has the same: 1 - (1 - 2/(nb V))^n. That equals 1 - (1 - 1/V)^(2ba) of [FAKM14] except for
// very narrow tags, where duplicates of a tag in one bucket make their formula too large. Two
// things prevent keys from fitting into a table with free slots: a load that is too high, and
// crowds, i.e. more keys on a pair of buckets than it has slots. There are (nb/2) min(nb/2, V)
// pairs, so small tables and narrow tags have few.
//
// Symbols    n keys in nb buckets of b slots, nb even; V = 2^f - 1 tags of f bits; load a = n / (nb
//            b). Sorted (semi-sorted buckets): a slot of f bits takes f - 1.
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

// accepted probability that a planned number of keys does not fit, because of crowds
inline constexpr double cuckoo_misfit = 1e-9;

// The load that large tables reach with a margin: .84, .95, .98 for 2, 4 and 8 slots.
[[nodiscard]] double cuckoo_load(unsigned b);
[[nodiscard]] double cuckoo_fpr(std::uint64_t n, std::uint64_t nb, unsigned f);
// The fewest buckets into which n keys fit; and the most keys that fit into nb buckets. Both hold
// up to `cuckoo_misfit`.
[[nodiscard]] std::uint64_t cuckoo_buckets(std::uint64_t n, unsigned b, unsigned f);
[[nodiscard]] std::uint64_t cuckoo_room(std::uint64_t nb, unsigned b, unsigned f);
[[nodiscard]] std::uint64_t cuckoo_bits(std::uint64_t nb, unsigned b, unsigned f,
                                        bool sorted = false);  // whole words, and one more

// The fewest bits for n keys at rate eps. The number of buckets is at most 1.5 times what the keys
// need; if that does not reach eps, the rate is higher.
[[nodiscard]] cuckoo_plan plan_cuckoo_for_rate(std::uint64_t n, double eps, unsigned b,
                                               bool sorted = false);
// The lowest rate for n keys in `bits`; or, if not all keys fit, as many as do.
[[nodiscard]] cuckoo_plan plan_cuckoo_for_bits(std::uint64_t n, std::uint64_t bits, unsigned b,
                                               bool sorted = false);
// The most keys that `bits` hold at rate eps.
[[nodiscard]] cuckoo_plan cuckoo_room_for(std::uint64_t bits, double eps, unsigned b,
                                          bool sorted = false);

}  // namespace umbel::sizing

#if UMBEL_WITH_BODIES
#include <umbel/sizing/cuckoo.ipp>
#endif
