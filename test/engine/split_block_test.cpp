// split_block_test.cpp - where split blocks put a key: ours at any size, Parquet's as that format
// says.
// Source     Golden places computed in Python from doc/format.md.
#include <umbel/engine/block/split_block.hpp>

#include <array>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/engine/block/parquet.hpp>
#include <umbel/hash/hasher.hpp>

#include "support/statistics_gate.hpp"

namespace umbel::core::split_block_test {
namespace {

constexpr digest example{0x0123456789abcdef, 0xfedcba9876543210};
digest random_digest(std::uint64_t i) {
  return {statistics::scatter(2 * i), statistics::scatter(2 * i + 1)};
}

TEST(SplitBlockIndex, PlacesAreFixedForEver) {
  for (const auto& [blocks, block] : {std::pair<std::uint64_t, std::uint64_t>{1, 0},
                                      {3, 2},
                                      {1000, 906},
                                      {std::uint64_t{1} << 32, 3895433176},
                                      {std::uint64_t{1} << 48, 255291108641464}}) {
    EXPECT_EQ(split_block(blocks).place(example).block, block);
    EXPECT_EQ(split_block(blocks).place(example).key, 0xCBFFCA94U);
  }
}

TEST(ParquetIndex, IsHighHalfTimesBlocksAndLowHalf) {
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    const digest d = random_digest(i);
    for (const std::uint64_t blocks :
         {std::uint64_t{1}, std::uint64_t{4}, std::uint64_t{1000}, parquet::max_blocks}) {
      const auto place = parquet(blocks).place(d);
      ASSERT_EQ(place.block, ((d.hi >> 32) * blocks) >> 32);
      ASSERT_EQ(place.key, d.hi & 0xffffffff);
      ASSERT_LT(place.block, blocks);
    }
  }
}

template <class Index>
class BlockIndex : public ::testing::Test {};
using block_indexes = ::testing::Types<split_block, parquet>;
TYPED_TEST_SUITE(BlockIndex, block_indexes);

TYPED_TEST(BlockIndex, StaysInsideAndHalves) {
  for (const std::uint64_t blocks :
       {std::uint64_t{2}, std::uint64_t{1000}, std::uint64_t{1} << 20}) {
    const TypeParam whole(blocks), half(blocks / 2);
    for (std::uint64_t i = 0; i < 5'000; ++i) {
      const auto place = whole.place(random_digest(i));
      ASSERT_LT(place.block, blocks);
      ASSERT_EQ(half.place(random_digest(i)).block, place.block / 2);
      ASSERT_EQ(half.place(random_digest(i)).key, place.key);
    }
  }
}

// Blocks are drawn evenly, lane keys are uniform, and neither predicts the other: counters as keys,
// 5 sigmas.
TYPED_TEST(BlockIndex, BlocksAndLaneKeysAreIndependent) {
  const hasher hash = std::is_same_v<TypeParam, parquet> ? hasher::parquet() : hasher();
  const TypeParam at(1000);
  std::vector<std::uint64_t> blocks(1000), top(256), low(256), joint(256);
  for (std::uint64_t i = 0; i < 200'000; ++i) {
    const auto place = at.place(hash(i));
    ++blocks[place.block];
    ++top[place.key >> 24];
    ++low[place.key & 255];
    if (place.block < 992) ++joint[place.block / 62 * 16 + (place.key >> 28)];
  }
  EXPECT_TRUE(statistics::uniform(blocks));
  EXPECT_TRUE(statistics::uniform(top));
  EXPECT_TRUE(statistics::uniform(low));
  EXPECT_TRUE(statistics::uniform(joint));
}

TYPED_TEST(BlockIndex, RefusesImpossibleSizes) {
  EXPECT_THROW(TypeParam{0}, bad_parameter);
  EXPECT_THROW(TypeParam{TypeParam::max_blocks + 1}, bad_parameter);
  EXPECT_NO_THROW(TypeParam{TypeParam::max_blocks});
  EXPECT_EQ(TypeParam(7), TypeParam(7));
  EXPECT_NE(TypeParam(7), TypeParam(8));
}

TEST(ParquetIndex, LimitIs128MiB) { EXPECT_EQ(parquet::max_blocks * 32, std::uint64_t{128} << 20); }

}  // namespace
}  // namespace umbel::core::split_block_test
