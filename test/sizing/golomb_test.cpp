// sizing/golomb_test.cpp - bits per key of Golomb-Rice coded gaps [PSS07], and the best parameter.
// Idea       A code takes 1/(1 - (1 - 1/M)^(2^P)) + P bits; with M = 2^r: r + 1.54; with M =
//            1.497137 * 2^P: log2(M) + 1.470.
#include <umbel/sizing/golomb.hpp>

#include <cmath>

#include <gtest/gtest.h>

namespace umbel::sizing::golomb_test {
namespace {

TEST(GolombSize, MatchesReferenceValues) {
  for (const unsigned r : {8U, 10U, 16U, 20U}) {
    EXPECT_NEAR(golomb_bits_per_key(std::exp2(r), r - 1), r + 1.54, 0.005) << r;
    EXPECT_GT(golomb_bits_per_key(std::exp2(r), r - 1), r + 1.443) << "never below the entropy";
  }
  EXPECT_NEAR(golomb_bits_per_key(784931, 19), std::log2(784931.0) + 1.470, 0.0005) << "BIP 158";
  EXPECT_NEAR(784931 / std::exp2(19), 1.497137, 1e-6);
}

// A gap g costs P bits, one zero and floor(g / 2^P) ones. The formula is the mean cost over
// geometric gaps.
TEST(GolombSize, IsTheMeanCostOfGeometricGaps) {
  for (const auto& [spread, bits] : {std::pair{20.0, 4U}, {256.0, 7U}, {1000.0, 9U}}) {
    double mean = 0, odds = 1 / spread;
    for (double gap = 0; gap < 60 * spread; ++gap, odds *= 1 - 1 / spread)
      mean += odds * (bits + 1 + std::floor(gap / std::exp2(bits)));
    EXPECT_NEAR(golomb_bits_per_key(spread, bits), mean, 1e-6) << spread;
  }
}

TEST(GolombPlan, ChoosesTheBestRemainder) {
  for (double eps = 0.3; eps > 1e-9; eps *= 0.83) {
    const auto plan = plan_golomb(eps);
    const auto spread = static_cast<double>(plan.spread);
    EXPECT_LE(1 / spread, eps * (1 + 1e-9)) << eps;
    const double here = golomb_bits_per_key(spread, plan.remainder_bits);
    // round(log2(M ln 2)) may miss the best parameter by one where two are almost equal: never by
    // more than 0.02 bits.
    EXPECT_LE(here, golomb_bits_per_key(spread, plan.remainder_bits + 1) + 0.02) << eps;
    if (plan.remainder_bits > 0) {
      EXPECT_LE(here, golomb_bits_per_key(spread, plan.remainder_bits - 1) + 0.02) << eps;
    }
  }
}

TEST(GolombPlan, PowersOfTwoAreNotSpoiledByRounding) {
  for (unsigned r = 1; r <= 40; ++r) {
    const auto plan = plan_golomb(std::exp2(-static_cast<double>(r)));
    EXPECT_EQ(plan.spread, std::uint64_t{1} << r);
    if (r >= 2) {
      EXPECT_EQ(plan.remainder_bits, r - 1);
    }
  }
  EXPECT_EQ(plan_golomb(0.01).spread, 100U);
  EXPECT_EQ(plan_golomb(0.001).spread, 1000U);
}

TEST(GolombRate, CountsDistinctValues) {
  EXPECT_DOUBLE_EQ(golomb_fpr(1000, 1000, 256), 1.0 / 256);
  EXPECT_DOUBLE_EQ(golomb_fpr(990, 1000, 256), 990.0 / 256000);
  EXPECT_EQ(golomb_fpr(0, 0, 256), 0);
}

}  // namespace
}  // namespace umbel::sizing::golomb_test
