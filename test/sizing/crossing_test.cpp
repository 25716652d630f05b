// crossing_test.cpp - root search for a size: finds the smallest sufficient integer in few steps
// for any monotone curve.
#include <umbel/sizing/crossing.hpp>

#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

namespace umbel::crossing_test {
namespace {

using sizing::rate_excess;
using sizing::smallest_enough;

TEST(Crossing, IsTheSmallestWholeSizeThatIsEnough) {
  for (const double power : {0.5, 1.0, 7.0, 40.0})
    for (double wanted = 1.5; wanted < 1e6; wanted *= 1.7) {
      unsigned asked = 0;
      const double found = smallest_enough(0.5, 1e7, 0x1p-50, [&](double size) {
        ++asked;
        return rate_excess(std::pow(size, -power), std::pow(wanted, -power));
      });
      EXPECT_EQ(found, std::ceil(wanted)) << power;
      // A power is a straight line in logarithms; bisection needs 26 steps.
      EXPECT_LE(asked, 12U) << power << " to " << wanted;
    }
}

// A rate that is 0 from some size on, a step function, and noise close to zero: bisection finds
// them in the end.
TEST(Crossing, FindsTheSizeOnCurvesThatAreNotLines) {
  for (double wanted = 3; wanted < 1e9; wanted *= 3) {
    unsigned asked = 0;
    const auto count = [&](double excess) {
      ++asked;
      return excess;
    };
    EXPECT_EQ(smallest_enough(
                  0.5, 1e12, 0x1p-50,
                  [&](double size) { return count(rate_excess(size < wanted ? 1 : 0, 1e-3)); }),
              wanted);
    EXPECT_EQ(smallest_enough(0.5, 1e12, 0x1p-50,
                              [&](double size) { return count(size < wanted ? 1e-9 : -1e9); }),
              wanted);
    EXPECT_EQ(smallest_enough(0.5, 1e12, 0x1p-50,
                              [&](double size) { return count(size < wanted ? 1e9 : -1e-9); }),
              wanted);
    // Every fourth step bisects a logarithm, or what is left of a range.
    EXPECT_LE(asked, 3 * 4 * 45U);
  }
}

TEST(Crossing, StopsWhereItIsPreciseEnough) {
  const double found =
      smallest_enough(1, 1e15, 0x1p-20, [](double size) { return rate_excess(1 / size, 1e-12); });
  EXPECT_GE(found, 1e12);
  EXPECT_LE(found, 1e12 * (1 + 0x1p-20));
}

TEST(Crossing, IsTheLargestWhereNoneIsEnough) {
  EXPECT_EQ(
      smallest_enough(1, 0x1p56, 0x1p-20, [](double size) { return rate_excess(1 / size, 1e-30); }),
      0x1p56);
}

}  // namespace
}  // namespace umbel::crossing_test
