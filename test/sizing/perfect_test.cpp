// perfect_test.cpp - shapes of perfect hashes: sizes of parts, and slots for every key.
#include <cmath>

#include <gtest/gtest.h>

#include <umbel/sizing/perfect.hpp>

namespace perfect_test {
namespace {

using namespace umbel::sizing;
using umbel::perfect_preset;

TEST(PerfectShapes, PartsHaveBetweenOneAndTwoTimesTheirLeastSize) {
  for (std::uint64_t n = 1; n < std::uint64_t{1} << 50; n = n * 5 / 4 + 1) {
    const unsigned bits = pilot_part_bits(n);
    EXPECT_EQ(bits == 0, n < pilot_part_from) << n;
    if (bits == 0) continue;
    EXPECT_GE(n >> bits, pilot_part_from / 2) << n;
    EXPECT_LT(n >> bits, pilot_part_from) << n;
  }
}

TEST(PerfectShapes, EveryPartHasRoom) {
  for (std::uint64_t n = 1; n < 1'000'000'000; n = n * 3 / 2 + 1)
    for (unsigned shape = 0; shape < pilot_shapes; ++shape) {
      EXPECT_GT(pilot_slots(n, shape), n);
      EXPECT_LE(static_cast<double>(pilot_slots(n, shape)), static_cast<double>(n) * 1.05 + 1);
      EXPECT_GE(pilot_buckets(n, 0, 4.05, shape), 1U);
    }
}

TEST(PerfectShapes, SmallPartsAreEven) {
  for (const auto preset :
       {perfect_preset::fast, perfect_preset::balanced, perfect_preset::compact}) {
    EXPECT_FALSE(shape_of(preset, pilot_skew_from - 1).skewed);
    EXPECT_EQ(shape_of(preset, pilot_skew_from).skewed, preset != perfect_preset::fast);
  }
}

TEST(PerfectShapes, PresetsHaveNames) {
  auto found = perfect_preset::fast;
  EXPECT_TRUE(preset_named("compact", found));
  EXPECT_EQ(found, perfect_preset::compact);
  EXPECT_FALSE(preset_named("tiny", found));
  EXPECT_EQ(found, perfect_preset::compact);
}

// Elias-Fano [Eli74] takes at most two bits more than log2(range / count) per entry, and rounding
// costs at most half a bit.
TEST(Monotone, StaysNearItsBound) {
  for (const std::uint64_t count : {1000U, 10'000U, 1'000'000U})
    for (const std::uint64_t ratio : {1U, 2U, 3U, 10U, 76U, 100U, 1000U}) {
      const double bits =
          static_cast<double>(monotone_bits(count, count * ratio)) / static_cast<double>(count);
      EXPECT_LE(bits, 2.0 + std::log2(static_cast<double>(ratio)) + 0.5 + 0.7)
          << count << " " << ratio;
      EXPECT_EQ(monotone_low_bits(count, count * ratio), static_cast<unsigned>(std::log2(ratio)));
    }
  EXPECT_EQ(monotone_low_bits(0, 10), 0U);
  EXPECT_EQ(monotone_low_bits(10, 5), 0U);
}

}  // namespace
}  // namespace perfect_test
