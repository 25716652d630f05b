// sizing/popularity.hpp - how many probes each key should have when some are asked more often, or
// are members less often.
// Words      A class of `objects` alike: each is asked with frequency f and is a member with chance
//            x. Its weight among questions about non-members is r = f (1 - x), normalised; k is its
//            number of probes. n is the sum of x.
// Idea       A probe of a key costs x bits to set and halves its share r of the error. So
//            log2(r/x), its importance, decides: the best k is importance + a constant that spends
//            m ln 2, which leaves the filter half full.
// Invariant  The whole numbers cost no more than that, and give an error at most twice the least
//            that real ones could: rounding down doubles it at worst, and what is left over is then
//            spent where it helps most.
// Limits     Frequencies are of a stream like the one that was counted. k never exceeds `most`.
// Source     [BGJ06] for real k, [ZLS08] for whole ones; the algorithm, which is simpler, in
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
  double objects = 1;  // how many are alike
};

inline constexpr unsigned popularity_max_probes = 30;

// Shares r of the questions about non-members, of whole classes.
[[nodiscard]] std::vector<double> non_member_shares(std::span<const popularity> classes);

// The best real numbers of probes of each class, for m bits.
[[nodiscard]] std::vector<double> real_probes(std::span<const popularity> classes, double m,
                                              double most = popularity_max_probes);
// Whole ones.
[[nodiscard]] std::vector<unsigned> whole_probes(std::span<const popularity> classes, double m,
                                                 unsigned most = popularity_max_probes);

// The error of the mix of questions, with these probes: at half fill, as the optimum sees it; and
// at the fill they make.
[[nodiscard]] double popular_error(std::span<const popularity> classes,
                                   std::span<const double> probes);
[[nodiscard]] double popular_fpr(std::span<const popularity> classes,
                                 std::span<const unsigned> probes, double m);
// The bits set, on average: sum of x k.
[[nodiscard]] double popular_cost(std::span<const popularity> classes,
                                  std::span<const unsigned> probes);

// Whether it is worth it: a table that says which key has how many probes takes bits too.
struct popular_report {
  double fpr;        // with these probes in m bits
  double plain_fpr;  // of one number of probes for all, the best, in m bits
  // the same in m bits and those of the table: below `fpr`, the table does not pay
  double plain_and_table;
};
[[nodiscard]] popular_report report_popular(std::span<const popularity> classes,
                                            std::span<const unsigned> probes, double m,
                                            double table_bits);

// From counts, with one added to each so that nothing is impossible: in how many of `sets` sets
// each object was, and how often it was asked for.
[[nodiscard]] std::vector<popularity> popularity_from(std::span<const std::uint64_t> in_sets,
                                                      std::uint64_t sets,
                                                      std::span<const std::uint64_t> asked);
// Two classes: a share of the keys is asked a share of all questions.
[[nodiscard]] std::vector<popularity> hot_and_cold(double objects, double membership,
                                                   double hot_share, double query_share);

}  // namespace umbel::sizing

#if UMBEL_WITH_BODIES
#include <umbel/sizing/popularity.ipp>
#endif
