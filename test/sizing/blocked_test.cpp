// sizing/blocked_test.cpp - false positive rates of blocked Bloom filters [PSS07]: reference
// tables, exact enumeration of small blocks, and plans as inverses. The rate is the sum over i of
// Pois(i; b/c) * (rate of a block of i keys).
#include <umbel/sizing/blocked.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace umbel::sizing::blocked_test {
namespace {

constexpr block_shape split{32, 8, 8, 1};

TEST(PoissonAverage, OfSimpleRates) {
  for (const double mean : {0.01, 0.5, 3.0, 25.6, 1000.0}) {
    EXPECT_NEAR(poisson_average(mean, [](double) { return 1.0; }), 1, 1e-9) << mean;
    EXPECT_NEAR(poisson_average(mean, [](double i) { return i; }) / mean, 1, 1e-9) << mean;
    // E[z^i] = exp(mean (z - 1))
    EXPECT_NEAR(poisson_average(mean, [](double i) { return std::pow(0.9, i); }),
                std::exp(-0.1 * mean), 1e-9)
        << mean;
  }
}

TEST(SplitBlockRate, MatchesReferenceValues) {
  EXPECT_NEAR(block_fpr(split, 8), .0332, 5e-5);
  EXPECT_NEAR(block_fpr(split, 12), .00542, 5e-6);
  EXPECT_NEAR(block_fpr(split, 16), .00132, 5e-6);
}

// Bits per key for 10 %, 1 %, .1 %, .01 %, .001 %, to the digits of the reference table.
TEST(SplitBlockRate, BitsPerKeyForARate) {
  constexpr struct {
    double eps, bits, rounding;
  } table[] = {
      {.1, 6.0, .05}, {.01, 10.5, .05}, {.001, 16.9, .05}, {1e-4, 26.35, .1}, {1e-5, 41, .5}};
  for (const auto& [eps, bits, rounding] : table) {
    const auto blocks = blocks_for_rate(split, 10'000'000, eps);
    EXPECT_NEAR(static_cast<double>(blocks) * 256 / 1e7, bits, rounding) << eps;
  }
}

// The approximation -8/ln(1 - eps^(1/8)) is too low: blocks fill unevenly.
TEST(SplitBlockRate, QuickRuleUnderestimates) {
  for (const double eps : {.1, .01, .001, 1e-4}) {
    const double quick = -8 / std::log(1 - std::pow(eps, 1.0 / 8));
    EXPECT_LT(quick, static_cast<double>(blocks_for_rate(split, 10'000'000, eps)) * 256 / 1e7)
        << eps;
    EXPECT_GT(block_fpr(split, quick), eps);
  }
}

TEST(SplitBlockRate, FallsWithBitsPerKey) {
  for (double c = 1; c < 60; c += 0.5)
    EXPECT_GT(block_fpr(split, c), block_fpr(split, c + 0.5)) << c;
}

TEST(SplitBlockPlan, KeepsTheRateWithTheFewestBlocks) {
  for (const std::uint64_t n : {1U, 10U, 1000U, 100'000U, 10'000'000U}) {
    for (const double eps : {.3, .1, .01, .001, 1e-5, 1e-9}) {
      const auto blocks = blocks_for_rate(split, n, eps);
      const auto per_key = [&](std::uint64_t z) {
        return static_cast<double>(z) * 256 / static_cast<double>(n);
      };
      EXPECT_LE(block_fpr(split, per_key(blocks)), eps * (1 + 1e-9)) << n << ' ' << eps;
      if (blocks > 1) {
        EXPECT_GT(block_fpr(split, per_key(blocks - 1)), eps) << n << ' ' << eps;
      }
    }
  }
}

// With one lane of b bits in one block, n balls fall into b bins: the textbook error of linear
// counting [WVT90].
TEST(SplitBlockCardinality, ErrorOfOneBlockIsLinearCounting) {
  const double n = 20, b = 4096;
  const double linear = std::sqrt(b * (std::exp(n / b) - n / b - 1));
  EXPECT_NEAR(block_cardinality_error({4096, 1, 1, 1}, n, 1) / linear, 1, 0.01);
  EXPECT_EQ(block_cardinality_error(split, 0, 10), 0);
}

// Free bits in 512: the reference takes a block's mean fill to the k-th power and so is a lower
// bound. The exact rate is above it by C(k,2) times the relative variance, 1 to 4 % here.
TEST(BlockRate, MatchesReferenceValuesForFreeBits) {
  constexpr struct {
    double c;
    unsigned k;
    double reference;
  } table[] = {
      {8, 5, .02312}, {10, 7, .00957}, {12, 8, .00407}, {16, 10, .000825}, {20, 11, .000191}};
  for (const auto& [c, k, reference] : table) {
    const double exact = block_fpr({512, 1, k, 1}, c);
    EXPECT_GT(exact, reference * 0.999) << c;
    EXPECT_LT(exact, reference * 1.04) << c;
  }
}
TEST(BlockRate, MatchesReferenceValuesForWords) {
  EXPECT_NEAR(block_fpr({64, 1, 4, 1}, 8) / .0326, 1, 0.05);
  EXPECT_NEAR(block_fpr({64, 1, 6, 1}, 16) / .00378, 1, 0.08);
  // One of 4096 masks, with k different bits each.
  EXPECT_NEAR(block_fpr({64, 1, 5, 5, 4096}, 10) / .0186, 1, 0.05);
  EXPECT_NEAR(block_fpr({64, 1, 6, 6, 4096}, 16) / .0048, 1, 0.05);
}

// Blocks small enough to enumerate: every way two keys of two probes fall into 4 bits, against
// every non-member.
TEST(BlockRate, MatchesEnumerationOfTinyBlocks) {
  const auto counted = [](bool distinct) {
    double taken = 0, all = 0;
    const auto pair = [&](unsigned x) { return std::pair(x % 4, x / 4); };
    for (unsigned a = 0; a < 16; ++a)
      for (unsigned b = 0; b < 16; ++b)
        for (unsigned q = 0; q < 16; ++q) {
          if (distinct && (a % 4 == a / 4 || b % 4 == b / 4 || q % 4 == q / 4)) continue;
          unsigned set = 0;
          for (const auto& [x, y] : {pair(a), pair(b)}) set |= 1U << x | 1U << y;
          taken += (set >> (q % 4) & 1) != 0 && (set >> (q / 4) & 1) != 0;
          ++all;
        }
    return taken / all;
  };
  for (const bool distinct : {false, true}) {
    const block_group group({4, 1, 2, distinct ? 2U : 1U}, 2);
    std::array<double, max_block_probes + 1> clear;
    for (unsigned r = 0; r < clear.size(); ++r) clear[r] = std::pow(group.missed(r), 2);
    EXPECT_NEAR(group.rate(clear), counted(distinct), 1e-12) << distinct;
  }
}

// The same with four groups of 2 bits; a key marks one bit in each of two groups.
TEST(BlockRate, MatchesEnumerationOfTinyBlocksInTwoGroups) {
  std::vector<unsigned> keys;
  for (unsigned g = 0; g < 4; ++g)
    for (unsigned h = g + 1; h < 4; ++h)
      for (unsigned bits = 0; bits < 4; ++bits)
        keys.push_back(1U << (2 * g + bits % 2) | 1U << (2 * h + bits / 2));
  double taken = 0;
  for (const unsigned a : keys)
    for (const unsigned b : keys)
      for (const unsigned non_member : keys) taken += (non_member & ~(a | b)) == 0;
  const block_shape shape{
      .group_bits = 2, .groups = 4, .probes = 2, .round = 1, .patterns = 0, .in_two = true};
  const block_group group(shape, shape.probes_in(0));
  const double rate = group.rate_of_two(
      [&](unsigned r, unsigned s) { return std::pow(missed_in_two(shape, group, r, s), 2); });
  EXPECT_NEAR(rate, taken / std::pow(static_cast<double>(keys.size()), 3), 1e-12);
}
// Computed in another language by the sum of doc/theory/blocked.md.
TEST(BlockRate, OfTwoLines) {
  const block_shape shape{
      .group_bits = 256, .groups = 4, .probes = 8, .round = 4, .patterns = 0, .in_two = true};
  EXPECT_NEAR(block_fpr(shape, 8), 0.027444733402930, 1e-12);
  EXPECT_NEAR(block_fpr(shape, 12), 0.003682982848810, 1e-12);
  EXPECT_NEAR(block_fpr(shape, 16), 0.000737556372156, 1e-12);
}

// A half-full block: k different bits, or k draws.
TEST(BlockRate, AtAFill) {
  EXPECT_NEAR(block_group({64, 1, 2, 2}, 2).rate_at(32), 32.0 / 64 * 31 / 63, 1e-12);
  EXPECT_NEAR(block_group({64, 1, 2, 1}, 2).rate_at(32), 0.25, 1e-12);
  EXPECT_EQ(block_group({64, 1, 2, 2}, 2).rate_at(0), 0);
  EXPECT_NEAR(block_group({64, 1, 5, 1}, 5).rate_at(64), 1, 1e-12);
}

TEST(BlockCardinality, InvertsTheExpectedClearBits) {
  for (const block_shape& shape : {split, block_shape{256, 2, 7, 4}, block_shape{64, 1, 5, 1}})
    for (const double n : {10.0, 1000.0, 30'000.0}) {
      const double z = 1000;
      double clear = 0;
      for (unsigned g = 0; g < shape.groups; ++g)
        clear += z * shape.group_bits *
                 std::pow(1 - (1 - block_group(shape, shape.probes_in(g)).missed(1)) / z, n);
      EXPECT_NEAR(block_cardinality(shape, clear, z) / n, 1, 1e-6);
    }
}

}  // namespace
}  // namespace umbel::sizing::blocked_test
