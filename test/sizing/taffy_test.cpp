// taffy_test.cpp - plans of Taffy filters [App22]: capacity and buckets are inverse, and the rate
// bound is kept.
#include <umbel/sizing/taffy.hpp>

#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

namespace umbel::sizing::taffy_test {
namespace {

TEST(Taffy, RoomAndBucketsAreInverse) {
  for (std::uint64_t n = 1; n < 1'000'000'000; n += 1 + n / 9) {
    const std::uint64_t buckets = taffy_buckets(n);
    ASSERT_GE(taffy_room(buckets), n);
    ASSERT_TRUE(buckets == 1 || taffy_room(buckets - 1) < n) << n;
  }
}

// Heads of 10 bits keep 0.7 %.
TEST(Taffy, HeadsKeepTheRateForEver) {
  EXPECT_NEAR(taffy_bound(10), 0.00703, 1e-5);
  EXPECT_EQ(taffy_head_bits(0.01), 10U);
  for (double eps = 0.2; eps > 2e-7; eps /= 1.3) {
    const unsigned h = taffy_head_bits(eps);
    EXPECT_LE(taffy_bound(h), eps);
    EXPECT_GT(taffy_bound(h - 1), eps);
    const auto made = plan_taffy_for_rate(100'000, eps);
    EXPECT_NEAR(made.fpr, 100'000 / (32 * std::exp2(h) * static_cast<double>(made.buckets)),
                0.02 * made.fpr);
  }
}

TEST(Taffy, AnyTwoOfThree) {
  for (const std::uint64_t n : {10ULL, 1000ULL, 10'000ULL, 3'000'000ULL})
    for (const double eps : {0.1, 0.01, 1e-5}) {
      const auto made = plan_taffy_for_rate(n, eps);
      const std::uint64_t bits = taffy_bits(made.buckets, made.head_bits);
      const auto by_bits = plan_taffy_for_bits(n, bits);
      EXPECT_EQ(by_bits.keys, n);
      EXPECT_GE(by_bits.head_bits, made.head_bits);
      EXPECT_LE(taffy_bits(by_bits.buckets, by_bits.head_bits), bits);
      const auto room = taffy_room_for(bits, eps);
      EXPECT_GE(room.keys, n);
      EXPECT_EQ(room.head_bits, made.head_bits);
      EXPECT_LE(taffy_bits(room.buckets, room.head_bits), bits);
    }
  EXPECT_EQ(plan_taffy_for_bits(1'000'000, 1).buckets, 1U);
  EXPECT_EQ(taffy_room_for(1 << 20, 1e-9).keys, 0U);
}

}  // namespace
}  // namespace umbel::sizing::taffy_test
