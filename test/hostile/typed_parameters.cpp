// typed_parameters.cpp - options of a single class (bad-inputs 14 and 15): the number of probes of
// a Bloom filter.
#include <gtest/gtest.h>

#include <umbel/set/bloom_filter.hpp>

#include "support/keys.hpp"

namespace umbel::test {
namespace {

TEST(BloomProbes, TooManyAreRefused) {
  for (const unsigned probes : {sizing::bloom_max_probes + 1, 1U << 16, ~0U}) {
    EXPECT_THROW(bloom_filter({.keys = 100, .fpr = 0.01, .probes = probes}), bad_parameter)
        << probes;
    EXPECT_THROW(bloom_filter({.keys = 100, .bits = 1000, .probes = probes}), bad_parameter)
        << probes;
    EXPECT_THROW(bloom_filter({.fpr = 0.01, .bits = 1000, .probes = probes}), bad_parameter)
        << probes;
  }
}

// 0 asks for the best number of probes.
TEST(BloomProbes, NoneMeansTheBest) {
  EXPECT_EQ(bloom_filter({.keys = 1000, .fpr = 0.01, .probes = 0}).probes(), 7U);
}

TEST(BloomProbes, EveryPossibleNumberWorks) {
  const auto keys = members(50, 1);
  for (unsigned probes = 1; probes <= sizing::bloom_max_probes; probes += probes < 20 ? 1 : 101) {
    bloom_filter filter({.keys = keys.size(), .bits = 5000, .probes = probes});
    filter.insert_batch(keys);
    bool found[50];
    filter.may_contain_batch(keys, found);
    for (std::size_t i = 0; i < keys.size(); ++i)
      ASSERT_TRUE(found[i] && filter.may_contain(keys[i])) << probes << " probes";
  }
}

// With the most probes, few bits and a rate near 1 a plan takes no time, however many keys would
// fit.
TEST(BloomProbes, ARateNearOneIsPlannedAtOnce) {
  for (const unsigned probes : {0U, 1U, 7U, sizing::bloom_max_probes}) {
    const auto plan =
        bloom_filter::plan({.fpr = 0.9999999999999999, .bits = 1000, .probes = probes});
    EXPECT_LE(plan.fpr, 0.9999999999999999) << plan;
  }
}

}  // namespace
}  // namespace umbel::test
