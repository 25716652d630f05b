// sizing/fuse_test.cpp - shapes of binary fuse graphs [GL22]: cells per key, the published formula,
// and the sizes at which that formula fails.
#include <umbel/sizing/fuse.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

namespace umbel::sizing::fuse_test {
namespace {

double cells_per_key(std::uint64_t n, unsigned arity = 3) {
  return static_cast<double>(plan_fuse(arity, n).cells(arity)) / static_cast<double>(n);
}

TEST(FuseShape, CellsPerKeyMatchReferenceValues) {
  EXPECT_NEAR(cells_per_key(100), 1.92, 0.005);
  EXPECT_NEAR(cells_per_key(1'000), 1.41, 0.005);
  EXPECT_NEAR(cells_per_key(10'000), 1.28, 0.005);
  EXPECT_NEAR(cells_per_key(100'000), 1.19, 0.005);
  EXPECT_NEAR(cells_per_key(1'000'000), 1.131, 0.0015);
}

TEST(FuseShape, CellsPerKeyMatchReferenceValuesWithFourCells) {
  EXPECT_NEAR(cells_per_key(100, 4), 1.68, 0.005);
  EXPECT_NEAR(cells_per_key(1'000, 4), 1.38, 0.005);
  EXPECT_NEAR(cells_per_key(10'000, 4), 1.23, 0.005);
  EXPECT_NEAR(cells_per_key(100'000, 4), 1.13, 0.005);
  EXPECT_LE(cells_per_key(1'000'000, 4), 1.077);
}

// What peels with segments of 2^a cells and four cells per key; bench/derive/fuse prints how often.
TEST(FuseShape, FourCellsAreNeverCrowded) {
  for (double x = 1500; x < 4e6; x *= 1.003) {
    const auto n = static_cast<std::uint64_t>(x);
    const auto shape = plan_fuse(4, n);
    const double most = 0.955 - 0.0125 * static_cast<double>(13 - shape.length_bits);
    EXPECT_LE(static_cast<double>(n), most * static_cast<double>(shape.starts()) + 1e-6) << n;
    EXPECT_LE(shape.length_bits, 13U) << n;
  }
}

TEST(FuseShape, SegmentLengthOfTheFormula) {
  for (const std::uint64_t n : {10U, 100U, 1'000U, 10'000U, 100'000U, 1'000'000U, 10'000'000U}) {
    const double a = std::floor(std::log(static_cast<double>(n)) / std::log(3.33) + 2.25);
    EXPECT_EQ(plan_fuse(3, n).length_bits, static_cast<std::uint32_t>(std::clamp(a, 2.0, 18.0)))
        << n;
  }
  EXPECT_EQ(plan_fuse(3, std::uint64_t{1} << 40).length_bits, 18U);
}

// The n at which the published formula nearly always fails: there at most 0.90 keys may fall on a
// start cell.
TEST(FuseShape, SizesWhereTheFormulaFailsAreCorrected) {
  for (const std::uint64_t n :
       {3551U, 11260U, 11521U, 12180U, 12372U, 13224U, 37200U, 37454U, 39202U, 126131U, 416077U})
    EXPECT_LE(static_cast<double>(n), 0.90 * static_cast<double>(plan_fuse(3, n).starts())) << n;
}

TEST(FuseShape, NeverCrowdedNeverWasteful) {
  for (double x = 1500; x < 5e6; x *= 1.003) {
    const auto n = static_cast<std::uint64_t>(x);
    const auto shape = plan_fuse(3, n);
    EXPECT_LE(static_cast<double>(n), 0.90 * static_cast<double>(shape.starts()) + 1e-6) << n;
    // The formula or the threshold, whichever asks for more, rounded up to a segment, plus two
    // segments.
    const double length = std::exp2(shape.length_bits);
    const double factor = std::max(1.125, 0.875 + 0.25 * std::log(1e6) / std::log(x));
    EXPECT_LE(static_cast<double>(shape.cells(3)),
              std::max(x * factor + length, x / 0.90 + 3 * length))
        << n;
    EXPECT_EQ(shape.cells(3), shape.starts() + 2 * (std::uint64_t{1} << shape.length_bits));
  }
}

TEST(FuseShape, SmallSets) {
  for (std::uint64_t n = 0; n <= 1500; ++n) {
    const auto shape = plan_fuse(3, n);
    EXPECT_GE(shape.segments, 1U);
    EXPECT_GE(shape.length_bits, 2U);
    EXPECT_GE(shape.cells(3), n) << "fewer cells than keys can never be solved";
    EXPECT_GE(plan_fuse(4, n).cells(4), n);
  }
}

TEST(FuseShards, KeepOneToTwoMillionKeys) {
  EXPECT_EQ(peel_shard_bits(0), 0U);
  EXPECT_EQ(peel_shard_bits(peel_shard_from - 1), 0U);
  for (std::uint64_t n = peel_shard_from; n < std::uint64_t{1} << 40; n = n * 5 / 4) {
    const unsigned bits = peel_shard_bits(n);
    EXPECT_GE(n >> bits, peel_shard_from / 4) << n;
    EXPECT_LE(n >> bits, peel_shard_from / 2) << n;
  }
  EXPECT_GT(peel_shard_bits(1000, 64), 0U) << "the seam for tests";
}

}  // namespace
}  // namespace umbel::sizing::fuse_test
