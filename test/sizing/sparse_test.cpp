// sparse_test.cpp - solvability thresholds of sparse systems [DP08], [GOV20] against their formula,
// and the sizes of buckets.
#include <umbel/sizing/sparse.hpp>

#include <cmath>

#include <gtest/gtest.h>

namespace umbel::sizing::sparse_test {
namespace {

// k (1 - e^-x)^(k-1) / x, where k = x (e^x - 1) / (e^x - 1 - x); the latter grows with x, from 2 at
// 0.
double by_formula(unsigned k) {
  double low = 1e-6, high = 20;
  for (int i = 0; i < 100; ++i) {
    const double x = (low + high) / 2;
    (x * std::expm1(x) / (std::expm1(x) - x) < k ? low : high) = x;
  }
  return k * std::pow(-std::expm1(-low), k - 1) / low;
}

TEST(SparseSizing, ThresholdsMatchTheFormula) {
  for (unsigned k = sparse_least_probes; k <= sparse_max_probes; ++k)
    EXPECT_NEAR(sparse_threshold(k), by_formula(k), 1e-6) << k;
}

TEST(SparseSizing, ThresholdsMatchReferenceValues) {
  EXPECT_NEAR(sparse_threshold(3), 1.0894, 5e-5);
  EXPECT_NEAR(sparse_threshold(4), 1.0238, 5e-5);
  EXPECT_NEAR(sparse_threshold(5), 1.0076, 5e-5);
  EXPECT_NEAR(sparse_threshold(6), 1.0026, 5e-5);
  EXPECT_NEAR(sparse_threshold(7), 1.00094, 1e-5);
  EXPECT_NEAR(sparse_threshold(8), 1.00034, 5e-6);
  // They tend to 1 + e^-k.
  for (unsigned k = 6; k <= 8; ++k)
    EXPECT_NEAR((sparse_threshold(k) - 1) / std::exp(-double(k)), 1, 0.06) << k;
}

TEST(SparseSizing, CellsAreAPercentAboveTheThreshold) {
  for (unsigned k = 3; k <= 8; ++k) {
    const double each = static_cast<double>(sparse_cells(k, 10'000'000)) / 1e7;
    EXPECT_NEAR(each / sparse_threshold(k), k == 4 ? 1.006 : 1.01, 1e-3) << k;
    for (std::uint64_t n = 1; n < 3000; ++n) ASSERT_GT(sparse_cells(k, n), n);
    EXPECT_EQ(sparse_cells(k, 0), 0U);
  }
  EXPECT_EQ(sparse_cells(3, 1500), 1650U);
  EXPECT_EQ(sparse_cells(4, 1500), 1545U);
  EXPECT_EQ(sparse_cells(3, 10), 11U);
  EXPECT_EQ(sparse_cells(3, 11), 13U);
}

TEST(SparseSizing, BucketsGrowWithTheKeys) {
  EXPECT_EQ(sparse_buckets(1), 1U);
  EXPECT_EQ(sparse_buckets(1499), 1U);
  EXPECT_EQ(sparse_buckets(1500), 2U);
  EXPECT_EQ(sparse_buckets(100'000), 67U);
}

}  // namespace
}  // namespace umbel::sizing::sparse_test
