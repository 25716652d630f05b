// cells_laws_test.cpp - what all cells promise (cells/contract.hpp): a cell that was set is set, its
// neighbours are as they were, copies and views are equal, and words that do not fit are refused.
#include <umbel/cells/contract.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/cells/bits.hpp>
#include <umbel/cells/blocks.hpp>
#include <umbel/cells/buckets.hpp>
#include <umbel/cells/columns.hpp>
#include <umbel/cells/counters.hpp>
#include <umbel/cells/flagged_bits.hpp>
#include <umbel/cells/literals.hpp>
#include <umbel/cells/packed.hpp>
#include <umbel/cells/pattern/line.hpp>
#include <umbel/cells/pattern/pair.hpp>
#include <umbel/cells/pattern/register.hpp>
#include <umbel/cells/pattern/split.hpp>
#include <umbel/cells/ranked_bits.hpp>
#include <umbel/cells/renewed_bits.hpp>
#include <umbel/cells/rows.hpp>
#include <umbel/cells/shared_packed.hpp>
#include <umbel/cells/tight.hpp>

#include "support/counting_resource.hpp"

namespace umbel::cells::cells_laws_test {
namespace {

constexpr std::uint64_t sizes[] = {1, 2, 63, 64, 65, 127, 128, 129, 511, 512, 513, 1000};

template <class Storage>
void view_of(Storage& into, const Storage& from) {
  into = Storage(buffer::view(from.bytes().bytes()));
}

// ---- cells that an index names: test, set, unset, get ----

// How many can be set, of an array of `size`: literals are two statements to a bit.
template <class Cells>
struct made {
  [[nodiscard]] static Cells of(std::uint64_t size, std::pmr::memory_resource* memory = nullptr) {
    return Cells(size, memory);
  }
};
template <>
struct made<flagged_bits> {
  [[nodiscard]] static flagged_bits of(std::uint64_t size,
                                       std::pmr::memory_resource* memory = nullptr) {
    return {size, std::max<std::uint64_t>(1, size / 16), memory};
  }
};
template <>
struct made<literals> {  // the first half: that bits are set
  [[nodiscard]] static literals of(std::uint64_t size,
                                   std::pmr::memory_resource* memory = nullptr) {
    return literals(2 * size, memory);
  }
};

template <class Cells>
class SettableCells : public ::testing::Test {
  static_assert(settable<Cells>);

 protected:
  // flagged bits have more bits than regions
  [[nodiscard]] static std::vector<std::uint64_t> all_sizes() {
    std::vector<std::uint64_t> out(std::begin(sizes), std::end(sizes));
    if constexpr (std::same_as<Cells, flagged_bits>) out.erase(out.begin());
    return out;
  }
  [[nodiscard]] static std::vector<bool> tested(const Cells& cells) {
    std::vector<bool> out;
    for (std::uint64_t i = 0; i < cells.size(); ++i) out.push_back(cells.test(i));
    return out;
  }
};
using settable_cells =
    ::testing::Types<bits, shared_bits, counters, flagged_bits, literals, renewed_bits>;
TYPED_TEST_SUITE(SettableCells, settable_cells);

TYPED_TEST(SettableCells, AreClearAtFirst) {
  for (const std::uint64_t size : this->all_sizes()) {
    const auto cells = made<TypeParam>::of(size);
    EXPECT_EQ(cells.size(), size);
    EXPECT_EQ(this->tested(cells), std::vector<bool>(size));
  }
}

TYPED_TEST(SettableCells, ACellThatWasSetIsSetAndNoOtherChanges) {
  for (const std::uint64_t size : this->all_sizes()) {
    auto cells = made<TypeParam>::of(size);
    std::vector<bool> expected(size);
    std::mt19937_64 random(size);
    for (std::uint64_t step = 0; step < size + 20; ++step) {
      const std::uint64_t i = step < 2 ? step * (size - 1) : random() % size;  // both ends first
      ASSERT_EQ(cells.set(i), !expected[i]) << "whether it was clear: " << i << " of " << size;
      expected[i] = true;
      ASSERT_EQ(this->tested(cells), expected) << "after cell " << i << " of " << size;
    }
  }
}

TYPED_TEST(SettableCells, CopiesAreEqualAndLiveAlone) {
  for (const std::uint64_t size : this->all_sizes()) {
    auto cells = made<TypeParam>::of(size);
    const auto empty = cells;
    (void)cells.set(size / 2);
    EXPECT_FALSE(cells == empty) << size;
    auto copy = cells;
    EXPECT_TRUE(copy == cells) << size;
    (void)copy.set(0);
    (void)copy.set(size - 1);
    EXPECT_TRUE(cells.test(size / 2));
    EXPECT_EQ(cells.test(0), size / 2 == 0) << "of the copy alone";
    const auto moved = std::move(copy);
    EXPECT_TRUE(moved.test(0) && moved.test(size - 1));
  }
}

TYPED_TEST(SettableCells, TakeTheirMemoryWhereToldTo) {
  support::counting_resource memory;
  {
    auto cells = made<TypeParam>::of(1000, &memory);
    EXPECT_GT(memory.bytes_held(), 0U);
    (void)cells.set(500);
  }
  EXPECT_EQ(memory.bytes_held(), 0U);
}

TYPED_TEST(SettableCells, ClearLeavesNone) {
  for (const std::uint64_t size : this->all_sizes()) {
    auto cells = made<TypeParam>::of(size);
    const auto empty = cells;
    for (std::uint64_t i = 0; i < size; i += 3) (void)cells.set(i);
    if constexpr (requires { cells.clear(); })
      cells.clear();
    else
      cells.storage().clear();
    EXPECT_EQ(this->tested(cells), std::vector<bool>(size)) << size;
    EXPECT_TRUE(cells == empty) << size;
  }
}

// Words that were stored, as cells of their shape: no more words, no fewer, no bits past the last.
TYPED_TEST(SettableCells, AViewIsEqualAndWrongShapesAreRefused) {
  if constexpr (requires(TypeParam & c) { c.storage(); }) {
    const std::uint64_t unit = std::same_as<TypeParam, literals> ? 2 : 1;
    for (const std::uint64_t size : this->all_sizes()) {
      auto cells = made<TypeParam>::of(size);
      for (std::uint64_t i = 0; i < size; i += 3) (void)cells.set(i);
      auto viewed = made<TypeParam>::of(size);
      view_of(viewed.storage(), std::as_const(cells).storage());
      viewed.reshape(unit * size);
      EXPECT_TRUE(viewed == cells) << size;
      EXPECT_FALSE(std::as_const(viewed).storage().bytes().owns());
      EXPECT_EQ(this->tested(viewed), this->tested(cells));
      const auto owned = viewed;
      EXPECT_TRUE(std::as_const(owned).storage().bytes().owns()) << "copies own";

      const std::uint64_t words = std::as_const(cells).storage().size();
      const std::uint64_t per_word = std::same_as<TypeParam, counters> ? counters::per_word : 64;
      for (const std::uint64_t wrong : {(words + 1) * per_word, words * per_word + 1,
                                        words > 1 ? (words - 1) * per_word : std::uint64_t{0}}) {
        auto other = made<TypeParam>::of(size);
        view_of(other.storage(), std::as_const(cells).storage());
        EXPECT_THROW(other.reshape(unit * wrong), corrupt) << size << " as " << wrong;
      }
      if (size % per_word != 0) {
        auto spoiled = cells;
        spoiled.storage()[words - 1] |= std::uint64_t{1} << 63;
        EXPECT_THROW(spoiled.reshape(unit * size), corrupt) << "a bit past the last of " << size;
      }
    }
  } else {  // two arrays of bits
    static_assert(std::same_as<TypeParam, flagged_bits>);
    auto cells = made<TypeParam>::of(1000);
    EXPECT_NO_THROW(cells.reshape(1000));
    for (const std::uint64_t wrong : {900U, 1100U, 62U, 1U})
      EXPECT_ANY_THROW(made<TypeParam>::of(1000).reshape(wrong)) << wrong;
  }
}

TYPED_TEST(SettableCells, OnesAreThoseSet) {
  for (const std::uint64_t size : this->all_sizes()) {
    auto cells = made<TypeParam>::of(size);
    std::uint64_t set = 0;
    for (std::uint64_t i = 0; i < size; i += 3) set += cells.set(i);
    if constexpr (requires { cells.used(); })
      EXPECT_EQ(cells.used(), set) << size;
    else if constexpr (requires { cells.ones(); })
      EXPECT_EQ(cells.ones(), set) << size;
    else if constexpr (requires { cells.plain(); })
      EXPECT_EQ(cells.plain().storage().ones(), set) << size;
    else
      EXPECT_EQ(cells.storage().ones(), set) << size;
  }
}

// ---- what can be taken back ----

template <class Cells>
class ErasableCells : public SettableCells<Cells> {
  static_assert(erasable<Cells>);
};
using erasable_cells = ::testing::Types<counters, flagged_bits>;
TYPED_TEST_SUITE(ErasableCells, erasable_cells);

TYPED_TEST(ErasableCells, WhatWasSetOnceIsTakenBack) {
  for (const std::uint64_t size : this->all_sizes()) {
    auto cells = made<TypeParam>::of(size);
    const auto empty = cells;
    EXPECT_FALSE(cells.unset(size / 2)) << "nothing to take back";
    EXPECT_TRUE(cells == empty);
    for (std::uint64_t i = 0; i < size; ++i) {
      EXPECT_TRUE(cells.set(i));
      EXPECT_TRUE(cells.unset(i)) << i << " of " << size;
      EXPECT_FALSE(cells.unset(i)) << "once";
    }
    EXPECT_TRUE(cells == empty) << size;
  }
}
// Never one too many: a key that shares the cell would be forgotten.
TYPED_TEST(ErasableCells, WhatWasSetTwiceIsNotGoneAfterOnce) {
  for (const std::uint64_t size : this->all_sizes()) {
    auto cells = made<TypeParam>::of(size);
    for (std::uint64_t i = 0; i < size; i += 2) {
      EXPECT_TRUE(cells.set(i));
      EXPECT_FALSE(cells.set(i));
    }
    for (std::uint64_t i = 0; i < size; i += 2) {
      (void)cells.unset(i);
      EXPECT_TRUE(cells.test(i)) << i << " of " << size;
    }
  }
}

static_assert(countable<counters> && !countable<flagged_bits> && !erasable<bits>);
TEST(CountableCells, CountUpToTheMostAndStickThere) {
  for (const std::uint64_t size : sizes) {
    counters cells(size);
    const std::uint64_t i = size / 2;
    for (std::uint64_t times = 1; times <= counters::most + 3; ++times) {
      (void)cells.set(i);
      ASSERT_EQ(cells.get(i), std::min(times, counters::most));
    }
    for (std::uint64_t j = 0; j < size; ++j)
      if (j != i) {
        ASSERT_EQ(cells.get(j), 0U) << j << " of " << size;
      }
    EXPECT_FALSE(cells.unset(i)) << "nobody knows how many there are";
    EXPECT_EQ(cells.get(i), counters::most);
  }
}

// ---- cells that hold numbers ----

template <class Cells>
class ValuedCells : public ::testing::Test {
  static_assert(valued<Cells>);

 protected:
  [[nodiscard]] static std::vector<unsigned> widths() {
    if constexpr (std::same_as<Cells, shared_packed>) return {8, 16, 32, 64};
    std::vector<unsigned> out;
    for (unsigned width = 1; width <= 64; ++width) out.push_back(width);
    return out;
  }
  [[nodiscard]] static std::uint64_t number(std::uint64_t i, unsigned width) {
    std::mt19937_64 random(i);
    return random() & detail::low_mask(width);
  }
  [[nodiscard]] static Cells filled(std::uint64_t size, unsigned width) {
    Cells out(size, width);
    for (std::uint64_t i = 0; i < size; ++i) out.set(i, number(i, width));
    return out;
  }
};
using valued_cells = ::testing::Types<packed, shared_packed, tight>;
TYPED_TEST_SUITE(ValuedCells, valued_cells);

TYPED_TEST(ValuedCells, HoldWhatWasSetAndNoOtherChanges) {
  for (const unsigned width : this->widths())
    for (const std::uint64_t size : {1U, 2U, 7U, 64U, 65U}) {
      TypeParam cells(size, width);
      EXPECT_EQ(cells.size(), size);
      EXPECT_EQ(cells.width(), width);
      std::vector<std::uint64_t> expected(size);
      for (std::uint64_t step = 0; step < size; ++step) {  // from both ends to the middle
        const std::uint64_t i = step % 2 == 0 ? step / 2 : size - 1 - step / 2;
        expected[i] = step == 0 ? detail::low_mask(width) : this->number(i, width);
        cells.set(i, expected[i]);
        for (std::uint64_t j = 0; j < size; ++j)
          ASSERT_EQ(cells.get(j), expected[j]) << j << " of " << size << ", " << width << " bits";
      }
    }
}
TYPED_TEST(ValuedCells, CopiesViewsAndShapes) {
  for (const unsigned width : this->widths())
    for (const std::uint64_t size : {1U, 7U, 65U}) {
      const auto cells = this->filled(size, width);
      auto copy = cells;
      EXPECT_TRUE(copy == cells);
      TypeParam viewed;
      view_of(viewed.storage(), cells.storage());
      viewed.reshape(size, width);
      EXPECT_TRUE(viewed == cells) << size << " of " << width;
      for (std::uint64_t i = 0; i < size; ++i) ASSERT_EQ(viewed.get(i), this->number(i, width));
      for (const std::uint64_t wrong : {size + 64, size * 3 + 64}) {
        TypeParam other;
        view_of(other.storage(), cells.storage());
        EXPECT_THROW(other.reshape(wrong, width), corrupt) << size << " as " << wrong;
      }
      copy.storage().clear();
      for (std::uint64_t i = 0; i < size; ++i) ASSERT_EQ(copy.get(i), 0U);
      if (size * width % 8 != 0) {
        auto spoiled = cells;
        auto& last = spoiled.storage()[std::as_const(spoiled).storage().size() - 1];
        last = static_cast<std::remove_reference_t<decltype(last)>>(~decltype(+last){0});
        EXPECT_THROW(spoiled.reshape(size, width), corrupt) << "bits past the last cell";
      }
    }
}

// ---- cells in blocks, of which a key marks a few ----

template <class Pattern>
class BlockCells : public ::testing::Test {
 protected:
  using cells_type = blocks<Pattern>;
  [[nodiscard]] static typename Pattern::key key(std::uint64_t i) {
    std::mt19937_64 random(i);
    return static_cast<typename Pattern::key>(random());
  }
};
using patterns = ::testing::Types<pattern::split32, pattern::split64, pattern::line, pattern::pair,
                                  pattern::register64, pattern::table64>;
TYPED_TEST_SUITE(BlockCells, patterns);

TYPED_TEST(BlockCells, AKeyThatWasSetIsSetInItsBlockAlone) {
  using cells_type = typename TestFixture::cells_type;
  for (const std::uint64_t count : {1U, 2U, 9U}) {
    cells_type cells(count, TypeParam{});
    const cells_type empty = cells;
    EXPECT_EQ(cells.size(), count);
    for (std::uint64_t i = 0; i < 40; ++i) {
      const std::uint64_t block = i % count;
      const auto key = this->key(i);
      const cells_type before = cells;
      const bool was = cells.test(block, key);
      EXPECT_EQ(cells.set(block, key), !was);
      EXPECT_TRUE(cells.test(block, key));
      EXPECT_FALSE(cells.set(block, key)) << "again changes nothing";
      EXPECT_EQ(cells == before, was);
      for (std::uint64_t word = 0; word < std::as_const(cells).storage().size(); ++word)
        if (word / cells_type::block_words != block) {
          ASSERT_EQ(std::as_const(cells).storage()[word], std::as_const(before).storage()[word]);
        }
    }
    for (std::uint64_t i = 0; i < 40; ++i) EXPECT_TRUE(cells.test(i % count, this->key(i)));
    cells_type viewed(0, TypeParam{});
    view_of(viewed.storage(), std::as_const(cells).storage());
    viewed.reshape(count, TypeParam{});
    EXPECT_TRUE(viewed == cells);
    for (const std::uint64_t wrong : {count - 1, count + 1, 2 * count})
      EXPECT_THROW(viewed.reshape(wrong, TypeParam{}), corrupt) << count << " as " << wrong;
    cells.storage().clear();
    EXPECT_TRUE(cells == empty);
  }
}

// ---- words of every other layout: their shape is held in the same way ----

template <class Cells>
void hold_shape(const Cells& cells, const auto& reshaped, const std::string& name) {
  Cells viewed = cells;
  view_of(viewed.storage(), cells.storage());
  reshaped(viewed);
  EXPECT_TRUE(viewed == cells) << name;
  EXPECT_FALSE(std::as_const(viewed).storage().bytes().owns()) << name;
  using storage = std::remove_cvref_t<decltype(cells.storage())>;
  for (const std::size_t words : {cells.storage().size() - 1, cells.storage().size() + 1}) {
    Cells wrong = cells;
    wrong.storage() = storage(words);
    EXPECT_THROW(reshaped(wrong), corrupt) << name << ", " << words << " words";
  }
}
TEST(StoredCells, WordsThatDoNotFitAreRefused) {
  for (const unsigned width : {1U, 7U, 64U, 65U, 300U}) {
    rows cells(20, width);
    EXPECT_TRUE(cells.set(3, width - 1));
    EXPECT_FALSE(cells.set(3, width - 1));
    hold_shape(
        cells, [&](rows& c) { c.reshape(20, width); }, "rows");
  }
  for (const unsigned width : {1U, 8U, 64U})
    hold_shape(
        columns(640, width), [&](columns& c) { c.reshape(640, width); }, "columns");
  for (const bool sorted : {false, true})
    for (const unsigned width : {4U, 8U, 16U})
      hold_shape(
          buckets(31, 4, width, nullptr, sorted),
          [&](buckets& c) { c.reshape(31, 4, width, sorted); }, "buckets");
  bits some(1000);
  for (std::uint64_t i = 0; i < 1000; i += 7) (void)some.set(i);
  hold_shape(
      ranked_bits(some), [](ranked_bits& c) { c.reshape(1000); }, "ranked bits");
}

// ---- the contract itself ----

static_assert(!testable<words<>> && !settable<packed> && !valued<bits> && !settable<ranked_bits>);

}  // namespace
}  // namespace umbel::cells::cells_laws_test
