// two_choice_test.cpp - fluid limit of two-choice Bloom filters [LM07]: reference values, its
// inverse, special cases, and where a plain filter is better.
#include <umbel/sizing/two_choice.hpp>

#include <cmath>

#include <gtest/gtest.h>

#include <umbel/sizing/bloom.hpp>

namespace umbel::sizing::two_choice_test {
namespace {

constexpr double huge = 1e9;  // keys: plain rates at this size are their limits
[[nodiscard]] double plain(double c) {
  return bloom_fpr_asymptotic(huge, c * huge,
                              bloom_probes(1'000'000'000, static_cast<std::uint64_t>(c * huge)));
}

TEST(TwoChoiceSizing, MatchesReferenceValues) {
  struct bar {
    double c;
    unsigned k;
    double rate;
  };
  for (const auto& [c, k, rate] :
       {bar{8, 7, 0.0233}, bar{16, 13, 3.9e-4}, bar{24, 19, 7.0e-6}, bar{32, 24, 1.3e-7}}) {
    EXPECT_EQ(two_choice_probes(c, 2), k) << c;
    EXPECT_NEAR(two_choice_fpr(c, k, 2), rate, 0.02 * rate) << c;  // the bars have two digits
  }
  EXPECT_NEAR(two_choice_fpr(24, 18, 2) / two_choice_fpr(24, 19, 2), 1, 0.02);  // "k 18-19"
}

TEST(TwoChoiceSizing, LosesBelowTenBitsPerKeyAndWinsAbove) {
  for (const double c : {4.0, 6.0, 8.0, 9.0, 10.0})
    EXPECT_GT(two_choice_fpr(c, two_choice_probes(c, 2), 2), plain(c)) << c;
  for (const double c : {11.0, 12.0, 16.0, 24.0, 32.0})
    EXPECT_LT(two_choice_fpr(c, two_choice_probes(c, 2), 2), plain(c)) << c;
}

// The differential equation, one key at a time.
TEST(TwoChoiceSizing, FollowsTheEquationKeyByKey) {
  for (const unsigned g : {2U, 3U, 8U})
    for (const unsigned k : {1U, 7U, 13U}) {
      constexpr double n = 20'000, c = 12;
      double fill = 0;
      for (int key = 0; key < n; ++key) {
        const double half = fill + two_choice_new_bits(fill, k, g).mean / (2 * c * n);
        fill += two_choice_new_bits(half, k, g).mean / (c * n);
      }
      EXPECT_NEAR(two_choice_fill(c, k, g), fill, 1e-6) << g << " groups of " << k;
    }
}

TEST(TwoChoiceSizing, OneGroupIsThePlainFilter) {
  for (const unsigned k : {1U, 6U, 11U, 100U, 1024U})
    for (const double c : {2.0, 8.0, 16.0, 1000.0}) {
      const double fill = -std::expm1(-(k / c));
      EXPECT_NEAR(two_choice_fill(c, k, 1), fill, 1e-9) << k << " " << c;
      EXPECT_NEAR(two_choice_new_bits(fill, k, 1).mean, k * (1 - fill), 1e-9 * k);
      EXPECT_NEAR(two_choice_new_bits(fill, k, 1).variance, k * fill * (1 - fill), 1e-9 * k * k);
    }
  for (const double n : {100.0, 1000.0, 2000.0}) {  // of 8000 bits
    const auto told = two_choice_cardinality(-std::expm1(-6 * n / 8000), 8000, 6, 1);
    EXPECT_NEAR(told.keys, n, 1e-6 * n);
    EXPECT_NEAR(told.standard_error, bloom_cardinality_error(n, 8000, 6),
                1e-5 * told.standard_error);
  }
}

// E and v of small cases by enumeration: with k = 1 a key adds a bit only if the bits of all groups
// are clear.
TEST(TwoChoiceSizing, NewBitsOfOneProbe) {
  for (const double fill : {0.0, 0.25, 0.5, 0.9}) {
    const double all_clear = std::pow(1 - fill, 3);
    EXPECT_NEAR(two_choice_new_bits(fill, 1, 3).mean, all_clear, 1e-12);
    EXPECT_NEAR(two_choice_new_bits(fill, 1, 3).variance, all_clear * (1 - all_clear), 1e-12);
  }
}

TEST(TwoChoiceSizing, FillAndBitsPerKeyAreInverse) {
  for (const unsigned g : {2U, 5U, 8U})
    for (const unsigned k : {1U, 4U, 19U, 300U})
      for (const double c : {0.01, 1.0, 7.0, 40.0, 5000.0}) {
        const double fill = two_choice_fill(c, k, g);
        if (fill > 1 - 1e-6) continue;  // the fill itself has no digits left for it
        EXPECT_NEAR(two_choice_bits_per_key(fill, k, g) / c, 1, 1e-8) << g << " " << k << " " << c;
      }
}

TEST(TwoChoiceSizing, RatesFallWithSizeAndHaveOneBestNumberOfProbes) {
  double before = 1;
  for (double c = 1; c < 60; c *= 1.3) {
    const double rate = two_choice_fpr(c, 9, 2);
    EXPECT_LT(rate, before);
    before = rate;
  }
  for (const double c : {3.0, 10.0, 20.0}) {
    const unsigned best = two_choice_probes(c, 2);
    for (unsigned k = 1; k < 4 * best; ++k)
      EXPECT_EQ(two_choice_fpr(c, k, 2) > two_choice_fpr(c, k + 1, 2), k < best) << c << " " << k;
  }
}

TEST(TwoChoiceSizing, PlansKeepWhatTheyPromise) {
  for (const std::uint64_t n : {1ULL, 7ULL, 100ULL, 10'000ULL, 1ULL << 40})
    for (const double eps : {0.9, 0.1, 0.01, 1e-5, 1e-12, 0x1p-64})
      for (const unsigned g : {2U, 8U}) {
        const auto plan = plan_two_choice_for_rate(n, eps, g);
        EXPECT_LE(plan.fpr, eps * (1 + 1e-9)) << n << " " << eps;
        const auto room = two_choice_room_for(plan.bits, eps, g);
        EXPECT_EQ(room.probes, plan.probes);
        EXPECT_LE(plan_two_choice_for_bits(room.keys, plan.bits, g, room.probes).fpr,
                  eps * (1 + 1e-9));
        EXPECT_TRUE(n < 10'000 || room.keys >= n - n / 10'000)
            << n << " " << eps << ": room for " << room.keys;
      }
}

// One key, by hand: 2 groups of 1 probe. One bit of m is set, and a non-member meets it once or
// more.
TEST(TwoChoiceSizing, TheExactRateOfOneKey) {
  for (const std::uint64_t m : {1, 2, 10}) {
    const double miss = 1 - 1.0 / static_cast<double>(m);
    EXPECT_NEAR(two_choice_fpr_exact(1, m, 1, 2), 1 - miss * miss, 1e-12);
  }
}
TEST(TwoChoiceSizing, OneGroupsExactRateIsThePlainOne) {
  EXPECT_NEAR(two_choice_fpr_exact(1, 2, 2, 1), 5.0 / 8, 1e-12);
  EXPECT_NEAR(two_choice_fpr_exact(3, 16, 3, 1), 0.0905962, 1e-7);
  EXPECT_NEAR(two_choice_fpr_exact(5, 64, 8, 1), 0.00260362, 1e-8);
  EXPECT_NEAR(two_choice_fpr_exact(20, 128, 4, 1), 0.0478867, 1e-7);
}
TEST(TwoChoiceSizing, TheExactRateTendsToTheLimit) {
  double off = 1;
  for (const std::uint64_t n : {10, 30, 100}) {
    const double now = two_choice_fpr_exact(n, 10 * n, 8, 2) / two_choice_fpr(10, 8, 2) - 1;
    EXPECT_GT(now, 0);
    EXPECT_LT(now, 0.5 * off);  // as 1/n
    off = now;
  }
  EXPECT_LT(off, 0.015);
}

}  // namespace
}  // namespace umbel::sizing::two_choice_test
