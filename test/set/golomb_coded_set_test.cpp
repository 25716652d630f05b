// golomb_coded_set_test.cpp - Golomb-coded set [PSS07]: size by the formula, false positive rate,
// and edge cases.
#include <umbel/set/golomb_coded_set.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"
#include "support/statistics_gate.hpp"

namespace umbel::golomb_coded_set_test {
namespace {

using statistics::member;
using statistics::members;
using statistics::non_member;
using statistics::passed;

const double rates[] = {0x1p-4, 0x1p-8, 0x1p-10, 0x1p-16, 0x1p-20, 0.1, 0.01, 0.001, 1e-6};

double per_key(std::uint64_t bits, std::uint64_t n) {
  return static_cast<double>(bits) / static_cast<double>(n);
}

// Per key given, the stream alone is within 1 % of the formula. At coarse rates it is smaller: the
// formula counts values that coincide (a share of eps/2), which are stored once.
TEST(GolombFilter, BitsPerKeyAreTheFormulas) {
  constexpr std::uint64_t n = 200'000;
  const auto keys = members(n);
  for (const double eps : rates) {
    const auto f = golomb_coded_set::build(keys, {.fpr = eps});
    const auto code = sizing::plan_golomb(eps);
    const double formula =
        sizing::golomb_bits_per_key(static_cast<double>(code.spread), code.remainder_bits);
    EXPECT_LE(per_key(f.stream_bits(), n), formula * 1.01) << eps;
    EXPECT_GE(per_key(f.stream_bits(), n), formula * (0.99 - eps / 2)) << eps;
    EXPECT_GT(f.size_in_bits(), f.stream_bits()) << "entry points are counted";
    EXPECT_LE(per_key(f.size_in_bits(), n), formula + std::max(0.2, 0.02 * formula)) << eps;
    const double planned = golomb_coded_set::plan({.keys = n, .fpr = eps}).bits_per_key();
    EXPECT_NEAR(per_key(f.size_in_bits(), n) / planned, 1, 0.02 + eps / 2) << eps;
  }
}

TEST(GolombFilter, PowersOfTwoCostRPlus154) {
  constexpr std::uint64_t n = 200'000;
  for (const unsigned r : {8U, 12U, 16U}) {
    const auto f = golomb_coded_set::build(members(n), {.fpr = std::exp2(-static_cast<double>(r))});
    EXPECT_NEAR(per_key(f.stream_bits(), f.values()), r + 1.54, 0.05) << r;
  }
}

// N = 3000/p non-members: 5 sigmas are 9 % of the hits expected. No model error: values are
// uniform.
TEST(GolombFilter, RateIsAsAsked) {
  constexpr std::uint64_t n = 100'000;
  const auto keys = members(n);
  for (const double eps : {0x1p-4, 0x1p-8, 0.1, 0.01, 0.001}) {
    const auto f = golomb_coded_set::build(keys, {.fpr = eps});
    const auto trials = static_cast<std::uint64_t>(3000 / eps);
    EXPECT_TRUE(statistics::binomial_gate(passed(f, trials), trials, f.expected_fpr(), 0)) << eps;
    EXPECT_LE(f.expected_fpr(), eps * (1 + 1e-9));
    EXPECT_NEAR(f.expected_fpr() / eps, 1, std::max(0.01, eps))
        << "values that coincide are stored once";
  }
  const auto keyed = golomb_coded_set::build(keys, {.fpr = 0.01, .hash = hasher::keyed({3})});
  EXPECT_TRUE(statistics::binomial_gate(passed(keyed, 300'000), 300'000, keyed.expected_fpr(), 0));
}

// The code ends at remainders of 40 bits: 2^-40 is kept, a finer rate is an error and not a plan
// that breaks its promise.
TEST(GolombFilter, RatesFinerThanItsCodeAreRefused) {
  EXPECT_LE(golomb_coded_set::plan({.keys = 1000, .fpr = 0x1p-40}).fpr, 0x1p-40 * (1 + 1e-9));
  for (const double eps : {0.999 * 0x1p-40, 0x1p-41, 0x1p-60}) {
    EXPECT_THROW((void)golomb_coded_set::plan({.keys = 1000, .fpr = eps}), bad_parameter) << eps;
    EXPECT_THROW((void)golomb_coded_set::build(members(1000), {.fpr = eps}), bad_parameter) << eps;
  }
}

TEST(GolombFilter, AnEmptySetContainsNothing) {
  const auto f = golomb_coded_set::build(std::vector<std::uint64_t>{}, {.fpr = 0.01});
  EXPECT_EQ(f.values(), 0U);
  EXPECT_EQ(f.size_in_bits(), 0U);
  EXPECT_EQ(f.expected_fpr(), 0);
  EXPECT_EQ(passed(f, 10'000), 0U);
  for (std::uint64_t i = 0; i < 1000; ++i) EXPECT_FALSE(f.may_contain(non_member(i)));
  EXPECT_FALSE(golomb_coded_set().may_contain("anything"));
}

TEST(GolombFilter, FewKeysAndSizesAroundABucket) {
  for (const std::uint64_t n : {1U, 2U, 3U, 127U, 128U, 129U, 255U, 256U, 257U, 1000U}) {
    for (const double eps : rates) {
      const auto f = golomb_coded_set::build(members(n), {.fpr = eps});
      for (std::uint64_t i = 0; i < n; ++i)
        ASSERT_TRUE(f.may_contain(member(i))) << n << ' ' << eps;
      EXPECT_LE(f.values(), n);
      EXPECT_GE(f.values(), 1U);
    }
  }
}

TEST(GolombFilter, BytesDependOnTheSetOfKeysAlone) {
  auto keys = members(20'000);
  const auto ordered = golomb_coded_set::build(keys, {.fpr = 0.003});
  auto twice = keys;
  twice.insert(twice.end(), keys.begin(), keys.begin() + 5'000);
  std::shuffle(twice.begin(), twice.end(), std::mt19937_64(3));
  EXPECT_EQ(golomb_coded_set::build(twice, {.fpr = 0.003}), ordered) << "order and repeats";
  EXPECT_EQ(golomb_coded_set::build(twice, {.fpr = 0.003, .threads = 3}), ordered) << "threads";
  const auto of_one_key = golomb_coded_set::build(std::vector<int>(10'000, 7), {.fpr = 0.01});
  EXPECT_EQ(of_one_key.values(), 1U);
  EXPECT_TRUE(of_one_key.may_contain(7));
}

TEST(GolombFilter, BatchAnswersAsSingleCallsDo) {
  const auto f = golomb_coded_set::build(members(5'000), {.fpr = 0.05});
  for (const std::size_t count : {0U, 1U, 63U, 64U, 65U, 129U, 6'000U}) {
    std::vector<std::uint64_t> keys;
    for (std::uint64_t i = 0; i < count; ++i)
      keys.push_back(i % 2 == 0 ? member(i) : non_member(i));
    const auto answers = std::make_unique<bool[]>(count + 1);
    f.may_contain_batch(keys, {answers.get(), count});
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(answers[i], f.may_contain(keys[i]));
      if (i % 2 == 0 && i < 5'000) {
        ASSERT_TRUE(answers[i]) << "forgot a member";
      }
    }
  }
}

// Digests concentrated in few buckets: long gaps, empty buckets and full ones; all keys are found.
TEST(GolombFilter, UnevenDigestsAreStoredToo) {
  std::vector<digest> crowded;
  for (std::uint64_t i = 0; i < 5'000; ++i)
    crowded.push_back({i % 3 == 0 ? member(i) : member(i) >> 40, member(i, 1)});
  const auto f = golomb_coded_set::build(crowded, {.fpr = 0.01});
  for (const digest d : crowded) ASSERT_TRUE(f.may_contain(d));
  const std::vector<digest> ends = {{0, 0}, {~std::uint64_t{0}, ~std::uint64_t{0}}, {0, 1}, {1, 0}};
  const auto g = golomb_coded_set::build(ends, {.fpr = 0x1p-20});
  for (const digest d : ends) EXPECT_TRUE(g.may_contain(d));
}

TEST(GolombFilter, AllocatesFromTheGivenResource) {
  support::counting_resource memory;
  {
    const auto f = golomb_coded_set::build(members(10'000), {.fpr = 0.01, .memory = &memory});
    EXPECT_EQ(memory.bytes_held() * 8, f.size_in_bits());
  }
  EXPECT_EQ(memory.bytes_held(), 0U);
}

TEST(GolombFilter, RefusesImpossibleRates) {
  for (const double eps : {0.0, 1.0, 2.0, -0.5, std::nan(""), 1e-320}) {
    EXPECT_THROW((void)golomb_coded_set::build(members(3), {.fpr = eps}), bad_parameter) << eps;
    EXPECT_THROW((void)golomb_coded_set::plan({.keys = 3, .fpr = eps}), bad_parameter) << eps;
  }
}

}  // namespace
}  // namespace umbel::golomb_coded_set_test
