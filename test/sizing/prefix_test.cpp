// prefix_test.cpp - plans of prefix filters [EEM22]: reference figures, minimal sizes, and
// inverses.
#include <umbel/sizing/prefix.hpp>

#include <cmath>

#include <gtest/gtest.h>

namespace umbel::sizing::prefix_test {
namespace {

TEST(Prefix, MatchesReferenceFigures) {
  EXPECT_NEAR(prefix_overflow_share(0.95), 0.0586, 0.00005);
  EXPECT_EQ(prefix_overflow_share(0), 0);
  const auto made = plan_prefix_for_rate(10'000'000, 0.01);
  EXPECT_EQ(made.pockets, static_cast<std::uint64_t>(std::ceil(10'000'000 / (25 * 0.95))));
  // Bits per key, without the spare.
  EXPECT_NEAR(static_cast<double>(made.pockets) * 256 / 1e7, 10.8, 0.03);
  EXPECT_NEAR(static_cast<double>(made.spare_blocks) * 256 / 12, 1.1 * 0.0586 * 1e7,
              1e-3 * 1.1 * 0.0586 * 1e7);
  EXPECT_GT(made.fpr, 0.0037);
  EXPECT_LT(made.fpr, 0.0041);
  // Split blocks of 12 bits per key: 0.54 %.
  EXPECT_LE(made.fpr, 0.95 / 256 + prefix_spare_queries(0.95) * 0.0054);
}

// The sum by its definition, term by term; and the share of a bin's range beyond its largest value
// by enumeration.
TEST(Prefix, SharesMatchTheirDefinitions) {
  for (const double load : {0.3, 0.5, 0.95, 1.0, 2.0}) {
    const double mean = 25 * load;
    double weight = std::exp(-mean), keys = 0, range = 0;
    for (int i = 1; i < 400; ++i) {
      weight *= mean / i;
      if (i <= 25) continue;
      keys += weight * (i - 25);
      range += weight * (i + 1 - 25) / (i + 1);
    }
    EXPECT_NEAR(prefix_overflow_share(load), keys / mean, 1e-9);
    EXPECT_NEAR(prefix_spare_queries(load), range, 1e-9);
  }
}

TEST(Prefix, APlanForARateIsTheCheapest) {
  for (const std::uint64_t n : {0ULL, 1ULL, 23ULL, 24ULL, 25ULL, 1000ULL, 100'000ULL, 1ULL << 40}) {
    for (double eps = 0.7; eps > 0.0022; eps /= 1.2) {
      const auto made = plan_prefix_for_rate(n, eps);
      if (n < 24 && made.fpr > eps) continue;  // one pocket is all that half a load allows
      ASSERT_LE(made.fpr, eps) << n;
      EXPECT_GE(static_cast<double>(made.pockets) * 25 * 0.95,
                static_cast<double>(n) * (1 - 1e-12));
      EXPECT_EQ(made.spare_blocks, prefix_spare_blocks(n, made.pockets));
      const std::uint64_t less = made.pockets - 1;
      if (less == 0 || static_cast<double>(less) * 25 * 0.95 < static_cast<double>(n)) continue;
      EXPECT_GT(prefix_fpr(n, less, prefix_spare_blocks(n, less)), eps) << n << " at " << eps;
    }
    EXPECT_TRUE(n < 1000 || plan_prefix_for_rate(n, 0.001).fpr > 0.001)
        << "out of reach: the best there is";
  }
}

TEST(Prefix, BitsAndKeysGiveEachOther) {
  for (const std::uint64_t n : {97ULL, 5000ULL, 1'000'000ULL}) {
    for (const double eps : {0.3, 0.01, 0.0035, 0.0025}) {
      const auto made = plan_prefix_for_rate(n, eps);
      const auto room = prefix_room_for(made.bits(), eps);
      EXPECT_GE(room.keys, n);
      EXPECT_LE(room.keys, n + n / 100 + 25);
      EXPECT_LE(room.fpr, eps);
      EXPECT_EQ(room.bits(), made.bits());
      const auto same = plan_prefix_for_bits(n, made.bits());
      EXPECT_EQ(same.bits(), made.bits());
      EXPECT_NEAR(same.fpr, made.fpr, 0.03 * made.fpr);
    }
    EXPECT_GT(prefix_room_for(n * 12, 0.001).fpr, 0.001) << "out of reach";
  }
  EXPECT_EQ(plan_prefix_for_bits(1, 1).bits(), 512U) << "one pocket and one block at least";
  const auto crowded = plan_prefix_for_bits(1'000'000, 6'000'000);
  EXPECT_EQ(crowded.bits(), 6'000'000 / 256 * 256U);
  EXPECT_GT(crowded.fpr, 0.3) << "half the keys are in a spare that has a fifteenth of the bits";
}

}  // namespace
}  // namespace umbel::sizing::prefix_test
