// bloom_rate_test.cpp - false positive rate of a Bloom filter: the exact [BGK08], classic [Blo70]
// and asymptotic formulas against golden values computed from the formulas.
#include <umbel/sizing/bloom.hpp>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <tuple>

#include <gtest/gtest.h>

namespace umbel::sizing::bloom_rate_test {
namespace {

// Relative agreement to the digits a table prints.
#define EXPECT_DIGITS(actual, expected, relative) \
  EXPECT_NEAR((actual) / (expected), 1.0, (relative))

struct exact_case {
  std::uint64_t m;
  unsigned k;
  std::uint64_t n;
  double exact, classic;
};
constexpr exact_case golden[] = {
    {2, 2, 1, 5.0 / 8, 9.0 / 16},       {16, 3, 3, .0905962, .0855187},
    {64, 8, 5, .00260362, .00227672},   {128, 4, 20, .0478867, .0471772},
    {512, 7, 51, .00817966, .00807818}, {1024, 7, 102, .00810968, .00805909}};

TEST(BloomRate, GoldenExactAndClassicValues) {
  for (const auto& [m, k, n, exact, classic] : golden) {
    EXPECT_DIGITS(bloom_fpr_exact(n, m, k), exact, 3e-6) << m;
    EXPECT_DIGITS(bloom_fpr_classic(double(n), double(m), k), classic, 3e-6) << m;
  }
}

// Bose's sum by enumeration: every outcome of k*n throws and k more of the non-member, counted one
// by one.
TEST(BloomRate, ExactRateMatchesEnumeration) {
  for (const auto& [m, k, n] :
       {std::tuple{2U, 2U, 1U}, {3U, 2U, 2U}, {4U, 3U, 1U}, {5U, 1U, 3U}, {3U, 2U, 3U}}) {
    const unsigned throws = k * (n + 1);
    std::uint64_t outcomes = 1, hits = 0;
    for (unsigned i = 0; i < throws; ++i) outcomes *= m;
    for (std::uint64_t outcome = 0; outcome < outcomes; ++outcome) {
      std::uint64_t rest = outcome;
      unsigned set = 0;
      bool all = true;
      for (unsigned i = 0; i < throws; ++i, rest /= m) {
        const unsigned bit = 1U << rest % m;
        if (i < k * n)
          set |= bit;
        else
          all = all && (set & bit) != 0;
      }
      hits += all;
    }
    EXPECT_DIGITS(bloom_fpr_exact(n, m, k), double(hits) / double(outcomes), 1e-12)
        << m << ' ' << k << ' ' << n;
  }
}

TEST(BloomRate, FormulasAreOrdered) {
  for (const std::uint64_t m : {10U, 64U, 333U, 1000U}) {
    for (const std::uint64_t n : {1U, 5U, 30U}) {
      for (unsigned k = 1; k <= 12; ++k) {
        const double asymptotic = bloom_fpr_asymptotic(double(n), double(m), k);
        const double classic = bloom_fpr_classic(double(n), double(m), k);
        const double exact = bloom_fpr_exact(n, m, k);
        EXPECT_LT(asymptotic, classic) << m << ' ' << n << ' ' << k;
        if (k == 1) {
          EXPECT_DIGITS(exact, classic, 1e-12) << "equality for one probe";
        } else {
          EXPECT_GT(exact, classic * (1 - 1e-12)) << m << ' ' << n << ' ' << k;
        }
      }
    }
  }
}

// The approximation for large m is within 1e-4 of the exact rate where it is used, and `bloom_fpr`
// has no step where it switches.
TEST(BloomRate, ShortcutMeetsTheExactRate) {
  EXPECT_DIGITS(bloom_fpr_corrected(102, 1024, 7), bloom_fpr_exact(102, 1024, 7), 1e-4);
  for (const std::uint64_t m : {1024U, 1500U, 2000U}) {
    for (const unsigned k : {1U, 3U, 7U, 10U}) {
      const auto n = static_cast<std::uint64_t>(double(m) * std::numbers::ln2 / k);
      EXPECT_DIGITS(bloom_fpr_corrected(double(n), double(m), k), bloom_fpr_exact(n, m, k), 1e-3)
          << m << ' ' << k;
      EXPECT_DIGITS(bloom_fpr(n, m, k), bloom_fpr_exact(n, m, k), 1e-3) << m << ' ' << k;
    }
  }
}

// [BGK08]: p^k < exact <= p^k (1 + O(slack)), wherever slack < 1; here with the constant 1 it is
// used with.
TEST(BloomRate, BoseBoundsHold) {
  for (const auto& [m, k, n] :
       {std::tuple{4096U, 2U, 2000U}, {8192U, 3U, 2000U}, {8192U, 2U, 4000U}}) {
    const double slack = bloom_bose_slack(n, m, k);
    ASSERT_LT(slack, 1) << m;
    const double lower = bloom_fpr_classic(n, m, k);
    const double exact = bloom_fpr_exact(n, m, k);
    EXPECT_GT(exact, lower);
    EXPECT_LE(exact, lower * (1 + slack));
  }
}

// The rates the filters' statistical gates use.
TEST(BloomRate, GateValues) {
  EXPECT_NEAR(bloom_fpr_asymptotic(1, 8, 6), .021577, 5e-7);
  EXPECT_NEAR(bloom_fpr_asymptotic(1, 10, 7), .008194, 5e-7);
  EXPECT_NEAR(bloom_fpr_asymptotic(1, 16, 11), .000459, 5e-7);
  EXPECT_NEAR(bloom_fpr_asymptotic(1, 5, 4), .0920, 5e-5) << "Squid's digests";
}

// [TRL12] Fig. 3: p over n for several m at real k = max(1, (m/n) ln 2).
TEST(BloomRate, Figure3) {
  constexpr double sizes[] = {64, 512, 1024, 4096};
  constexpr double keys[] = {10, 50, 100, 500, 1000};
  constexpr double expected[4][5] = {{.0462, .542, .790, 1, 1},
                                     {2.07e-11, .00730, .0854, .623, .858},
                                     {4.30e-22, 5.33e-5, .00730, .374, .623},
                                     {3.42e-86, 8.07e-18, 2.84e-9, .0195, .140}};
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 5; ++j) {
      const double k = std::max(1.0, sizes[i] / keys[j] * std::numbers::ln2);
      EXPECT_DIGITS(bloom_fpr_asymptotic(keys[j], sizes[i], k), expected[i][j], 5e-3)
          << sizes[i] << ' ' << keys[j];
    }
  }
}

TEST(BloomRate, MinimumIsTwoToTheMinusK) {
  for (const double c : {4.0, 8.0, 16.0, 30.0}) {
    const double k = c * std::numbers::ln2;
    EXPECT_DIGITS(bloom_fpr_asymptotic(1, c, k), std::exp2(-k), 1e-12);
    EXPECT_DIGITS(bloom_fpr_asymptotic(1, c, k), std::pow(0.6185, c), 2e-3);
  }
}

// [TRL12] Table I: f strictly falls in m, strictly rises in n, and has one minimum over integer k.
TEST(BloomRate, TableOneLaws) {
  for (double m = 100; m < 3000; m += 37) {
    EXPECT_GT(bloom_fpr_classic(100, m, 5), bloom_fpr_classic(100, m + 37, 5));
    EXPECT_GT(bloom_fpr_asymptotic(100, m, 5), bloom_fpr_asymptotic(100, m + 37, 5));
  }
  for (std::uint64_t n = 1; n < 300; n += 3) {
    EXPECT_LT(bloom_fpr_classic(double(n), 1000, 5), bloom_fpr_classic(double(n + 3), 1000, 5));
    EXPECT_LT(bloom_fpr_exact(n, 200, 3), bloom_fpr_exact(n + 3, 200, 3));
  }
  for (const double c : {3.0, 8.0, 12.0, 20.0}) {
    const double best = c * std::numbers::ln2;
    unsigned turns = 0;
    bool falling = true;
    for (unsigned k = 1; k < 4 * best; ++k) {
      const bool falls =
          bloom_fpr_asymptotic(1000, 1000 * c, k + 1) < bloom_fpr_asymptotic(1000, 1000 * c, k);
      turns += falls != falling;
      falling = falls;
      if (k + 1 < best) {
        EXPECT_TRUE(falls) << c << ' ' << k;
      }
      if (k > best) {
        EXPECT_FALSE(falls) << c << ' ' << k;
      }
    }
    EXPECT_LE(turns, 1U) << c;
  }
}

TEST(BloomRate, ExtremesAreRatesNotNaN) {
  for (const unsigned k : {1U, 7U, 1024U}) {
    EXPECT_EQ(bloom_fpr(0, 100, k), 0);
    EXPECT_EQ(bloom_fpr(0, 1 << 20, k), 0);
    EXPECT_DOUBLE_EQ(bloom_fpr(1, 1, k), 1);
    EXPECT_DOUBLE_EQ(bloom_fpr(std::uint64_t{1} << 50, 1000, k), 1);
  }
  const double tiny = bloom_fpr(1, max_bits, 4);
  EXPECT_GT(tiny, 0);
  EXPECT_LT(tiny, 1e-60);
}

}  // namespace
}  // namespace umbel::sizing::bloom_rate_test
