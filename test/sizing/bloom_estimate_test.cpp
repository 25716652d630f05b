// bloom_estimate_test.cpp - estimates from the bits of a Bloom filter: zeros, cardinality, overlap,
// probes; and lower bounds on the size of any set [TRL12], [BM04].
#include <umbel/sizing/bloom.hpp>

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace umbel::sizing::bloom_estimate_test {
namespace {

// Mean and variance of the number of zeros after `throws` balls into m bins, by the occupancy
// recurrence.
struct moments {
  double mean, variance;
};
moments exact_zeros(unsigned throws, unsigned m) {
  std::vector<double> odds(m + 1, 0.0);
  odds[0] = 1;
  for (unsigned t = 0; t < throws; ++t) {
    for (unsigned i = m; i > 0; --i) odds[i] = odds[i] * i / m + odds[i - 1] * (m - i + 1) / m;
    odds[0] = 0;
  }
  moments out{0, 0};
  for (unsigned i = 0; i <= m; ++i) out.mean += odds[i] * (m - i);
  for (unsigned i = 0; i <= m; ++i)
    out.variance += odds[i] * (m - i - out.mean) * (m - i - out.mean);
  return out;
}

TEST(BloomZeros, ExpectationAndVarianceAreThoseOfOccupancy) {
  for (const unsigned m : {50U, 400U, 1000U}) {
    for (const unsigned k : {1U, 4U, 8U}) {
      const unsigned n = m / 8;
      const auto truth = exact_zeros(k * n, m);
      EXPECT_NEAR(bloom_expected_zeros(n, m, k) / truth.mean, 1, 1e-9) << m << ' ' << k;
      EXPECT_NEAR(bloom_variance_of_zeros(n, m, k) / truth.variance, 1, 8.0 / m) << m << ' ' << k;
    }
  }
}

TEST(BloomZeros, AzumasInequalityIsALooseBound) {
  EXPECT_DOUBLE_EQ(bloom_azuma_bound(100, 1000, 7, 0), 2);
  EXPECT_NEAR(bloom_azuma_bound(100, 1000, 7, 0.05), 2 * std::exp(-2 * 0.0025 * 1e6 / 700), 1e-15);
  const double sigma = std::sqrt(bloom_variance_of_zeros(100, 1000, 7));
  for (const double sigmas : {2.0, 3.0, 5.0})
    EXPECT_GT(bloom_azuma_bound(100, 1000, 7, sigmas * sigma / 1000),
              std::erfc(sigmas / std::sqrt(2)))
        << sigmas;
}

TEST(BloomCardinality, InvertsTheExpectedZeros) {
  for (const double n : {0.0, 1.0, 100.0, 10'000.0, 50'000.0})
    EXPECT_NEAR(bloom_cardinality(bloom_expected_zeros(n, 95851, 7), 95851, 7), n, 1e-6 * n + 1e-9);
}

TEST(BloomCardinality, StandardErrorMatchesReferenceValues) {
  EXPECT_NEAR(bloom_cardinality_error(10'000, 95851, 7), 26.0, 0.05);  // 0.26 %
  // First-order propagation: sd(n) = sd(Z) / |dZ/dn|.
  for (const double n : {10.0, 1000.0, 20'000.0}) {
    const double slope = bloom_expected_zeros(n, 95851, 7) * 7 / 95851;
    EXPECT_NEAR(bloom_cardinality_error(n, 95851, 7),
                std::sqrt(bloom_variance_of_zeros(n, 95851, 7)) / slope, 0.01 + n / 1e4);
  }
  EXPECT_EQ(bloom_cardinality_error(0, 95851, 7), 0);
}

// E[popcount(A and B)] in two forms: the sum, and the per-bit probability that [BM04] misprints.
TEST(BloomOverlap, InnerProduct) {
  const double m = 10'000, k = 5, a = 700, b = 900;
  for (const double common : {0.0, 1.0, 300.0, 700.0}) {
    const double q = std::pow(1 - 1 / m, k);
    const double per_bit = (1 - std::pow(q, common)) + std::pow(q, common) *
                                                           (1 - std::pow(q, a - common)) *
                                                           (1 - std::pow(q, b - common));
    EXPECT_NEAR(bloom_inner_product(a, b, common, m, k), m * per_bit, 1e-6) << common;
  }
  EXPECT_NEAR(bloom_inner_product(a, a, a, m, k), m - bloom_expected_zeros(a, m, k), 1e-6)
      << "a set with itself";
  EXPECT_NEAR(bloom_inner_product(a, 0, 0, m, k), 0, 1e-9);
}

TEST(BloomOverlap, IntersectionSizeInvertsExpectations) {
  const double m = 10'000, k = 5, a = 700, b = 900;
  for (const double common : {0.0, 1.0, 300.0, 700.0}) {
    const double estimate =
        bloom_intersection_size(bloom_expected_zeros(a, m, k), bloom_expected_zeros(b, m, k),
                                bloom_expected_zeros(a + b - common, m, k), m, k);
    EXPECT_NEAR(estimate, common, 1e-6);
  }
}

// (1 - rho^k)/(1 - rho): below 2 at half fill whatever k is.
TEST(BloomProbes, OfANonMember) {
  EXPECT_DOUBLE_EQ(bloom_probes_per_non_member(0, 7), 1);
  EXPECT_DOUBLE_EQ(bloom_probes_per_non_member(1, 7), 7);
  for (unsigned k = 1; k <= 60; ++k) {
    const double probes = bloom_probes_per_non_member(0.5, k);
    EXPECT_LE(probes, 2);
    if (k < 50) {
      EXPECT_LT(probes, 2);
    }
    // Means over accepted (k probes) and rejected non-members (1/(1-rho) - k rho^k/(1-rho^k)).
    const double hit = std::pow(0.3, k);
    const double rejected = 1 / 0.7 - k * hit / (1 - hit);
    EXPECT_NEAR(bloom_probes_per_non_member(0.3, k), hit * k + (1 - hit) * rejected, 1e-12) << k;
  }
}

// The least bits per key of any set, n = 10^4, by size of the universe.
TEST(LowerBound, OnAFiniteUniverse) {
  constexpr double expected[3][3] = {
      {2.576, 3.725, 3.989}, {3.262, 6.110, 7.651}, {3.322, 6.644, 9.964}};
  constexpr double universes[] = {0x1p16, 0x1p20, 0x1p32};
  constexpr double rates[] = {.1, .01, .001};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      EXPECT_NEAR(set_lower_bound(1e4, rates[j], universes[i]) / 1e4, expected[i][j], 6e-4)
          << universes[i] << ' ' << rates[j];
}

TEST(LowerBound, LimitOfALargeUniverse) {
  EXPECT_NEAR(set_lower_bound(1000, 0.01), 1000 * std::log2(100), 1e-9);
  EXPECT_NEAR(set_lower_bound(1e4, .01, 0x1p40) / set_lower_bound(1e4, .01), 1, 1e-3);
  for (const double eps : {.1, .01, .001})
    EXPECT_LT(set_lower_bound(1e4, eps, 0x1p16), set_lower_bound(1e4, eps))
        << "before the limit it is not a bound";
}

}  // namespace
}  // namespace umbel::sizing::bloom_estimate_test
