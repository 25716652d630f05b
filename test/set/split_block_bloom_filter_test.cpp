// split_block_bloom_filter_test.cpp - split-block Bloom filter [PSS07]: rates, cardinality, unions
// and folds.
// Bounds     Binomial (support/gate.hpp) with a model error of 5 %.
#include <umbel/set/split_block_bloom_filter.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/cells/kernel/level.hpp>

#include "support/counting_resource.hpp"
#include "support/statistics_gate.hpp"

namespace umbel::split_block_bloom_filter_test {
namespace {

using filter = split_block_bloom_filter;
using statistics::binomial_gate;
using statistics::member;
using statistics::members;
using statistics::non_member;
using statistics::passed;

filter filled(std::uint64_t blocks, std::uint64_t n, const hasher& hash = {},
              std::uint64_t seed = 0) {
  filter out({.keys = n, .bits = blocks * 256, .hash = hash});
  (void)out.insert_batch(members(n, seed));
  return out;
}

TEST(SplitBlockFilter, RatesMatchReferenceValues) {
  constexpr std::uint64_t n = 200'000;
  constexpr struct {
    std::uint64_t bits_per_key;
    double rate;
  } table[] = {{8, .0332}, {12, .00542}, {16, .00132}};
  for (const auto& [c, p] : table) {
    for (const hasher& hash : {hasher(), hasher::seeded(3), hasher::keyed({7})}) {
      const filter f = filled(c * n / 256, n, hash);
      const auto trials = static_cast<std::uint64_t>(1e4 / p);
      const std::uint64_t hits = passed(f, trials);
      EXPECT_TRUE(binomial_gate(hits, trials, p, 0.05)) << c << " bits per key";
      EXPECT_TRUE(binomial_gate(hits, trials, f.expected_fpr(), 0.01))
          << c << ": given the fills of the lanes";
      EXPECT_NEAR(filter::plan({.keys = n, .bits = c * n}).fpr / p, 1, 0.01);
    }
  }
}

TEST(SplitBlockFilter, PlansKeepTheirRate) {
  for (const std::uint64_t n : {1U, 100U, 10'000U}) {
    for (const double eps : {.3, .1, .01, .001, 1e-5}) {
      const auto plan = filter::plan({.keys = n, .fpr = eps});
      EXPECT_LE(plan.fpr, eps * (1 + 1e-9)) << n << ' ' << eps;
      EXPECT_EQ(plan.bits % 256, 0U);
      EXPECT_EQ(filter({.keys = n, .fpr = eps}).size_in_bits(), plan.bits);
      const auto room = filter::plan({.fpr = eps, .bits = 1'000'000});
      EXPECT_LE(room.fpr, eps * (1 + 1e-9)) << eps;
      EXPECT_LE(room.bits, 1'000'000U) << "never more than asked for";
      EXPECT_GT(filter::plan({.keys = room.keys + room.keys / 100 + 1, .bits = 1'000'000}).fpr, eps)
          << eps;
    }
  }
}

// Eight bits per block reach 5.2e-15 for a thousand keys. A finer rate is an error, not a plan that
// breaks its promise.
TEST(SplitBlockFilter, RatesFinerThanEightBitsReachAreRefused) {
  for (const double eps : {1e-12, 1e-14, 5.2e-15})
    EXPECT_LE(filter::plan({.keys = 1000, .fpr = eps}).fpr, eps * (1 + 1e-9)) << eps;
  for (const double eps : {5.1e-15, 1e-15, 1e-18}) {
    EXPECT_THROW((void)filter::plan({.keys = 1000, .fpr = eps}), bad_parameter) << eps;
    EXPECT_THROW((void)filter({.keys = 1000, .fpr = eps}), bad_parameter) << eps;
  }
}

// Over 200 filters: deviations in units of the stated standard error stay within 5, with mean 0 and
// variance 1.
TEST(SplitBlockFilter, CardinalityWithinFiveStandardErrors) {
  for (const std::uint64_t n : {500U, 5'000U, 20'000U}) {
    constexpr int filters = 200;
    double sum = 0, squares = 0;
    for (std::uint64_t s = 0; s < filters; ++s) {
      const estimate found = filled(256, n, hasher::seeded(s), s).cardinality();
      EXPECT_FALSE(found.saturated);
      const double z = (found.value - static_cast<double>(n)) / found.standard_error;
      EXPECT_LE(std::abs(z), 5) << n << ' ' << s;
      sum += z;
      squares += z * z;
    }
    EXPECT_TRUE(statistics::within(sum / filters, 0, 1 / std::sqrt(filters))) << n;
    EXPECT_TRUE(statistics::within(squares / filters, 1, std::sqrt(2.0 / filters))) << n;
  }
}

TEST(SplitBlockFilter, EmptyAndFullFiltersHaveSaneCardinalities) {
  const estimate none = filter({.keys = 10, .bits = 2560}).cardinality();
  EXPECT_EQ(none.value, 0);
  EXPECT_FALSE(std::signbit(none.value)) << "printed as -0";
  EXPECT_FALSE(none.saturated);
  const estimate full = filled(1, 5'000).cardinality();
  EXPECT_TRUE(full.saturated);
  EXPECT_TRUE(std::isfinite(full.value) && std::isfinite(full.standard_error));
}

TEST(SplitBlockFilter, UnionIsTheFilterOfTheUnion) {
  filter a = filled(100, 1'000);
  const filter b = filled(100, 1'000, {}, 1);
  filter both = filled(100, 1'000);
  (void)both.insert_batch(members(1'000, 1));
  a.merge(b);
  EXPECT_EQ(a, both);
}

TEST(SplitBlockFilter, IntersectionAcceptsEveryCommonKey) {
  filter a = filled(100, 1'000), b = filled(100, 0);
  for (std::uint64_t i = 500; i < 1'500; ++i) (void)b.insert(member(i));
  a.intersect(b);
  for (std::uint64_t i = 500; i < 1'000; ++i) EXPECT_TRUE(a.may_contain(member(i)));
}

TEST(SplitBlockFilter, EveryFoldIsTheFilterBuiltThatSmall) {
  for (const std::uint64_t blocks : {64U, 96U, 1000U}) {
    filter f = filled(blocks, 2'000);
    std::uint64_t size = blocks;
    for (; size % 2 == 0; size /= 2) {
      f.fold();
      EXPECT_EQ(f, filled(size / 2, 2'000)) << size;
      EXPECT_EQ(f.size_in_bits(), size / 2 * 256);
    }
    const filter before = f;
    EXPECT_THROW(f.fold(), bad_parameter) << size << " blocks";
    EXPECT_EQ(f, before);
  }
}

TEST(SplitBlockFilter, RefusesFiltersThatDiffer) {
  filter a = filled(100, 500);
  const filter before = a;
  for (const filter& other : {filled(101, 500), filled(100, 500, hasher::seeded(1)),
                              filled(100, 500, hasher::keyed({1}))}) {
    EXPECT_THROW(a.merge(other), incompatible);
    EXPECT_THROW(a.intersect(other), incompatible);
    EXPECT_EQ(a, before);
  }
}

TEST(SplitBlockFilter, BytesDependOnTheSetOfKeysAlone) {
  auto keys = members(3'000);
  const filter ordered = filled(100, 3'000);
  filter other = filled(100, 0);
  std::shuffle(keys.begin(), keys.end(), std::mt19937_64(2));
  for (const auto key : keys) {
    const bool known = other.may_contain(key);
    EXPECT_EQ(other.insert(key), !known) << "changed exactly if it was certainly new";
    EXPECT_FALSE(other.insert(key)) << "again changes nothing";
  }
  EXPECT_EQ(other, ordered);
  other.clear();
  EXPECT_EQ(other, filled(100, 0));
}

TEST(SplitBlockFilter, BatchAnswersAsSingleCallsDoUnderEveryKernel) {
  const auto before = cells::kernel::in_use();
  const filter f = filled(64, 1'000);
  for (const auto level : {cells::kernel::level::portable, cells::kernel::level::avx2}) {
    cells::kernel::use(level);
    for (const std::size_t count : {0U, 1U, 63U, 64U, 65U, 128U, 129U, 3'000U}) {
      std::vector<std::uint64_t> keys;
      for (std::uint64_t i = 0; i < count; ++i)
        keys.push_back(i % 4 == 0 ? member(i) : non_member(i));
      const auto answers = std::make_unique<bool[]>(count + 1);
      f.may_contain_batch(keys, {answers.get(), count});
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(answers[i], f.may_contain(keys[i]));
        if (i % 4 == 0 && i < 1'000) {
          ASSERT_TRUE(answers[i]) << "forgot a member";
        }
      }
    }
    EXPECT_EQ(f, filled(64, 1'000)) << "the same bits from every kernel";
  }
  cells::kernel::use(before);
}

TEST(SplitBlockFilter, AllocatesFromTheGivenResource) {
  support::counting_resource memory, other;
  const support::as_default_resource guard(other);
  {
    filter f({.keys = 1'000, .bits = 64 * 256, .memory = &memory});
    EXPECT_EQ(memory.bytes_held(), 64 * 32U);
    f.fold();
    EXPECT_EQ(other.bytes_held(), 0U) << "folding stays in the filter's own memory";
  }
}

}  // namespace
}  // namespace umbel::split_block_bloom_filter_test
