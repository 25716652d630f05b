// bloom_algebra_test.cpp - union, intersection and overlap of Bloom filters: exact laws and
// estimates; theorems 1 and 2 of Guo et al. as [TRL12] quotes them.
#include <umbel/set/bloom_filter.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "support/filter_bits.hpp"
#include "support/statistics_gate.hpp"

namespace umbel::bloom_algebra_test {
namespace {

using statistics::member;
using statistics::non_member;
using support::ones_of;
using support::words_of;

// Keys first .. last-1 in a filter of m bits and k probes under seed s.
bloom_filter filter_of(std::uint64_t first, std::uint64_t last, std::uint64_t m, unsigned k,
                       std::uint64_t s = 0) {
  bloom_filter out({.keys = 1, .bits = m, .probes = k, .hash = hasher::seeded(s)});
  for (std::uint64_t i = first; i < last; ++i) (void)out.insert(member(i, s));
  return out;
}
double zeros_of(const bloom_filter& f) {
  return static_cast<double>(f.size_in_bits() - ones_of(words_of(f)));
}

// Theorem 1: the OR of two filters is the filter of the union, so it accepts what either accepts.
TEST(BloomUnion, IsTheFilterOfTheUnionBitForBit) {
  for (const std::uint64_t m : {1021U, 10'000U}) {
    auto a = filter_of(0, 300, m, 5);
    const auto b = filter_of(200, 700, m, 5), before = a;
    a.merge(b);
    EXPECT_EQ(a, filter_of(0, 700, m, 5));
    for (std::uint64_t i = 0; i < 20'000; ++i)
      if (before.may_contain(non_member(i)) || b.may_contain(non_member(i))) {
        ASSERT_TRUE(a.may_contain(non_member(i)));
      }
    EXPECT_GE(a.expected_fpr(), std::max(before.expected_fpr(), b.expected_fpr()));
    auto with_itself = b;
    with_itself.merge(b);
    EXPECT_EQ(with_itself, b);
  }
}

TEST(BloomIntersection, AcceptsEveryCommonKeyAndHoldsAllTheirBits) {
  auto a = filter_of(0, 300, 10'000, 5);
  a.intersect(filter_of(200, 700, 10'000, 5));
  for (std::uint64_t i = 200; i < 300; ++i) EXPECT_TRUE(a.may_contain(member(i)));
  EXPECT_TRUE(filter_of(200, 300, 10'000, 5).may_be_subset_of(a))
      << "never fewer bits than the filter of the intersection";
}

// Theorem 2: P(AND equals the filter of the intersection) is at least (1-1/m)^(k^2 |A-B| |B-A|).
// 2000 pairs; the bound is the formula less 5 binomial sigmas (0.053 at p = 0.64).
TEST(BloomIntersection, IsExactAtLeastAsOftenAsTheorem2Says) {
  constexpr std::uint64_t pairs = 2000, m = 512;
  constexpr unsigned k = 3;
  std::uint64_t exact = 0;
  for (std::uint64_t s = 0; s < pairs; ++s) {
    auto both = filter_of(0, 15, m, k, s);
    both.intersect(filter_of(10, 15 + 5, m, k, s));
    exact += both == filter_of(10, 15, m, k, s);
  }
  // A = 0..14, B = 10..19: ten keys in A alone, five in B alone.
  const double bound = std::pow(1 - 1.0 / m, k * k * 10 * 5);
  const double share = static_cast<double>(exact) / pairs;
  EXPECT_GE(share, bound - 5 * std::sqrt(bound * (1 - bound) / pairs)) << "formula " << bound;
  EXPECT_LT(share, 1);
}

// E[popcount(A and B)], over 300 pairs; 5 standard errors of the measured mean.
TEST(BloomIntersection, InnerProductAveragesToTheFormula) {
  constexpr int pairs = 300;
  double sum = 0, squares = 0;
  for (std::uint64_t s = 0; s < pairs; ++s) {
    auto a = filter_of(0, 400, 8192, 4, s);
    a.intersect(filter_of(300, 900, 8192, 4, s));
    const auto ones = static_cast<double>(ones_of(words_of(a)));
    sum += ones;
    squares += ones * ones;
  }
  const double mean = sum / pairs, error = std::sqrt((squares / pairs - mean * mean) / pairs);
  EXPECT_TRUE(statistics::within(mean, sizing::bloom_inner_product(400, 600, 100, 8192, 4), error));
}

// Z1 + Z2 - Z_and = zeros of the OR, always.
TEST(BloomOverlap, ZerosFollowInclusionAndExclusion) {
  for (std::uint64_t s = 0; s < 50; ++s) {
    const auto a = filter_of(0, 10 * s, 4099, 4, s), b = filter_of(5 * s, 20 * s, 4099, 4, s);
    auto either = a, both = a;
    either.merge(b);
    both.intersect(b);
    EXPECT_EQ(zeros_of(a) + zeros_of(b) - zeros_of(both), zeros_of(either));
  }
}

// Sizes of both sets, union, intersection, Jaccard index and symmetric difference: the mean over
// 100 pairs is within 5 standard errors of the true value, and each cardinality within 5 of its
// own.
TEST(BloomOverlap, EstimatesAreUnbiased) {
  constexpr int pairs = 100;
  double common = 0, squares = 0, jaccard = 0, apart = 0;
  for (std::uint64_t s = 0; s < pairs; ++s) {
    const auto a = filter_of(0, 3000, 40'000, 6, s), b = filter_of(2000, 6000, 40'000, 6, s);
    const overlap found = a.overlap_with(b);
    EXPECT_TRUE(statistics::within(found.first.value, 3000, found.first.standard_error));
    EXPECT_TRUE(statistics::within(found.second.value, 4000, found.second.standard_error));
    EXPECT_TRUE(statistics::within(found.either.value, 6000, found.either.standard_error));
    EXPECT_EQ(found.common, found.common_raw) << "nothing to clamp here";
    common += found.common_raw;
    squares += found.common_raw * found.common_raw;
    jaccard += found.jaccard();
    apart += found.symmetric_difference();
  }
  const double mean = common / pairs, error = std::sqrt((squares / pairs - mean * mean) / pairs);
  EXPECT_TRUE(statistics::within(mean, 1000, error));
  EXPECT_TRUE(statistics::within(jaccard / pairs, 1000.0 / 6000, error / 6000 * 1.5));
  EXPECT_TRUE(statistics::within(apart / pairs, 5000, 2 * error));
}

TEST(BloomOverlap, OverlapsWithNothingAndWithItselfAreExact) {
  const auto a = filter_of(0, 200, 10'000, 5), nothing = filter_of(0, 0, 10'000, 5);
  const overlap none = a.overlap_with(nothing);
  EXPECT_EQ(none.common, 0);
  EXPECT_EQ(none.jaccard(), 0);
  EXPECT_NEAR(none.symmetric_difference(), none.first.value, 1e-9);
  EXPECT_EQ(nothing.overlap_with(nothing).jaccard(), 0);
  const overlap same = a.overlap_with(a);
  EXPECT_NEAR(same.common, same.first.value, 1e-9);
  EXPECT_NEAR(same.jaccard(), 1, 1e-9);
  EXPECT_NEAR(same.symmetric_difference(), 0, 1e-9);
  // Disjoint sets: the raw value scatters around zero, the clamped one is never negative.
  bool negative = false;
  for (std::uint64_t s = 0; s < 50; ++s) {
    const overlap found =
        filter_of(0, 300, 4096, 5, s).overlap_with(filter_of(300, 600, 4096, 5, s));
    EXPECT_GE(found.common, 0);
    EXPECT_LE(found.common, std::min(found.first.value, found.second.value));
    negative |= found.common_raw < 0;
  }
  EXPECT_TRUE(negative);
}

// If A is a subset of B, no bit of A is missing from B; the converse is only likely.
TEST(BloomSubset, IsNeverMissedAndMostlyRight) {
  const auto b = filter_of(0, 500, 10'000, 5);
  for (std::uint64_t size = 0; size <= 500; size += 50)
    EXPECT_TRUE(filter_of(0, size, 10'000, 5).may_be_subset_of(b));
  EXPECT_FALSE(filter_of(0, 501, 10'000, 5, 1).may_be_subset_of(filter_of(0, 480, 10'000, 5, 1)));
  EXPECT_FALSE(b.may_be_subset_of(filter_of(0, 400, 10'000, 5)));
  EXPECT_TRUE(b.may_be_subset_of(b));
}

// Every binary operation refuses a filter of another size, number of probes, seed or secret key,
// and leaves both operands unchanged.
TEST(BloomAlgebra, RefusesFiltersThatDiffer) {
  const auto a = filter_of(0, 100, 10'000, 5);
  bloom_filter keyed({.keys = 1, .bits = 10'000, .probes = 5, .hash = hasher::keyed({1})});
  auto folded = filter_of(0, 100, 20'000, 5);
  for (const auto& other : {filter_of(0, 100, 10'064, 5), filter_of(0, 100, 10'000, 6),
                            filter_of(0, 100, 10'000, 5, 9), keyed}) {
    auto mine = a;
    const auto theirs = other;
    EXPECT_THROW(mine.merge(other), incompatible);
    EXPECT_THROW(mine.intersect(other), incompatible);
    EXPECT_THROW((void)mine.overlap_with(other), incompatible);
    EXPECT_THROW((void)mine.may_be_subset_of(other), incompatible);
    EXPECT_EQ(mine, a);
    EXPECT_EQ(other, theirs);
  }
  folded.fold();
  EXPECT_NO_THROW(folded.merge(a)) << "a folded filter is one of that size";
}

}  // namespace
}  // namespace umbel::bloom_algebra_test
