// pilot_buckets_test.cpp - keys spread over buckets as the curve says: evenly, or the first sixth
// of the buckets takes half of them.
#include <umbel/engine/perfect/pilot_buckets.hpp>

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace umbel::core {
namespace pilot_buckets_test {
namespace {

double cubic(double x) { return 255.0 / 256 * x * x * (1 + x) / 2 + x / 256; }

TEST(Buckets, StripsFollowTheCurve) {
  for (const std::uint64_t count :
       {std::uint64_t{1}, std::uint64_t{7}, std::uint64_t{45'000}, pilot_buckets::most})
    for (const bool skewed : {false, true}) {
      const pilot_buckets at(count, skewed);
      std::uint64_t before = 0;
      for (std::uint64_t i = 0; i < 4096; ++i) {
        const double x = static_cast<double>(i) / 4096;
        const std::uint64_t bucket = at.bucket(i << 52);
        const double expected = (skewed ? cubic(x) : x) * static_cast<double>(count);
        // Straight strips lie above a curve that bends by at most (1 / 256)^2 / 8 of its second
        // derivative, which is below 4.
        ASSERT_NEAR(static_cast<double>(bucket), expected,
                    1.01 + static_cast<double>(count) * 4 / 65536 / 8)
            << count;
        ASSERT_GE(bucket, before);
        ASSERT_LT(bucket, count);
        before = bucket;
      }
      ASSERT_EQ(at.bucket(~std::uint64_t{0}), count - 1);
      ASSERT_EQ(at.bucket(0), 0U);
    }
}

TEST(Buckets, TheHashIsTheOtherHalf) {
  EXPECT_EQ(pilot_buckets::hash(0x0123456789ABCDEF), 0x89ABCDEFU);
  const pilot_buckets at(1000, true);
  EXPECT_EQ(at.bucket(0x0123456700000000), at.bucket(0x01234567FFFFFFFF));
}

}  // namespace
}  // namespace pilot_buckets_test
}  // namespace umbel::core
