// split_blocks_test.cpp - blocks of eight lanes, and that the vector kernels spell the same bits as the portable ones.
// Source     Sheet 01 sections 8 and 9: identical bits on 10^6 random hashes.
#include <umbel/cells/split_blocks.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"
#include "support/statistics_gate.hpp"

namespace umbel::cells {
namespace {

constexpr std::array<std::uint32_t, 8> salts = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
                                                0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};

struct spot {
  std::uint64_t block;
  std::uint32_t key;
};
std::vector<spot> random_spots(std::size_t count, std::uint64_t blocks, std::uint64_t seed) {
  std::vector<spot> out;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t word = statistics::scatter(seed << 40 | i);
    out.push_back({(word >> 32) * blocks >> 32, static_cast<std::uint32_t>(word)});
  }
  return out;
}
auto each(const std::vector<spot>& spots) {
  return [&spots](std::size_t i) { return spots[i]; };
}

// Puts the kernels in use back as they were.
struct kernels_restored {
  kernel::level before = kernel::in_use();
  ~kernels_restored() { kernel::use(before); }
};

TEST(SplitBlockLane, IsTheTopFiveBitsOfAWrappingProduct) {
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    const auto key = static_cast<std::uint32_t>(statistics::scatter(i));
    for (std::size_t lane = 0; lane < 8; ++lane) {
      const std::uint64_t product = std::uint64_t{key} * salts[lane] % (std::uint64_t{1} << 32);
      ASSERT_EQ(kernel::split_block_lane(key, lane), std::uint32_t{1} << (product >> 27));
    }
  }
}

TEST(SplitBlockKernels, AgreeOnAMillionKeys) {
  if (kernel::best() == kernel::level::portable) GTEST_SKIP() << "this processor has no vector kernels";
  const kernels_restored guard;
  constexpr std::size_t count = 1'000'000;
  constexpr std::uint64_t blocks = 40'000;
  const auto keys = random_spots(count, blocks, 1), others = random_spots(count, blocks, 2);
  split_blocks portable(blocks), vector(blocks);
  kernel::use(kernel::level::portable);
  portable.set(count, each(keys));
  kernel::use(kernel::level::avx2);
  vector.set(count, each(keys));
  EXPECT_EQ(portable, vector);
  const auto a = std::make_unique<bool[]>(count), b = std::make_unique<bool[]>(count);
  for (const auto* asked : {&keys, &others}) {
    kernel::use(kernel::level::portable);
    portable.test(count, each(*asked), a.get());
    kernel::use(kernel::level::avx2);
    portable.test(count, each(*asked), b.get());
    std::size_t yes = 0;
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(a[i], b[i]) << i;
      yes += a[i];
    }
    EXPECT_EQ(yes == count, asked == &keys);
    EXPECT_GT(yes, 0U) << "strangers pass now and then, so that both answers were compared";
  }
}

TEST(SplitBlockKernels, AreChosenInOnePlace) {
  const kernels_restored guard;
  kernel::use(kernel::level::portable);
  EXPECT_EQ(kernel::in_use(), kernel::level::portable);
  kernel::use(kernel::level::avx2);
  EXPECT_EQ(kernel::in_use(), kernel::best()) << "never above what the processor can do";
}

TEST(SplitBlockKernels, ObeyTheEnvironment) {
  const char* const before = std::getenv("UMBEL_KERNELS");
  const std::string kept = before != nullptr ? before : "";
  ::setenv("UMBEL_KERNELS", "portable", 1);
  EXPECT_EQ(kernel::choice::chosen(), kernel::level::portable);
  ::setenv("UMBEL_KERNELS", "anything else", 1);
  EXPECT_EQ(kernel::choice::chosen(), kernel::best());
  before != nullptr ? ::setenv("UMBEL_KERNELS", kept.c_str(), 1) : ::unsetenv("UMBEL_KERNELS");
}

template <class Blocks>
class SplitBlocks : public ::testing::Test {};
using block_types = ::testing::Types<split_blocks, shared_split_blocks>;
TYPED_TEST_SUITE(SplitBlocks, block_types);

TYPED_TEST(SplitBlocks, BatchEqualsSingleUnderEveryKernel) {
  const kernels_restored guard;
  for (const auto level : {kernel::level::portable, kernel::level::avx2}) {
    kernel::use(level);
    for (const std::size_t count : {0U, 1U, 31U, 32U, 33U, 64U, 65U, 5'000U}) {
      const auto keys = random_spots(count, 300, 3), others = random_spots(count, 300, 4);
      TypeParam one(300), many(300);
      for (const auto& [block, key] : keys) one.set(block, key);
      many.set(count, each(keys));
      EXPECT_EQ(one, many) << count;
      const auto answers = std::make_unique<bool[]>(count + 1);
      answers[count] = true;
      many.test(count, each(others), answers.get());
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(answers[i], many.test(others[i].block, others[i].key)) << i;
      EXPECT_TRUE(answers[count]) << "wrote past the end";
    }
  }
}

TYPED_TEST(SplitBlocks, AKeySetsOneBitInEveryLaneOfItsBlock) {
  for (const auto& [block, key] : random_spots(200, 10, 5)) {
    TypeParam blocks(10);
    EXPECT_FALSE(blocks.test(block, key));
    EXPECT_TRUE(blocks.set(block, key)) << "something changed";
    EXPECT_FALSE(blocks.set(block, key)) << "nothing changed";
    EXPECT_TRUE(blocks.test(block, key));
    for (std::uint64_t word = 0; word < 80; ++word)
      EXPECT_EQ(std::popcount(blocks.storage()[word]), word / 8 == block ? 1 : 0);
  }
}

TYPED_TEST(SplitBlocks, FoldInPairs) {
  support::counting_resource memory;
  TypeParam blocks(64, &memory);
  for (const auto& [block, key] : random_spots(500, 64, 6)) blocks.set(block, key);
  const TypeParam half = blocks.folded();
  EXPECT_EQ(memory.bytes_held(), 64 * 32 + 32 * 32U) << "in its own memory";
  ASSERT_EQ(half.blocks(), 32U);
  for (std::uint64_t word = 0; word < 32 * 8; ++word) {
    const std::uint64_t from = word / 8 * 16 + word % 8;
    EXPECT_EQ(half.storage()[word], blocks.storage()[from] | blocks.storage()[from + 8]);
  }
}

// The share of strangers let through, by asking every possible pattern's probability: the product of the lanes' fills.
TYPED_TEST(SplitBlocks, StrangerRateIsTheMeanProductOfFills) {
  TypeParam blocks(2);
  EXPECT_EQ(blocks.stranger_rate(), 0);
  for (std::uint64_t lane = 0; lane < 8; ++lane) blocks.storage()[lane] = 0x0000ffff;  // half of block 0
  EXPECT_DOUBLE_EQ(blocks.stranger_rate(), 1.0 / 512);
  for (std::uint64_t lane = 8; lane < 16; ++lane) blocks.storage()[lane] = 0xffffffff;  // all of block 1
  EXPECT_DOUBLE_EQ(blocks.stranger_rate(), (1.0 / 256 + 1) / 2);
  blocks.storage()[8] = 0;
  EXPECT_DOUBLE_EQ(blocks.stranger_rate(), 1.0 / 512);
  EXPECT_EQ(TypeParam().stranger_rate(), 0);
}

TYPED_TEST(SplitBlocks, ReshapeOnlyWhenTheWordsFit) {
  const TypeParam blocks(5);
  EXPECT_NO_THROW(blocks.reshape(5));
  EXPECT_THROW(blocks.reshape(4), corrupt);
  EXPECT_THROW(blocks.reshape(6), corrupt);
}

}  // namespace
}  // namespace umbel::cells
