// bits_test.cpp - one bit per cell, plain and shared, against a vector of bools; folding; and the
// rules of access.
#include <umbel/cells/bits.hpp>

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"
#include "support/rapidcheck_seeded.hpp"
#include "support/statistics_gate.hpp"

namespace umbel::cells::bits_test {
namespace {

template <class Bits>
class BitCells : public ::testing::Test {};
using bit_types = ::testing::Types<bits, shared_bits>;
TYPED_TEST_SUITE(BitCells, bit_types);

template <class Bits>
void fill(Bits& cells, std::vector<bool>& oracle, std::uint64_t seed, std::uint64_t share) {
  for (std::uint64_t i = 0; i < cells.size(); ++i) {
    if (statistics::scatter(seed << 32 | i) % share != 0) continue;
    cells.set(i);
    oracle[i] = true;
  }
}

TYPED_TEST(BitCells, AgreeWithAVectorOfBools) {
  for (const std::uint64_t size : {1U, 2U, 63U, 64U, 65U, 127U, 128U, 129U, 1000U, 4097U}) {
    TypeParam cells(size);
    std::vector<bool> oracle(size);
    for (std::uint64_t step = 0; step < 3 * size; ++step) {
      const std::uint64_t i = statistics::scatter(size << 32 | step) % size;
      ASSERT_EQ(cells.set(i), !oracle[i]) << "true exactly if it was clear";
      oracle[i] = true;
      ASSERT_TRUE(cells.test(i));
    }
    std::uint64_t ones = 0;
    for (std::uint64_t i = 0; i < size; ++i) {
      ASSERT_EQ(cells.test(i), oracle[i]) << i;
      ones += oracle[i];
    }
    EXPECT_EQ(cells.storage().ones(), ones) << "no bit past the last cell";
    EXPECT_EQ(cells.size(), size);
  }
}

// new[j] = old[2j] | old[2j+1], for sizes that end inside words of both lengths.
TYPED_TEST(BitCells, FoldInPairs) {
  for (const std::uint64_t size :
       {2U, 4U, 62U, 64U, 66U, 126U, 128U, 130U, 190U, 256U, 1000U, 4098U, 12'346U}) {
    for (const std::uint64_t share : {1U, 2U, 7U}) {
      TypeParam cells(size);
      std::vector<bool> oracle(size);
      fill(cells, oracle, size, share);
      const TypeParam half = cells.folded();
      ASSERT_EQ(half.size(), size / 2);
      std::uint64_t ones = 0;
      for (std::uint64_t j = 0; j < size / 2; ++j) {
        ASSERT_EQ(half.test(j), oracle[2 * j] || oracle[2 * j + 1]) << size << ' ' << j;
        ones += half.test(j);
      }
      EXPECT_EQ(half.storage().ones(), ones) << "no bit past the last cell";
    }
  }
}

TYPED_TEST(BitCells, FoldInTheirOwnMemory) {
  support::counting_resource mine, other;
  const support::as_default_resource guard(other);
  const TypeParam whole(1000, &mine), half = whole.folded();
  EXPECT_EQ(mine.bytes_held(), whole.storage().bytes().size() + half.storage().bytes().size());
  EXPECT_EQ(other.allocations(), 0U);
}

// A view, which has no memory of its own, folds into the default one.
TYPED_TEST(BitCells, ViewsFoldToo) {
  TypeParam whole(1000);
  whole.set(17);
  TypeParam view;
  view.storage() = words<>(buffer::view(whole.storage().bytes().bytes()));
  view.reshape(1000);
  EXPECT_EQ(view.folded(), whole.folded());
  EXPECT_TRUE(view.folded().test(8));
}

TYPED_TEST(BitCells, ReshapeOnlyWhenTheWordsFit) {
  TypeParam cells(1000);
  cells.set(3);
  EXPECT_NO_THROW(cells.reshape(1000));
  EXPECT_NO_THROW(cells.reshape(1024));
  EXPECT_EQ(cells.size(), 1024U);
  EXPECT_THROW(cells.reshape(1025), corrupt);
  EXPECT_THROW(cells.reshape(960), corrupt);
  EXPECT_TRUE(cells.test(3));
  cells.set(1023);
  EXPECT_THROW(cells.reshape(1023), corrupt) << "a bit past the last cell is set";
  EXPECT_NO_THROW(cells.reshape(1024));
}

TYPED_TEST(BitCells, CompareByContentAndSize) {
  TypeParam a(100), b(100);
  EXPECT_EQ(a, b);
  EXPECT_NE(a, TypeParam(101));
  b.set(99);
  EXPECT_NE(a, b);
  a.set(99);
  EXPECT_EQ(a, b);
}

TEST(BitCells, KnowWhetherThreadsMayShareThem) {
  static_assert(!bits::is_atomic && shared_bits::is_atomic);
}

// A mask of several bits: true if any of them was clear, and all of them set afterwards.
template <class Access>
class AccessRules : public ::testing::Test {};
using access_types = ::testing::Types<plain, relaxed>;
TYPED_TEST_SUITE(AccessRules, access_types);

TYPED_TEST(AccessRules, SetSaysWhetherAnyBitWasClear) {
  std::uint32_t word = 0b0101;
  EXPECT_FALSE(TypeParam::set(word, std::uint32_t{0b0101}));
  EXPECT_FALSE(TypeParam::set(word, std::uint32_t{0}));
  EXPECT_TRUE(TypeParam::set(word, std::uint32_t{0b0011}));
  EXPECT_EQ(TypeParam::load(word), 0b0111U);
  std::uint64_t wide = 0;
  EXPECT_TRUE(TypeParam::set(wide, std::uint64_t{1} << 63));
  EXPECT_FALSE(TypeParam::set(wide, std::uint64_t{1} << 63));
  EXPECT_EQ(TypeParam::load(wide), std::uint64_t{1} << 63);
}

}  // namespace
}  // namespace umbel::cells::bits_test
