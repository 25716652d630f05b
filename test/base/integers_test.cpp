// integers_test.cpp - range reduction, mixing and masks: exact laws, fixed values, and avalanche.
#include <umbel/base/integers.hpp>

#include <array>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "support/rapidcheck_seeded.hpp"
#include "support/statistics_gate.hpp"

namespace umbel::detail::integers_test {
namespace {

constexpr std::uint64_t top = std::numeric_limits<std::uint64_t>::max();

// The high half of a product by schoolbook multiplication of 32-bit halves, without a 128-bit type.
std::uint64_t schoolbook_high(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
  const std::uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
  return a1 * b1 + (middle >> 32) + ((a0 * b1 + (middle & 0xffffffff)) >> 32);
}

std::uint64_t inverse_of_odd(std::uint64_t a) {
  std::uint64_t x = a;  // right in 3 bits; Newton doubles them
  for (int i = 0; i < 6; ++i) x *= 2 - a * x;
  return x;
}
std::uint64_t unshift(std::uint64_t y, unsigned by) {
  std::uint64_t x = y;
  for (unsigned done = by; done < 64; done += by) x = y ^ (x >> by);
  return x;
}
// mix64 backwards, step by step.
std::uint64_t unmix64(std::uint64_t x) {
  x = unshift(x, 32);
  x *= inverse_of_odd(0xA0761D6478BD642F);
  x = unshift(x, 29);
  x *= inverse_of_odd(0xE9846AF9B1A615D5);
  return unshift(x, 32);
}

RC_GTEST_PROP(Integers, ProductsAgreeWithSchoolbook, (std::uint64_t a, std::uint64_t b)) {
  RC_ASSERT(high_product(a, b) == schoolbook_high(a, b));
  RC_ASSERT(fold_product(a, b) == (schoolbook_high(a, b) ^ a * b));
}

TEST(Integers, FastrangeStaysInsideAndReachesBothEnds) {
  for (const std::uint64_t range : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{1000},
                                    std::uint64_t{1} << 32, (std::uint64_t{1} << 56) - 1, top}) {
    EXPECT_EQ(fastrange(0, range), 0U) << range;
    EXPECT_EQ(fastrange(top, range), range - 1) << range;
  }
  EXPECT_EQ(fastrange(top, 0), 0U);
}

RC_GTEST_PROP(Integers, FastrangeIsMonotoneInTheWord,
              (std::uint64_t a, std::uint64_t b, std::uint64_t range)) {
  if (a > b) std::swap(a, b);
  RC_ASSERT(fastrange(a, range) <= fastrange(b, range));
}

// The law that lets filters fold.
RC_GTEST_PROP(Integers, FastrangeHalvesWithItsRange, (std::uint64_t word, std::uint64_t half)) {
  half >>= 1;
  RC_ASSERT(fastrange(word, half) == fastrange(word, 2 * half) / 2);
}

TEST(Integers, FastrangeIsUniform) {
  std::array<std::uint64_t, 1000> counts{};
  for (std::uint64_t i = 0; i < 1'000'000; ++i)
    ++counts[fastrange(statistics::scatter(i), counts.size())];
  EXPECT_TRUE(statistics::uniform(counts));
}

// Stored files depend on these bits: a change here breaks every existing file. Derived in Python
// from the text.
TEST(Integers, MixerIsFixedForEver) {
  EXPECT_EQ(mix64(0), 0U);
  EXPECT_EQ(mix64(1), 0xb5cd6b9510cde9fdU);
  EXPECT_EQ(mix64(2), 0x4625d317849bbbe8U);
  EXPECT_EQ(mix64(42), 0x9762463cf153b0f9U);
  EXPECT_EQ(mix64(std::uint64_t{1} << 63), 0x43b3e47012ab3c1cU);
  EXPECT_EQ(mix64(top), 0xa427de05f9e9912dU);
  EXPECT_EQ(remix(0, 0), 0x02bf2b890abe7330U);
  EXPECT_EQ(remix(0, 1), 0x9bbd9eff91bef506U);
  EXPECT_EQ(remix(42, 7), 0x3f9b409f6fc88835U);
}

// A two-sided inverse on many samples of every kind tests the bijection.
TEST(Integers, MixerIsABijection) {
  for (std::uint64_t i = 0; i < 200'000; ++i) {
    for (const std::uint64_t x : {i, top - i, i << 40, statistics::scatter(i)}) {
      ASSERT_EQ(unmix64(mix64(x)), x);
      ASSERT_EQ(mix64(unmix64(x)), x);
    }
  }
}

// Flipping input bit i flips output bit j half of the time. 4096 shares of 40,000 tries, each with
// standard deviation 0.5/200 = 0.0025; the largest of 4096 exceeds 6 sigmas by chance once in 10^5
// choices of seed.
TEST(Integers, MixerAvalanches) {
  constexpr std::uint64_t tries = 40'000;
  static std::array<std::array<std::uint64_t, 64>, 64> flips{};
  for (std::uint64_t t = 0; t < tries; ++t) {
    const std::uint64_t x = statistics::scatter(t);
    const std::uint64_t y = mix64(x);
    for (unsigned i = 0; i < 64; ++i) {
      const std::uint64_t changed = y ^ mix64(x ^ std::uint64_t{1} << i);
      for (unsigned j = 0; j < 64; ++j) flips[i][j] += changed >> j & 1;
    }
  }
  for (unsigned i = 0; i < 64; ++i)
    for (unsigned j = 0; j < 64; ++j)
      EXPECT_TRUE(statistics::half(flips[i][j], tries)) << "in " << i << " out " << j;
}

TEST(Integers, MasksOfEveryWidth) {
  EXPECT_EQ(low_mask(0), 0U);
  for (unsigned width = 1; width < 64; ++width)
    EXPECT_EQ(low_mask(width), (std::uint64_t{1} << width) - 1);
  EXPECT_EQ(low_mask(64), top);
}

TEST(Integers, CeilDivNeverOverflows) {
  EXPECT_EQ(ceil_div(0, 64), 0U);
  EXPECT_EQ(ceil_div(1, 64), 1U);
  EXPECT_EQ(ceil_div(64, 64), 1U);
  EXPECT_EQ(ceil_div(65, 64), 2U);
  EXPECT_EQ(ceil_div(top, 64), (std::uint64_t{1} << 58));
  EXPECT_EQ(ceil_div(top, 1), top);
  EXPECT_EQ(ceil_div(top, top), 1U);
}

}  // namespace
}  // namespace umbel::detail::integers_test
