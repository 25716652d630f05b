// join_test.cpp - Bloom joins [ML86], set differences and comparisons of two parties: guarantees,
// expected errors and costs.
#include <umbel/recon/join.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/set/bloom_filter.hpp>
#include <umbel/set/golomb_coded_set.hpp>
#include <umbel/set/hash_compaction_filter.hpp>

#include "support/statistics_gate.hpp"

namespace umbel::recon::join_test {
namespace {

using keys = std::vector<std::uint64_t>;
using statistics::member;

// Keys number [first, last): sets overlap where their ranges do.
keys numbered(std::uint64_t first, std::uint64_t last) {
  keys out;
  for (std::uint64_t i = first; i < last; ++i) out.push_back(member(i));
  return out;
}
bool within_set(const keys& some, const keys& all) {
  const std::unordered_set<std::uint64_t> known(all.begin(), all.end());
  return std::all_of(some.begin(), some.end(), [&](std::uint64_t k) { return known.contains(k); });
}

template <class Filter>
class Parties : public ::testing::Test {};
using Filters = ::testing::Types<bloom_filter, golomb_coded_set, hash_compaction_filter>;
TYPED_TEST_SUITE(Parties, Filters);

// S1 = [0, 20k), S2 = [15k, 415k): 5k common, 395k non-members, at 2 %.
TYPED_TEST(Parties, CandidatesHoldTheJoinAndFewNonMembers) {
  const keys first = numbered(0, 20'000), second = numbered(15'000, 415'000);
  const auto filter = TypeParam::build(first, {.fpr = 0.02});
  const auto found = candidates(filter, second);
  EXPECT_TRUE(within_set(numbered(15'000, 20'000), found.keys))
      << "common keys are candidates, all of them";
  EXPECT_TRUE(within_set(found.keys, second));
  const auto joined = drop_non_members(found.keys, first);
  EXPECT_EQ(joined, numbered(15'000, 20'000));

  const std::uint64_t non_members = found.keys.size() - joined.size();
  EXPECT_TRUE(statistics::binomial_gate(non_members, 395'000, filter.expected_fpr(), 0.02));
  // Estimated from the rejected keys alone: the deviation is that of the false positives.
  const double deviation = std::sqrt(395'000 * filter.expected_fpr());
  EXPECT_NEAR(found.expected_false(), 395'000 * filter.expected_fpr(),
              filter.expected_fpr() * 6 * deviation + 1);
  EXPECT_NEAR(found.expected_common(), 5000, 6 * deviation);

  EXPECT_EQ(found.cost.filter_bytes, (filter.size_in_bits() + 7) / 8);
  EXPECT_EQ(found.cost.asked, 400'000U);
  EXPECT_EQ(found.cost.asked_bytes, 3'200'000U);
  EXPECT_EQ(found.cost.sent, found.keys.size());
  EXPECT_EQ(found.cost.sent_bytes, 8 * found.keys.size());
  EXPECT_EQ(found.cost.total_bytes(), found.cost.filter_bytes + found.cost.sent_bytes);
}

TYPED_TEST(Parties, MissingKeysAreMissing) {
  const keys mine = numbered(0, 300'000), theirs = numbered(100'000, 150'000);
  const auto filter = TypeParam::build(theirs, {.fpr = 0.05});
  const auto lacked = missing(filter, mine);
  EXPECT_TRUE(within_set(lacked.keys, mine));
  EXPECT_EQ(drop_non_members(lacked.keys, theirs), keys()) << "nothing of theirs";
  const std::uint64_t missed = 250'000 - lacked.keys.size();
  EXPECT_TRUE(statistics::binomial_gate(missed, 250'000, filter.expected_fpr(), 0.02));
  EXPECT_NEAR(lacked.expected_missed(), 250'000 * filter.expected_fpr(),
              filter.expected_fpr() * 6 * std::sqrt(250'000 * filter.expected_fpr()) + 1);
  EXPECT_EQ(lacked.cost.sent_bytes, 8 * lacked.keys.size());
  EXPECT_EQ(candidates(filter, mine).keys.size() + lacked.keys.size(), mine.size())
      << "each key is one or the other";
}

TEST(Join, KeysCostTheirBytes) {
  const std::vector<std::string> first{"ant", "bee"}, second{"bee", "wasp", "", "ant"};
  const auto filter = bloom_filter::build(first, {.fpr = 1e-9});
  const auto found = candidates(filter, second);
  EXPECT_EQ(found.keys, (std::vector<std::string>{"bee", "ant"}));
  EXPECT_EQ(found.cost.sent_bytes, 6U);
  EXPECT_EQ(found.cost.asked_bytes, 10U);
  EXPECT_EQ(drop_non_members(found.keys, std::set<std::string>{"bee"}),
            std::vector<std::string>{"bee"});
  EXPECT_EQ(drop_non_members(found.keys, first), found.keys);
  EXPECT_EQ(candidates(filter, std::vector<digest>(3)).cost.asked_bytes, 48U);
  EXPECT_EQ(candidates(filter, std::vector<std::string>()).cost.sent, 0U);
}

TEST(Join, AFilterOfNothingRejectsAll) {
  const bloom_filter none({.keys = 10, .fpr = 0.01});
  EXPECT_TRUE(candidates(none, numbered(0, 1000)).keys.empty());
  const auto lacked = missing(none, numbered(0, 1000));
  EXPECT_EQ(lacked.keys, numbered(0, 1000));
  EXPECT_EQ(lacked.expected_missed(), 0);
}

TEST(Join, AComparisonSendsOneFilter) {
  bloom_filter a({.keys = 20'000, .bits = 200'000}), b({.keys = 20'000, .bits = 200'000});
  a.insert_batch(numbered(0, 20'000));
  b.insert_batch(numbered(15'000, 35'000));
  const auto told = compare(a, b);
  EXPECT_EQ(told.filter_bytes, 25'000U);
  EXPECT_EQ(told.common(), a.overlap_with(b).common);
  // Three estimates whose errors add: i = n1 + n2 - u.
  const double deviation =
      std::hypot(told.sets.first.standard_error, told.sets.second.standard_error,
                 told.sets.either.standard_error);
  EXPECT_NEAR(told.common(), 5000, 5 * deviation);
  EXPECT_NEAR(told.jaccard(), 5000.0 / 35'000, 5 * deviation / 35'000 * 1.5);
}

// ---- plans ----

using sizing::join_cost;
using sizing::join_sizes;
using sizing::join_way;
using sizing::plan_join;

// The formula gives 17.16 bits; 1.24 MB against 1.80 MB and 100 MB.
TEST(JoinPlan, TheWorkedExample) {
  const auto plan =
      plan_join({.first = 1e5, .second = 1e6, .common = 1e4, .key_bytes = 8, .row_bytes = 100});
  EXPECT_NEAR(plan.bits_per_key, std::log(0.4805 * 800 * 990'000 / 1e5) / 0.4805, 0.01);
  EXPECT_NEAR(plan.total_bytes(), 1.24e6, 0.01e6);
  EXPECT_DOUBLE_EQ(plan.first_whole_bytes, 1.8e6);
  EXPECT_DOUBLE_EQ(plan.second_whole_bytes, 1e8);
  EXPECT_EQ(plan.cheapest(), join_way::filter);
}

// Every tenth of a bit, for every cost law: no size costs less than the optimum.
TEST(JoinPlan, IsTheCheapestOfAllSizes) {
  for (const auto& law :
       {sizing::bloom_law, sizing::fuse_law, sizing::golomb_law, sizing::hash_compaction_law})
    for (const double second : {1e3, 1e5, 3e6})
      for (const double share : {0.0, 0.3, 0.99, 1.0})
        for (const double row : {1.0, 8.0, 500.0}) {
          const join_sizes sizes{.first = 1e5,
                                 .second = second,
                                 .common = share * second,
                                 .key_bytes = 8,
                                 .row_bytes = row};
          const auto plan = plan_join(sizes, law);
          double least = join_cost(sizes, 0, law).total_bytes();
          for (double bits = 0; bits < 60; bits += 0.01)
            least = std::min(least, join_cost(sizes, bits, law).total_bytes());
          EXPECT_LE(plan.total_bytes(), least * (1 + 1e-12))
              << second << " " << share << " " << row;
          EXPECT_GE(plan.total_bytes(), least * (1 - 1e-4)) << second << " " << share << " " << row;
        }
}

TEST(JoinPlan, TheCheapestWayDependsOnTheSizes) {
  const auto way = [](double first, double second, double common, double row) {
    return plan_join({.first = first,
                      .second = second,
                      .common = common,
                      .key_bytes = 8,
                      .row_bytes = row})
        .cheapest();
  };
  EXPECT_EQ(way(1e6, 100, 50, 8), join_way::second_whole)
      << "a filter of a million keys for a hundred";
  EXPECT_EQ(way(1e6, 1e6, 1e6, 8), join_way::second_whole) << "all match: nothing to spare";
  EXPECT_EQ(way(1e5, 1e6, 1e4, 8), join_way::filter);
  EXPECT_EQ(way(1e3, 1e9, 10, 1e6), join_way::filter);
  EXPECT_EQ(
      plan_join({.first = 1e3, .second = 1e9, .common = 10, .key_bytes = 2, .row_bytes = 1000})
          .cheapest(),
      join_way::first_whole)
      << "keys shorter than their share of a filter";
}

// The planned cost is the cost of an exchange, within the deviation of the false positives and the
// rounding of probes.
TEST(JoinPlan, IsWhatAnExchangeCosts) {
  const keys first = numbered(0, 20'000), second = numbered(18'000, 218'000);
  const auto plan = plan_join({.first = 20'000, .second = 200'000, .common = 2000});
  const auto filter =
      bloom_filter::build(first, {.bits = static_cast<std::uint64_t>(plan.bits_per_key * 20'000)});
  const auto found = candidates(filter, second);
  EXPECT_NEAR(static_cast<double>(found.cost.filter_bytes), plan.filter_bytes, 8);
  const double non_members = 198'000 * plan.fpr;
  EXPECT_NEAR(static_cast<double>(found.cost.sent_bytes), plan.candidate_bytes,
              8 * (5 * std::sqrt(non_members) + 0.03 * non_members));
}

}  // namespace
}  // namespace umbel::recon::join_test
