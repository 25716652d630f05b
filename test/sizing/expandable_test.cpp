// expandable_test.cpp - fingerprint lengths over the generations of an expandable filter [DBRT23]:
// the sum of rates stays within the bound, and plans keep it.
#include <umbel/sizing/expandable.hpp>

#include <cmath>

#include <gtest/gtest.h>

#include <umbel/sizing/quotient.hpp>

namespace umbel::sizing::expandable_test {
namespace {

TEST(Expandable, GenerationsAddUpToNoMoreThanTheBound) {
  double sum = 1;
  for (unsigned g = 1; g <= expandable_max_generation; ++g) {
    EXPECT_GE(std::exp2(expandable_extra(g)), (g + 1.0) * (g + 1.0));
    EXPECT_LT(std::exp2(expandable_extra(g)), 2.0 * (g + 1) * (g + 1));
    sum += std::exp2(-static_cast<double>(expandable_extra(g))) / 2;
  }
  EXPECT_LE(sum, expandable_growth);
  EXPECT_GT(sum, 1.2);
  EXPECT_EQ(expandable_extra(0), 0U);
  EXPECT_EQ(expandable_length(7, 1), 9U);
  EXPECT_EQ(expandable_length(54, 7), expandable_max_length);
}

TEST(Expandable, PlansKeepTheirRateForEverWithTheShortestFingerprints) {
  for (double eps = 0.9; eps > 1e-15; eps /= 3) {
    const auto made = plan_expandable_for_rate(100'000, eps);
    EXPECT_LE(made.bound, eps * (1 + 1e-8));
    EXPECT_LE(made.fpr, made.bound);
    EXPECT_TRUE(made.length == 1 || expandable_bound(made.length - 1) > eps);
  }
  EXPECT_GT(plan_expandable_for_rate(100, 1e-18).bound, 1e-18) << "out of reach: the best there is";
}

TEST(Expandable, BitsAndKeysGiveEachOther) {
  for (const std::uint64_t n : {1ULL, 60ULL, 61ULL, 10'000ULL, 1'000'000ULL}) {
    for (const double eps : {0.3, 0.01, 1e-6}) {
      const auto made = plan_expandable_for_rate(n, eps);
      const std::uint64_t bits = made.blocks * (64 * (made.length + 1) + 136);
      EXPECT_GE(expandable_room_for(bits, eps).keys, n);
      EXPECT_EQ(expandable_room_for(bits, eps).blocks, made.blocks);
      EXPECT_GE(plan_expandable_for_bits(n, bits).length, made.length);
    }
  }
  EXPECT_EQ(plan_expandable_for_bits(1'000'000, 1).blocks, 1U);
  EXPECT_EQ(plan_expandable_for_bits(1'000'000, 1).keys, quotient_room(quotient_block_slots));
}

}  // namespace
}  // namespace umbel::sizing::expandable_test
