// cascade_test.cpp - sizes and rates of filter cascades [CKRT04], [LCL17] against simulation,
// published figures and the bounds of the papers.
#include <bit>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/sizing/bloom.hpp>
#include <umbel/sizing/cascade.hpp>
#include <umbel/sizing/subset.hpp>

namespace cascade_test {
namespace {

using namespace umbel::sizing;

// [LCL17] and [Sch25] publish 19.3 MB for 11.7e6 revoked of 816e6; the bound there is 11 MB.
TEST(CascadeSizing, PublishedShape) {
  const double revoked = 11.7e6, all = 816e6;
  EXPECT_NEAR(exact_cascade_bits(revoked, all - revoked) / 8e6, 19.03, 0.01);
  EXPECT_NEAR(exact_cascade_bits(revoked, all - revoked) / 8e6, 19.3, 0.015 * 19.3);
  EXPECT_NEAR(subset_bits(all, revoked) / 8e6, 11.05, 0.01);
  const auto plan = plan_exact_cascade(11'700'000, 804'300'000);
  EXPECT_NEAR(static_cast<double>(plan.bits) / 8e6, 19.03, 0.01 * 19.03);
  EXPECT_LE(plan.layers, 40U);
}

TEST(CascadeSizing, SizesAreSymmetricInBothSides) {
  EXPECT_EQ(exact_cascade_bits(100, 900), exact_cascade_bits(900, 100));
  EXPECT_EQ(plan_exact_cascade(100, 900).bits, plan_exact_cascade(900, 100).bits);
  EXPECT_EQ(exact_cascade_bits(0, 100), 0);
  EXPECT_EQ(plan_exact_cascade(0, 100).bits, 0U);
  EXPECT_EQ(plan_exact_cascade(100, 0).layers, 0U);
}

TEST(CascadeSizing, CountsSubsets) {
  EXPECT_NEAR(subset_bits(10, 3), std::log2(120.0), 1e-9);
  EXPECT_NEAR(subset_bits(52, 5), std::log2(2598960.0), 1e-9);
  EXPECT_EQ(subset_bits(10, 0), 0);
  EXPECT_EQ(subset_bits(10, 10), 0);
  EXPECT_NEAR(subset_bits(1e9, 1e6), 1e6 * (std::log2(1e3) + std::numbers::log2e), 1e3);
}

// The query's walk through the levels with coins for filters: 1e6 non-members, five standard
// deviations.
TEST(CascadeSizing, NonMemberRateMatchesSimulation) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> coin;
  for (const unsigned values : {1U, 2U, 3U, 7U, 16U})
    for (const unsigned levels : {0U, 1U, 2U, 5U})
      for (const double tail : {0.0, 0.25}) {
        std::vector<double> accepts(std::size_t{values} * levels);
        for (double& p : accepts) p = coin(random) * (random() % 8 == 0 ? 0 : 0.6);
        constexpr int trials = 50'000;
        int hits = 0;
        for (int t = 0; t < trials; ++t) {
          std::uint32_t candidates = (1U << values) - 1;
          bool done = false;
          for (unsigned i = 0; i < levels && !done; ++i) {
            std::uint32_t accepted = 0;
            for (unsigned v = 0; v < values; ++v)
              if ((candidates >> v & 1) != 0 && coin(random) < accepts[i * values + v])
                accepted |= 1U << v;
            done = std::popcount(accepted) <= 1;
            hits += std::popcount(accepted) == 1;
            candidates = accepted;
          }
          if (!done) hits += coin(random) < tail;
        }
        const double rate = cascade_non_member_rate(accepts, values, tail);
        EXPECT_NEAR(hits, trials * rate, 5 * std::sqrt(trials * rate * (1 - rate)) + 1e-9)
            << values << " values, " << levels << " levels, tail " << tail;
      }
}

// Bits per key = log2(e) (log2(2/delta) + the cost of the few keys that are left).
TEST(CascadeSizing, TwoValuesTakeThePredictedBits) {
  for (const double delta : {0.1, 0.01, 1e-4}) {
    const auto plan = plan_cascade({.n = 1'000'000, .delta = delta});
    const double expected = std::numbers::log2e * (std::log2(2 / delta) + 2 * delta / 2);
    EXPECT_NEAR(static_cast<double>(plan.bits) / 1e6, expected, 0.01 * expected) << delta;
    EXPECT_LE(plan.fpr, delta);
    EXPECT_GE(plan.fpr, 0.9 * delta);
  }
}

// Measured by others: 5.5, 7.6, 9.6 bits per key, and 0.26, 0.11, 0.046 of the non-members for k =
// 2, 3, 4.
TEST(CascadeSizing, ThePapersCascade) {
  const double bits[] = {5.5, 7.6, 9.6}, rates[] = {0.26, 0.11, 0.046};
  for (unsigned k = 2; k <= 4; ++k) {
    const auto plan = plan_cascade({.n = 1'000'000, .levels = cascade_levels::paper, .k = k});
    EXPECT_NEAR(static_cast<double>(plan.bits) / 1e6, bits[k - 2], 0.07) << k;
    EXPECT_LE(static_cast<double>(plan.bits) / 1e6, 3 * k);
    EXPECT_NEAR(plan.fpr, rates[k - 2], 0.02 * rates[k - 2] + 0.004) << k;
    EXPECT_LE(plan.fpr, 2 * std::exp2(-static_cast<double>(k)));
    EXPECT_LE(plan.levels, paper_levels_bound(1e6, k));
  }
}

TEST(CascadeSizing, LevelsOfThePaperAreCut) {
  EXPECT_EQ(paper_filter(1000, 0, 3).bits, 6000U);  // 2 k n
  EXPECT_EQ(paper_filter(1000, 1, 3).bits, 24'000U);
  EXPECT_EQ(paper_filter(1, 3, 4).bits, std::uint64_t{1} << 32);
  EXPECT_EQ(paper_filter(1, 60, 64).bits, std::uint64_t{1} << 32);
  // A first level is not cut.
  EXPECT_EQ(paper_filter(std::uint64_t{1} << 40, 0, 2).bits, std::uint64_t{1} << 42);
  EXPECT_EQ(paper_filter(1, 0, 2).bits, 64U);
  EXPECT_EQ(paper_filter(0, 0, 2).bits, 0U);
}

TEST(CascadeSizing, FiltersKeepTheirRate) {
  for (const std::uint64_t n : {1U, 2U, 10U, 100U, 5000U, 1'000'000U})
    for (const double eps : {0.5, 0.25, 1.0 / 16, 0.005, 1e-9})
      for (const std::uint64_t least : {64U, 128U, 256U}) {
        const auto shape = cascade_filter(n, eps, least);
        EXPECT_GE(shape.bits, least);
        EXPECT_LE(bloom_fpr(n, shape.bits, shape.probes), eps * (1 + 1e-9)) << n << " " << eps;
      }
}

}  // namespace
}  // namespace cascade_test
