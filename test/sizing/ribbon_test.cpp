// ribbon_test.cpp - integer parameters of ribbon filters [DHSW22], and plans that neither wrap nor
// shrink.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <umbel/sizing/ribbon.hpp>

namespace ribbon_test {
namespace {

using namespace umbel::sizing;
using umbel::ribbon_preset;

// [DHSW22]: b is w^2 / (4 log2 w), rounded down to a power of two.
TEST(RibbonShapes, FollowTheirFormulas) {
  for (const auto& shape : ribbon_shapes) {
    if (shape.form != ribbon_form::bumped) continue;
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
    // The largest code bumps no key.
    EXPECT_EQ(shape.limit((std::uint64_t{1} << shape.code_bits) - 1), b);
  }
}

TEST(RibbonShapes, ShardsHaveAThousandKeysAndThereAreFew) {
  for (const std::uint64_t from :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{5000}, peel_shard_from}) {
    for (std::uint64_t n = 1; n < std::uint64_t{1} << 45; n = n * 3 / 2 + 1) {
      for (const std::size_t layer : {0, 1}) {
        const unsigned bits = ribbon_shard_bits(n, layer, from);
        EXPECT_LE(bits, ribbon_max_shard_bits);
        EXPECT_TRUE(bits == 0 || n >> bits >= ribbon_base_from / 2) << n;
      }
      // Later layers get smaller shards, so that all threads have work.
      EXPECT_LE(ribbon_shard_bits(n, 0, from), ribbon_shard_bits(n, 1, from)) << n;
    }
  }
}

TEST(RibbonPlans, GrowWithTheKeysAndStayNearThem) {
  for (const auto& shape : ribbon_shapes) {
    if (shape.form != ribbon_form::bumped) continue;
    std::uint64_t before = 0;
    for (std::uint64_t n = 1; n < std::uint64_t{1} << 45; n = n * 5 / 4 + 1) {
      const auto plan = plan_ribbon(shape, n, 8);
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
  const std::uint64_t last = ribbon_base_slots(shape, 1'000'000, ribbon_attempts - 1);
  EXPECT_GE(last, 1'450'000U);
  EXPECT_LE(last, 1'600'000U);
}

// [DW21]: slots per key at 2^17 slots, where one draw in twenty fails, and the increase per
// doubling.
TEST(RibbonPlans, StandardOnesHaveTheSlotsOfTheirTable) {
  const auto per_key = [](ribbon_preset preset, std::uint64_t n) {
    return static_cast<double>(plan_ribbon(shape_of(preset), n, 8, 4 * n).slots) /
           static_cast<double>(n);
  };
  EXPECT_NEAR(per_key(ribbon_preset::standard_64, 1 << 17), 1.0940, 0.0005);
  EXPECT_NEAR(per_key(ribbon_preset::standard_64, 1 << 20), 1.0940 + 3 * 0.0083, 0.0005);
  EXPECT_NEAR(per_key(ribbon_preset::standard_128, 1 << 17), 1.0361, 0.0005);
  EXPECT_NEAR(per_key(ribbon_preset::standard_128, 1 << 14), 1.0361 - 3 * 0.0038, 0.004);
}

TEST(RibbonPlans, HomogeneousOnesNeedMoreForMoreKeysAndMoreColumns) {
  for (const auto preset : {ribbon_preset::homogeneous_64, ribbon_preset::homogeneous_128}) {
    const auto& shape = shape_of(preset);
    EXPECT_DOUBLE_EQ(ribbon_spare(shape, 100'000, 1), shape.spare);
    EXPECT_DOUBLE_EQ(ribbon_spare(shape, 100'000, 8), shape.spare);
    EXPECT_NEAR(ribbon_spare(shape, 400'000, 8), shape.spare + 2 * shape.per_doubling, 1e-12);
    EXPECT_NEAR(ribbon_spare(shape, 100'000, 10),
                shape.spare + 2 * shape.per_bit + 4 * shape.per_square, 1e-12);
    for (const unsigned columns : {1U, 8U, 30U, 64U})
      for (std::uint64_t n = 1; n < 3000; ++n)  // n rows span a share 2^(n - slots) at least
        ASSERT_GE(ribbon_plain_slots(shape, n, n, columns), n + ribbon_sum_bits(shape, columns))
            << n;
  }
}

TEST(RibbonPlans, RatesIncludeTheExcessOfHomogeneousRibbons) {
  EXPECT_EQ(ribbon_fpr(shape_of(ribbon_preset::fast), 8), 1.0 / 256);
  EXPECT_EQ(ribbon_fpr(shape_of(ribbon_preset::standard_64), 8), 1.0 / 256);
  EXPECT_EQ(ribbon_fpr(shape_of(ribbon_preset::homogeneous_64), 8), 1.0 / 256 + 0x1p-18);
  EXPECT_EQ(ribbon_fpr(shape_of(ribbon_preset::homogeneous_64), 50), 0x1p-50 + 0x1p-46);
  EXPECT_EQ(ribbon_fpr(shape_of(ribbon_preset::homogeneous_128), 8), 1.0 / 256 + 0x1p-39);
  EXPECT_EQ(ribbon_fpr(shape_of(ribbon_preset::homogeneous_128), 64), 0x1p-64 + 0x1p-95);
}

TEST(RibbonPlans, PlainOnesGrowWithTheKeysAndTheAttempts) {
  for (const auto& shape : ribbon_shapes) {
    if (shape.form == ribbon_form::bumped) continue;
    for (std::uint64_t n = 1; n < std::uint64_t{1} << 45; n = n * 5 / 4 + 1) {
      const auto plan = plan_ribbon(shape, n, 8);
      EXPECT_GE(plan.slots, n);
      EXPECT_LE(static_cast<double>(plan.slots), 1.4 * static_cast<double>(n) + 256) << n;
      EXPECT_EQ(plan.buckets, 0U);
    }
    for (const std::uint64_t n : {1U, 100U, 100'000U}) {
      const std::uint64_t first = ribbon_plain_slots(shape, n, n, 8);
      EXPECT_EQ(first % 64, 0U);
      EXPECT_GE(first, shape.width);
      EXPECT_EQ(ribbon_plain_slots(shape, n, n, 8, 3), first);
      EXPECT_GE(ribbon_plain_slots(shape, n, n, 8, 4), first + std::max<std::uint64_t>(64, n / 32));
    }
  }
}

}  // namespace
}  // namespace ribbon_test
