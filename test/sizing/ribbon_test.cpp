// ribbon_test.cpp - the integers of ribbon shapes from their formulas, and plans that neither wrap nor shrink.
#include <cmath>

#include <gtest/gtest.h>

#include <umbel/sizing/ribbon.hpp>

namespace {

using namespace umbel::sizing;
using umbel::ribbon_preset;

// [DHSW22]: b is w^2 / (4 log2 w), rounded down to a power of two.
TEST(RibbonShapes, FollowTheirFormulas) {
  for (const auto& shape : ribbon_shapes) {
    const double w = shape.width, b = static_cast<double>(shape.bucket());
    EXPECT_EQ(b, std::exp2(std::floor(std::log2(w * w / (4 * std::ceil(std::log2(w)))))));
    const double o = shape.overload;
    if (shape.code_bits == 2) {
      EXPECT_DOUBLE_EQ(o, 4 / w);
      EXPECT_EQ(shape.bounds[1], std::floor((0.78 - 1.30 * o) * b) + 1);
      EXPECT_EQ(shape.bounds[2], std::floor((0.91 - 0.75 * o) * b) + 1);
      EXPECT_EQ(shape.bounds[3], b);
    } else {
      EXPECT_DOUBLE_EQ(o, 2.0 / 3 * w / (4 * b + w));
      EXPECT_EQ(shape.bounds[1], std::floor((1 - 2 * o) * b - 0.5 * std::sqrt(b / (1 - o))));
      EXPECT_EQ(shape.bounds[2], b);
    }
    EXPECT_EQ(shape.bounds[shape.classes], b);
    EXPECT_EQ(shape.limit((std::uint64_t{1} << shape.code_bits) - 1), b);  // the largest code bumps nobody
  }
}

TEST(RibbonShapes, ShardsHaveAThousandKeysAndThereAreFew) {
  for (const std::uint64_t from : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{5000}, peel_shard_from}) {
    for (std::uint64_t n = 1; n < std::uint64_t{1} << 45; n = n * 3 / 2 + 1) {
      const unsigned bits = ribbon_shard_bits(n, from);
      EXPECT_LE(bits, ribbon_most_shard_bits);
      EXPECT_TRUE(bits == 0 || n >> bits >= ribbon_base_from / 2) << n;
    }
  }
}

TEST(RibbonPlans, GrowWithTheKeysAndStayNearThem) {
  for (const auto& shape : ribbon_shapes) {
    std::uint64_t before = 0;
    for (std::uint64_t n = 1; n < std::uint64_t{1} << 45; n = n * 5 / 4 + 1) {
      const auto plan = plan_ribbon(shape, n);
      EXPECT_GE(plan.slots, n);
      EXPECT_GE(plan.slots + 1000, before) << n;  // layers appear and vanish; a few blocks may go
      EXPECT_LE(static_cast<double>(plan.slots), 1.001 * static_cast<double>(n) + 1200) << n;
      EXPECT_LE(plan.layers, ribbon_layers);
      before = plan.slots;
    }
  }
}

TEST(RibbonPlans, ABaseGrowsWithItsAttempts) {
  const auto& shape = shape_of(ribbon_preset::fast);
  EXPECT_EQ(ribbon_base_slots(shape, 1, 0), 64U);
  EXPECT_EQ(ribbon_base_slots(shape, 65, 3), 128U);
  EXPECT_EQ(ribbon_base_slots(shape, 65, 4), 192U);
  const std::uint64_t last = ribbon_base_slots(shape, 1'000'000, ribbon_base_attempts - 1);
  EXPECT_GE(last, 1'450'000U);
  EXPECT_LE(last, 1'600'000U);
}

}  // namespace
