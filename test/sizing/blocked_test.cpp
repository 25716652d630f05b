// sizing/blocked_test.cpp - the rate of split blocks: the sheet's table, and that plans invert it.
// Source     Sheet 01 section 8: true rate = sum over i of Pois(i; 256/c) * (1 - (31/32)^i)^8.
#include <umbel/sizing/blocked.hpp>

#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

namespace umbel::sizing {
namespace {

TEST(PoissonAverage, OfSimpleRates) {
  for (const double mean : {0.01, 0.5, 3.0, 25.6, 1000.0}) {
    EXPECT_NEAR(poisson_average(mean, [](double) { return 1.0; }), 1, 1e-9) << mean;
    EXPECT_NEAR(poisson_average(mean, [](double i) { return i; }) / mean, 1, 1e-9) << mean;
    // E[z^i] = exp(mean (z - 1))
    EXPECT_NEAR(poisson_average(mean, [](double i) { return std::pow(0.9, i); }), std::exp(-0.1 * mean), 1e-9) << mean;
  }
}

TEST(SplitBlockRate, OfTheSheet) {
  EXPECT_NEAR(lanes_fpr(8, 32, 8), .0332, 5e-5);
  EXPECT_NEAR(lanes_fpr(12, 32, 8), .00542, 5e-6);
  EXPECT_NEAR(lanes_fpr(16, 32, 8), .00132, 5e-6);
}

// Bits per key for 10 %, 1 %, .1 %, .01 %, .001 %, to the digits the sheet prints.
TEST(SplitBlockRate, BitsPerKeyForARate) {
  constexpr struct {
    double eps, bits, rounding;
  } table[] = {{.1, 6.0, .05}, {.01, 10.5, .05}, {.001, 16.9, .05}, {1e-4, 26.35, .1}, {1e-5, 41, .5}};
  for (const auto& [eps, bits, rounding] : table) {
    const auto blocks = split_blocks_for_rate(10'000'000, eps);
    EXPECT_NEAR(static_cast<double>(blocks) * 256 / 1e7, bits, rounding) << eps;
  }
}

// The quick rule -8/ln(1 - eps^(1/8)) underestimates what is needed: blocks fill unevenly.
TEST(SplitBlockRate, QuickRuleUnderestimates) {
  for (const double eps : {.1, .01, .001, 1e-4}) {
    const double quick = -8 / std::log(1 - std::pow(eps, 1.0 / 8));
    EXPECT_LT(quick, static_cast<double>(split_blocks_for_rate(10'000'000, eps)) * 256 / 1e7) << eps;
    EXPECT_GT(lanes_fpr(quick, 32, 8), eps);
  }
}

TEST(SplitBlockRate, FallsWithBitsPerKey) {
  for (double c = 1; c < 60; c += 0.5) EXPECT_GT(lanes_fpr(c, 32, 8), lanes_fpr(c + 0.5, 32, 8)) << c;
}

TEST(SplitBlockPlan, KeepsTheRateWithTheFewestBlocks) {
  for (const std::uint64_t n : {1U, 10U, 1000U, 100'000U, 10'000'000U}) {
    for (const double eps : {.3, .1, .01, .001, 1e-5, 1e-9}) {
      const auto blocks = split_blocks_for_rate(n, eps);
      const auto per_key = [&](std::uint64_t z) { return static_cast<double>(z) * 256 / static_cast<double>(n); };
      EXPECT_LE(lanes_fpr(per_key(blocks), 32, 8), eps * (1 + 1e-9)) << n << ' ' << eps;
      if (blocks > 1) {
        EXPECT_GT(lanes_fpr(per_key(blocks - 1), 32, 8), eps) << n << ' ' << eps;
      }
    }
  }
}

// With one lane of b bits in one block, n balls fall into b bins: the textbook error of linear counting.
TEST(SplitBlockCardinality, ErrorOfOneBlockIsLinearCounting) {
  const double n = 20, b = 4096;
  const double linear = std::sqrt(b * (std::exp(n / b) - n / b - 1));
  EXPECT_NEAR(lanes_cardinality_error(n, 1, b, 1) / linear, 1, 0.01);
  EXPECT_EQ(lanes_cardinality_error(0, 10, 32, 8), 0);
}

}  // namespace
}  // namespace umbel::sizing
