// bloom_plan_test.cpp - plans of Bloom filters: bits, probes and keys by the textbook formulas
// [BM04], and plans that keep the rate.
#include <umbel/sizing/bloom.hpp>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <numbers>

#include <gtest/gtest.h>

namespace umbel::sizing::bloom_plan_test {
namespace {

constexpr double ln2_squared = std::numbers::ln2 * std::numbers::ln2;
constexpr double rates[] = {0.5, 0.3, 0.1, 0.05, 0.01, 0.001, 1e-4, 1e-6, 1e-9, 0x1p-64};

TEST(BloomForms, BitsForKeysAndRate) {
  EXPECT_EQ(bloom_bits(1000, 0.01), 9586U);
  EXPECT_EQ(bloom_bits(10'000, 0.01), 95851U);
  EXPECT_EQ(bloom_bits(1, 0.5), 2U);  // 1.4427
  for (const double eps : rates) {
    const auto m = static_cast<double>(bloom_bits(1'000'000, eps));
    EXPECT_GE(m, -1e6 * std::log(eps) / ln2_squared);
    EXPECT_LT(m, -1e6 * std::log(eps) / ln2_squared + 1);
    EXPECT_NEAR(m / 1e6 / (-std::log2(eps) * std::numbers::log2e), 1, 1e-5)
        << "1.4427 times the lower bound";
  }
}

TEST(BloomForms, BitsForKeysProbesAndRate) {
  for (const double eps : rates) {
    for (const unsigned k : {2U, 4U, 7U, 13U}) {
      const std::uint64_t m = bloom_bits(10'000, k, eps);
      if (m >= max_bits) continue;  // two probes cannot reach 2^-64 in any memory
      EXPECT_LE(bloom_fpr_asymptotic(10'000, double(m), k), eps * (1 + 1e-9)) << eps << ' ' << k;
      EXPECT_GT(bloom_fpr_asymptotic(10'000, double(m - 1), k), eps * (1 - 1e-9))
          << "one bit less is too few";
    }
  }
}

TEST(BloomForms, CapacityOfBitsAtARate) {
  EXPECT_EQ(bloom_capacity(95851, 0.01), 10'000U);
  EXPECT_EQ(bloom_capacity(95850, 0.01), 9'999U);
  for (const double eps : rates) {
    const std::uint64_t n = bloom_capacity(1'000'000, eps);
    EXPECT_LE(bloom_bits(n, eps), 1'000'000U) << eps;
    EXPECT_GT(bloom_bits(n + 1, eps), 1'000'000U) << eps;
  }
}

// Whichever of floor and ceiling of (m/n) ln 2 gives the smaller rate, at least 1.
TEST(BloomForms, BestIntegerProbes) {
  EXPECT_EQ(bloom_probes(1, 8), 6U);
  EXPECT_EQ(bloom_probes(1, 10), 7U);
  EXPECT_EQ(bloom_probes(1, 16), 11U);
  EXPECT_EQ(bloom_probes(1000, 1), 1U) << "never none";
  EXPECT_EQ(bloom_probes(0, 64), bloom_probes(1, 64)) << "no keys is planned as one";
  for (std::uint64_t m = 1; m < 4000; m += 7) {
    const unsigned k = bloom_probes(100, m);
    const double here = bloom_fpr_asymptotic(100, double(m), k);
    EXPECT_LE(here, bloom_fpr_asymptotic(100, double(m), k + 1)) << m;
    if (k > 1) {
      EXPECT_LE(here, bloom_fpr_asymptotic(100, double(m), k - 1)) << m;
    }
  }
  EXPECT_LE(bloom_probes(1, max_bits), bloom_max_probes);
}

// The classic rate is least where (1 - 1/m)^(kn) = 1/2, just below (m/n) ln 2: 5.502 against 5.545
// at m = 64, n = 8.
TEST(BloomForms, RealOptimumOfTheClassicRate) {
  EXPECT_NEAR(bloom_optimal_probes(8, 64), 5.502, 5e-4);
  EXPECT_NEAR(64 / 8.0 * std::numbers::ln2, 5.545, 5e-4);
  for (const double m : {64.0, 500.0, 4096.0}) {
    const double k = bloom_optimal_probes(m / 8, m);
    EXPECT_NEAR(std::pow(1 - 1 / m, k * m / 8), 0.5, 1e-12);
    EXPECT_LT(bloom_fpr_classic(m / 8, m, k), bloom_fpr_classic(m / 8, m, k * 1.001));
    EXPECT_LT(bloom_fpr_classic(m / 8, m, k), bloom_fpr_classic(m / 8, m, k * 0.999));
    EXPECT_LT(k, 8 * std::numbers::ln2);
  }
  EXPECT_NEAR(9.0 / 13 / std::numbers::ln2, 1 - .0012, 1e-4)
      << "the survey's fraction is .12 % low";
}

TEST(BloomPlan, ForARateKeepsItAndIsNearlySmallest) {
  for (const std::uint64_t n : {1U, 2U, 3U, 10U, 100U, 1000U, 10'000U, 1'000'000U}) {
    for (const double eps : rates) {
      const auto plan = plan_bloom_for_rate(n, eps);
      EXPECT_LE(plan.fpr, eps) << n << ' ' << eps;
      EXPECT_DOUBLE_EQ(plan.fpr, bloom_fpr(n, plan.bits, plan.probes));
      EXPECT_GE(plan.probes, 1U);
      // Never below the textbook size for that many probes; above it only by what the exact rate
      // needs at small m.
      EXPECT_GE(plan.bits, bloom_bits(n, plan.probes, eps));
      EXPECT_LE(double(plan.bits), double(bloom_bits(n, eps)) * 1.01 + 64) << n << ' ' << eps;
      if (plan.bits > 1 && plan.bits < 100'000) {
        EXPECT_GT(bloom_fpr(n, plan.bits - 1, plan.probes), eps)
            << n << ' ' << eps << ": one bit less would do";
      }
    }
  }
}

// "Smallest with fpr <= eps" over all k. Where every (m, k) can be searched, no smaller size keeps
// the rate by more than 2 bits (the plan tries two values of k only).
TEST(BloomPlan, NoOtherProbesWouldSaveMuch) {
  for (const std::uint64_t n : {1U, 2U, 5U, 20U}) {
    for (const double eps : {0.3, 0.1, 0.01, 0.001}) {
      const auto plan = plan_bloom_for_rate(n, eps);
      std::uint64_t smallest = plan.bits;
      for (std::uint64_t m = 1; m < plan.bits; ++m)
        for (unsigned k = 1; k <= 20; ++k)
          if (smallest > m && bloom_fpr_exact(n, m, k) <= eps) smallest = m;
      EXPECT_LE(plan.bits, smallest + 2 + smallest / 50) << n << ' ' << eps;
    }
  }
}

TEST(BloomPlan, ForARateWithProbesGiven) {
  for (const unsigned k : {1U, 3U, 9U, 30U}) {
    const auto plan = plan_bloom_for_rate(5000, 0.01, k);
    EXPECT_EQ(plan.probes, k);
    EXPECT_LE(plan.fpr, 0.01);
    EXPECT_GT(bloom_fpr(5000, plan.bits - plan.bits / 10'000 - 2, k), 0.01);
  }
}

TEST(BloomPlan, ForBits) {
  const auto plan = plan_bloom_for_bits(1000, 10'000);
  EXPECT_EQ(plan.bits, 10'000U);
  EXPECT_EQ(plan.probes, 7U);
  EXPECT_DOUBLE_EQ(plan.fpr, bloom_fpr(1000, 10'000, 7));
  EXPECT_EQ(plan_bloom_for_bits(1000, 10'000, 3).probes, 3U);
}

// Capacity and rate are inverse: the capacity found keeps the rate, one more key exceeds it.
TEST(BloomPlan, RoomAndRateAreInverse) {
  for (const std::uint64_t m : {1U, 7U, 64U, 1000U, 1024U, 1025U, 65536U, 10'000'000U}) {
    for (const double eps : rates) {
      for (const unsigned probes : {0U, 1U, 5U}) {
        const auto room = bloom_room_for(m, eps, probes);
        if (probes != 0) {
          EXPECT_EQ(room.probes, probes);
        }
        EXPECT_LE(bloom_fpr(room.keys, m, room.probes), eps) << m << ' ' << eps << ' ' << probes;
        EXPECT_GT(plan_bloom_for_bits(room.keys + 1, m, probes).fpr, eps)
            << m << ' ' << eps << ' ' << probes;
      }
    }
  }
}

TEST(BloomPlan, RateAndRoomComeBackToTheSameKeys) {
  for (const std::uint64_t n : {10U, 1000U, 100'000U}) {
    for (const double eps : {0.1, 0.01, 1e-6}) {
      const auto plan = plan_bloom_for_rate(n, eps);
      const auto room = bloom_room_for(plan.bits, eps);
      EXPECT_GE(room.keys, n) << eps;
      EXPECT_LE(double(room.keys), double(n) * 1.005 + 1) << eps;
    }
  }
}

}  // namespace
}  // namespace umbel::sizing::bloom_plan_test
