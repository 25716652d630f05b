// words_test.cpp - runs of words: owned or viewed, counted, joined and compared.
#include <umbel/cells/words.hpp>

#include <array>
#include <cstdint>
#include <span>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"
#include "support/statistics_gate.hpp"

namespace umbel::cells::words_test {
namespace {

template <class Word>
class Words : public ::testing::Test {
 protected:
  static words<Word> random(std::size_t count, std::uint64_t seed) {
    words<Word> out(count);
    for (std::size_t i = 0; i < count; ++i)
      out[i] = static_cast<Word>(statistics::scatter(seed * 1000 + i));
    return out;
  }
};
using word_types = ::testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(Words, word_types);

TYPED_TEST(Words, StartAtZeroAndGiveBackTheirMemory) {
  support::counting_resource memory;
  const words<TypeParam> none(0, &memory);
  EXPECT_EQ(none.size(), 0U);
  EXPECT_EQ(none.ones(), 0U);
  const words<TypeParam> some(37, &memory);
  EXPECT_EQ(some.size(), 37U);
  EXPECT_EQ(memory.bytes_held(), 37 * sizeof(TypeParam));
  for (const TypeParam word : some.span()) EXPECT_EQ(word, 0);
}

TYPED_TEST(Words, CountTheirOnes) {
  const auto all = this->random(100, 1);
  std::uint64_t ones = 0;
  for (const TypeParam word : all.span())
    for (unsigned bit = 0; bit < 8 * sizeof(TypeParam); ++bit) ones += word >> bit & 1U;
  EXPECT_EQ(all.ones(), ones);
}

TYPED_TEST(Words, OrAndClear) {
  const auto a = this->random(50, 1), b = this->random(50, 2);
  auto either = a, both = a;
  either |= b;
  both &= b;
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_EQ(either[i], static_cast<TypeParam>(a[i] | b[i]));
    EXPECT_EQ(both[i], static_cast<TypeParam>(a[i] & b[i]));
  }
  EXPECT_EQ(either.ones() + both.ones(), a.ones() + b.ones());
  either.clear();
  EXPECT_EQ(either, words<TypeParam>(50));
}

TYPED_TEST(Words, RequireExactlyAsMany) {
  const words<TypeParam> all(10);
  EXPECT_NO_THROW(all.require(10));
  EXPECT_THROW(all.require(9), corrupt);
  EXPECT_THROW(all.require(11), corrupt);
  EXPECT_THROW(all.require(0), corrupt);
  if constexpr (sizeof(TypeParam) > 1) {
    EXPECT_THROW(words<TypeParam>(buffer(10 * sizeof(TypeParam) + 1)).require(10), corrupt)
        << "half a word too many";
  }
}

// Of this many words only the first `used` bits may be set.
TYPED_TEST(Words, RequireCleanTails) {
  constexpr std::uint64_t bits = 8 * sizeof(TypeParam);
  for (std::uint64_t used = 0; used <= 3 * bits; ++used) {
    words<TypeParam> all(3);
    EXPECT_NO_THROW(all.require(3, used));
    for (std::uint64_t bit = 0; bit < 3 * bits; ++bit) {
      all.clear();
      all[bit / bits] = static_cast<TypeParam>(TypeParam{1} << (bit % bits));
      if (bit < used) {
        EXPECT_NO_THROW(all.require(3, used)) << bit;
      } else {
        EXPECT_THROW(all.require(3, used), corrupt) << bit << " of " << used;
      }
    }
    EXPECT_THROW(all.require(2, used), corrupt);
  }
}

TEST(WordsOfABuffer, ViewsReadWhatTheyView) {
  alignas(64) const std::array<std::uint32_t, 4> outside = {1, 2, 3, 0xffffffff};
  const words<std::uint32_t> view(buffer::view(std::as_bytes(std::span(outside))));
  EXPECT_EQ(view.data(), outside.data());
  EXPECT_EQ(view.size(), 4U);
  EXPECT_EQ(view.ones(), 1 + 1 + 2 + 32U);
  words<std::uint32_t> copy = view;
  copy[0] = 9;
  EXPECT_EQ(outside[0], 1U);
  EXPECT_NE(copy, view);
}

}  // namespace
}  // namespace umbel::cells::words_test
