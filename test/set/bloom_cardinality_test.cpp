// set/bloom_cardinality_test.cpp - estimated number of keys of a Bloom filter: unbiased, with a
// correct standard error, and `saturated` instead of infinity [WVT90].
#include <umbel/set/bloom_filter.hpp>

#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include "support/statistics_gate.hpp"

namespace umbel::bloom_cardinality_test {
namespace {

using statistics::member;

TEST(BloomCardinality, LiesWithinFiveStandardErrors) {
  for (const std::uint64_t n : {1U, 10U, 100U, 1000U, 10'000U, 30'000U}) {
    for (std::uint64_t s = 0; s < 5; ++s) {
      bloom_filter filter({.keys = 10'000, .bits = 95'851, .probes = 7, .hash = hasher::seeded(s)});
      (void)filter.insert_batch(statistics::members(n, s));
      const estimate found = filter.cardinality();
      EXPECT_FALSE(found.saturated);
      // One key sets 7 bits or fewer: below one key the estimate is granular, not normal.
      EXPECT_NEAR(found.value, static_cast<double>(n), 5 * found.standard_error + 0.5) << n;
      if (n == 10'000) {
        EXPECT_NEAR(found.standard_error, 26.0, 1);
      }
    }
  }
}

// Over 400 filters the deviations in units of the stated error have mean 0 and variance 1: 5 sigmas
// of each are 5/sqrt(400) and 5*sqrt(2/400).
TEST(BloomCardinality, StandardErrorMatchesTheObservedDeviation) {
  constexpr int filters = 400;
  double sum = 0, squares = 0;
  for (std::uint64_t s = 0; s < filters; ++s) {
    bloom_filter filter({.keys = 1000, .bits = 10'000, .probes = 7, .hash = hasher::seeded(s)});
    (void)filter.insert_batch(statistics::members(1500, s));
    const estimate found = filter.cardinality();
    const double z = (found.value - 1500) / found.standard_error;
    sum += z;
    squares += z * z;
  }
  EXPECT_TRUE(statistics::within(sum / filters, 0, 1 / std::sqrt(filters)));
  EXPECT_TRUE(statistics::within(squares / filters, 1, std::sqrt(2.0 / filters)));
}

TEST(BloomCardinality, RepeatsDoNotCount) {
  bloom_filter filter({.keys = 1000, .fpr = 0.01});
  for (int round = 0; round < 5; ++round) (void)filter.insert_batch(statistics::members(500));
  const estimate found = filter.cardinality();
  EXPECT_TRUE(statistics::within(found.value, 500, found.standard_error));
}

TEST(BloomCardinality, OfNothingIsZero) {
  for (const std::uint64_t bits : {1U, 2U, 64U, 100'000U}) {
    const estimate found = bloom_filter({.keys = 10, .bits = bits}).cardinality();
    EXPECT_EQ(found.value, 0) << bits;
    EXPECT_FALSE(std::signbit(found.value)) << bits << " bits: printed as -0";
    EXPECT_EQ(found.standard_error, 0) << bits;
    EXPECT_FALSE(found.saturated) << bits;
  }
}

// All bits set: the number of keys may be anything. The estimate says so; its value is finite and a
// lower bound.
TEST(BloomCardinality, FullIsSaturatedNeverInfinite) {
  for (const std::uint64_t bits : {1U, 2U, 64U, 100U, 1000U}) {
    bloom_filter filter({.keys = 10, .bits = bits, .probes = 4});
    for (std::uint64_t i = 0; i < 100 * bits; ++i) (void)filter.insert(member(i));
    ASSERT_EQ(filter.fill(), 1) << bits;
    const estimate found = filter.cardinality();
    EXPECT_TRUE(found.saturated) << bits;
    EXPECT_TRUE(std::isfinite(found.value)) << bits;
    EXPECT_TRUE(std::isfinite(found.standard_error)) << bits;
    EXPECT_LT(found.value, 100.0 * static_cast<double>(bits)) << bits;
    const overlap with_itself = filter.overlap_with(filter);
    EXPECT_TRUE(with_itself.either.saturated);
    EXPECT_TRUE(std::isfinite(with_itself.common) && std::isfinite(with_itself.common_raw));
    EXPECT_TRUE(std::isfinite(with_itself.jaccard()) &&
                std::isfinite(with_itself.symmetric_difference()));
    EXPECT_EQ(filter.expected_fpr(), 1);
  }
}

}  // namespace
}  // namespace umbel::bloom_cardinality_test
