// sizing/scattered_test.cpp - peeling thresholds of random 3-hypergraphs [GL20], and the sizes
// planned above them.
#include <umbel/sizing/scattered.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

namespace umbel::sizing::scattered_test {
namespace {

TEST(PeelThreshold, IsTheMinimumOfItsFormula) {
  for (unsigned k = peel_least_arity; k <= peel_max_arity; ++k) {
    double least = 1;
    for (double x = 1e-4; x < 10; x += 1e-4)
      least = std::min(least, x / (k * std::pow(1 - std::exp(-x), k - 1)));
    EXPECT_NEAR(peel_threshold(k), least, 5e-5) << k;
  }
}

TEST(ScatteredShape, LiesAboveTheThreshold) {
  EXPECT_EQ(plan_scattered(0, 1.23), 32U);
  EXPECT_EQ(plan_scattered(1'000'000, scattered_cells_per_key(3)), 1'230'032U);
  for (unsigned k = peel_least_arity; k <= peel_max_arity; ++k) {
    EXPECT_GT(scattered_cells_per_key(k), 1.005 / peel_threshold(k)) << k;
    EXPECT_LT(scattered_cells_per_key(k), 1.06 / peel_threshold(k)) << k;
  }
}

}  // namespace
}  // namespace umbel::sizing::scattered_test
