// sizing/selection_test.cpp - gain of choosing among hashes, by formula [HKL07], [JCR07].
#include <umbel/sizing/selection.hpp>

#include <cmath>

#include <gtest/gtest.h>

namespace umbel::sizing::selection_test {
namespace {

TEST(LargestNormal, MatchesReferenceValues) {
  for (const auto& [count, mean] : {std::pair{1.0, 0.0},
                                    {2.0, 0.564},
                                    {4.0, 1.029},
                                    {8.0, 1.424},
                                    {16.0, 1.766},
                                    {64.0, 2.344},
                                    {256.0, 2.827}})
    EXPECT_NEAR(mean_largest_normal(count), mean, 0.0006) << count;
  // Closed form for three, and the limit for many.
  EXPECT_NEAR(mean_largest_normal(3), 1.5 / std::sqrt(std::acos(-1)), 1e-12);
  EXPECT_NEAR(mean_largest_normal(65536), 4.2911, 0.0005);
}

TEST(SelectedRate, OneCandidateIsAPlainFilter) {
  for (const auto& [n, m, k] :
       {std::tuple{100.0, 800.0, 6.0}, {4000.0, 32000.0, 7.0}, {1e6, 1e7, 7.0}})
    for (const double groups : {1.0, n / 16, n})
      EXPECT_NEAR(selected_fpr(n, m, k, {.groups = groups, .candidates = 1}),
                  bloom_fpr_corrected(n, m, k), 0.002 * bloom_fpr_corrected(n, m, k))
          << n << " keys in " << groups << " groups";
}

// n = 4000, c = 8, k = 7. Reference figures are means of five simulated filters, which deviate by
// 0.9 %, to two digits.
TEST(SelectedRate, MatchesReferenceValues) {
  for (const auto& [groups, candidates, rate] : {std::tuple{100.0, 16.0, .0160},
                                                 {1000.0, 16.0, .0069},
                                                 {1000.0, 64.0, .0045},
                                                 {4000.0, 16.0, .0030}}) {
    const double predicted = selected_fpr(4000, 32000, 7, {groups, candidates});
    EXPECT_NEAR(predicted, rate, 0.02 * rate + 0.00005)
        << groups << " groups, " << candidates << " candidates";
  }
}

// However few the bits: no set errs less than 2^-bits, counting the bits of the choices.
TEST(SelectedRate, OfFewBitsStaysAboveTheBound) {
  for (const double n : {1000.0, 1e5, 1e7, 3e9})
    for (const double per_key : {1e-4, 1e-3, 0.008, 0.03, 0.1, 0.3, 1.0, 2.0})
      for (const double k : {1.0, 2.0, 5.0, 30.0})
        EXPECT_GE(selected_fpr(n, n * per_key, k, {.groups = n / 4, .candidates = 32}),
                  std::exp2(-per_key - 5.0 / 4))
            << n << " keys, " << per_key << " bits per key, " << k << " probes";
}

// m = 800 and 8000, k = 6, c = 8: the ratio to the plain rate, to the digits of the reference.
TEST(BestOfRate, MatchesReferenceValues) {
  for (const auto& [m, tries, ratio] : {std::tuple{800.0, 16.0, .81},
                                        {800.0, 256.0, .72},
                                        {8000.0, 16.0, .94},
                                        {8000.0, 256.0, .90}}) {
    const double plain =
        bloom_fpr(static_cast<std::uint64_t>(m / 8), static_cast<std::uint64_t>(m), 6);
    EXPECT_NEAR(selected_fpr(m / 8, m, 6, {.groups = 1, .candidates = tries}) / plain, ratio, 0.006)
        << m << " bits, " << tries << " tries";
  }
}

// Single keys of one probe each: with C candidates a key adds a bit only if all of them are clear.
// At m = n bits the fill r(x) after x n keys obeys r' = (1-r)^C, so r = 1 - (1 + (C-1)
// x)^(-1/(C-1)); sizes of groups change that little.
TEST(SelectedRate, OfSingleProbesInClosedForm) {
  for (const double c : {2.0, 4.0, 16.0}) {
    const double fill = selected_fill(1e4, 1e4, 1, {.groups = 1e8, .candidates = c});
    EXPECT_NEAR(fill, 1 - std::pow(c, -1 / (c - 1)), 0.002) << c;
  }
}

TEST(SelectedRate, FallsWithCandidatesBitsAndGroups) {
  double before = 1;
  for (const double candidates : {1., 2., 4., 8., 32., 256.}) {
    const double rate = selected_fpr(1e5, 1e6, 8, {1e4, candidates});
    EXPECT_LT(rate, before) << candidates;
    before = rate;
  }
  before = 1;
  // 64 is where steps begin.
  for (const double groups : {1., 2., 10., 63., 64., 65., 100., 1000., 1e4, 1e5}) {
    const double rate = selected_fpr(1e5, 1e6, 8, {groups, 32});
    EXPECT_LT(rate, before) << groups;
    before = rate;
  }
  before = 1;
  for (double m = 2e5; m < 4e6; m *= 1.01) {
    const double rate = selected_fpr(1e5, m, 8, {1e4, 32});
    EXPECT_LT(rate, before) << m;
    before = rate;
  }
}

TEST(SelectedPlans, AreTheSmallestThatKeepTheRate) {
  for (const selection& among : {selection{1, 16}, {2500, 32}, {10'000, 4}})
    for (const double eps : {0.5, 0.1, 0.01, 1.0 / 256, 1e-6})
      for (const unsigned probes : {0U, 3U, 12U}) {
        const auto plan = plan_selected_for_rate(10'000, eps, among, probes);
        EXPECT_LE(plan.fpr, eps);
        if (probes != 0) {
          EXPECT_EQ(plan.probes, probes);
        }
        const auto less = static_cast<std::uint64_t>(static_cast<double>(plan.bits) * 0.999) - 1;
        EXPECT_GT(plan_selected_for_bits(10'000, less, among, plan.probes).fpr, eps);
        EXPECT_LE(plan_selected_for_bits(10'000, plan.bits, among, probes).fpr, eps);
      }
}

// The rate has one minimum over the number of probes, at or above that of a plain filter, and plans
// use it.
TEST(SelectedPlans, TakeTheBestNumberOfProbes) {
  for (const double c : {2.0, 5.0, 8.0, 12.0, 16.0, 24.0})
    for (const double candidates : {2.0, 32.0, 256.0}) {
      const selection among{2500, candidates};
      const auto plan = plan_selected_for_bits(10'000, static_cast<std::uint64_t>(c * 1e4), among);
      EXPECT_GE(plan.probes + 1, bloom_probes(10'000, plan.bits));
      for (unsigned k = 1; k <= 3 * plan.probes; ++k)
        EXPECT_GE(plan_selected_for_bits(10'000, plan.bits, among, k).fpr, plan.fpr)
            << c << " bits per key, " << k;
    }
}

TEST(SelectedPlans, ReportRatesOutOfReach) {
  EXPECT_GT(plan_selected_for_rate(std::uint64_t{1} << 50, 0x1p-60, {1, 16}).fpr, 0x1p-60);
}

}  // namespace
}  // namespace umbel::sizing::selection_test
