// sizing/popularity.hpp - weighted Bloom filters [BGJ06], [ZLS08]: number of probes per key for
// skewed query or membership frequencies.
//
// A probe of a key costs x bits and halves the key's share r of the error. So log2(r/x), the key's
// importance, decides: the best k is importance plus a constant, chosen such that m ln 2 bits are
// set in expectation and the filter is half full.
//
// Symbols    A class of `objects` equal objects: each is queried with frequency f and is a member
//            with probability x. Its weight among queries for non-members is r = f (1 - x),
//            normalised; k is its number of probes. n is the sum of x.
// Invariant  The integer solution costs no more bits and has at most twice the minimal error of
//            real k: rounding down at most doubles the error, and the remaining bits are then spent
//            where they help most.
// Limits     The frequencies must be those of the later queries. k never exceeds `most`.
// Source     [BGJ06] for real k, [ZLS08] for integer k. The algorithm here is simpler; it is in
//            doc/theory/popularity.md.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <umbel/base/config.hpp>

namespace umbel::sizing {

struct popularity {
  double queries;      // f of one object; any unit
  double membership;   // x of one object, 0 to 1
  double objects = 1;  // number of equal objects
};

inline constexpr unsigned popularity_max_probes = 30;

// Shares r of the queries for non-members, per whole class.
[[nodiscard]] std::vector<double> non_member_shares(std::span<const popularity> classes);

// The best real number of probes of each class for m bits.
[[nodiscard]] std::vector<double> real_probes(std::span<const popularity> classes, double m,
                                              double most = popularity_max_probes);
// The same with integers.
[[nodiscard]] std::vector<unsigned> whole_probes(std::span<const popularity> classes, double m,
                                                 unsigned most = popularity_max_probes);

// The false positive rate of this mix of queries: at half fill, as the optimization assumes; and at
// the fill that these probes cause.
[[nodiscard]] double popular_error(std::span<const popularity> classes,
                                   std::span<const double> probes);
[[nodiscard]] double popular_fpr(std::span<const popularity> classes,
                                 std::span<const unsigned> probes, double m);
// Expected number of bits set: sum of x k.
[[nodiscard]] double popular_cost(std::span<const popularity> classes,
                                  std::span<const unsigned> probes);

// Whether weighting pays: a table with the number of probes of each key takes bits too.
struct popular_report {
  double fpr;        // with these probes in m bits
  double plain_fpr;  // of the best uniform number of probes, in m bits
  // the same in m bits plus those of the table; if below `fpr`, the table does not pay
  double plain_and_table;
};
[[nodiscard]] popular_report report_popular(std::span<const popularity> classes,
                                            std::span<const unsigned> probes, double m,
                                            double table_bits);

// Estimates from counts: in how many of `sets` sets each object was, and how often it was queried.
// Adds one to each count, so no probability is 0.
[[nodiscard]] std::vector<popularity> popularity_from(std::span<const std::uint64_t> in_sets,
                                                      std::uint64_t sets,
                                                      std::span<const std::uint64_t> asked);
// Two classes: a share `hot_share` of the objects gets a share `query_share` of the queries.
[[nodiscard]] std::vector<popularity> hot_and_cold(double objects, double membership,
                                                   double hot_share, double query_share);

}  // namespace umbel::sizing

#if UMBEL_WITH_BODIES
#include <umbel/sizing/popularity.ipp>
#endif
