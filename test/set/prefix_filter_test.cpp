// prefix_filter_test.cpp - prefix filter [EEM22]: bins keep the smallest values and a spare filter
// the rest; overflow shares, rates, and a comparison with a reference.
#include <umbel/set/prefix_filter.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/statistics_gate.hpp"

namespace umbel::prefix_filter_test {
namespace {

using statistics::binomial_gate;
using statistics::members;
using statistics::passed;

// E[(X - 25)+] / E[X] of 4.2e4 bins. A bin's overflow deviates by 2.54, so the share of n keys
// deviates by 2.54 / (23.75 sqrt(bins)).
TEST(PrefixFilter, OverflowAndErrorMatchTheFormulas) {
  constexpr std::uint64_t n = 1'000'000;
  prefix_filter f({.keys = n, .fpr = 0.01});
  EXPECT_EQ(f.insert_batch(members(n)), n);
  const double all = static_cast<double>(f.pockets()) * 6400;
  // The others share another key's value.
  const double distinct = -all * std::expm1(-static_cast<double>(n) / all);
  const double share = 1 - static_cast<double>(f.kept()) / distinct;
  EXPECT_NEAR(share, 0.0586, 5 * 2.54 / (23.75 * std::sqrt(static_cast<double>(f.pockets()))));
  EXPECT_NEAR(static_cast<double>(f.size_in_bits()) / n, 10.78 + 1.1 * 0.0586 * 12, 0.01);
  EXPECT_GT(f.expected_fpr(), 0.0037);
  EXPECT_LT(f.expected_fpr(), 0.0041);
  EXPECT_TRUE(binomial_gate(passed(f, 4'000'000), 4'000'000, f.expected_fpr()));
  EXPECT_TRUE(binomial_gate(passed(f, 4'000'000), 4'000'000,
                            prefix_filter::plan({.keys = n, .fpr = 0.01}).fpr));
}

// Both kernels, batches and single calls, any order, every key twice: the same filter.
TEST(PrefixFilter, BytesDependOnTheSetOfKeysAlone) {
  auto keys = members(20'000);
  std::vector<prefix_filter> made;
  std::vector<std::uint64_t> hits;
  for (const auto level : {cells::kernel::level::portable, cells::kernel::level::avx2}) {
    cells::kernel::use(level);
    prefix_filter f({.keys = keys.size(), .fpr = 0.01}), g = f;
    EXPECT_EQ(f.insert_batch(keys), keys.size());
    std::shuffle(keys.begin(), keys.end(), std::mt19937_64(5));
    for (const auto key : keys) (void)g.insert(key);
    for (const auto key : keys) ASSERT_FALSE(g.insert(key)) << "it was in";
    EXPECT_EQ(f, g);
    for (const auto key : keys) ASSERT_TRUE(f.may_contain(key));
    hits.push_back(passed(f, 50'000));
    std::uint64_t one_by_one = 0;
    for (std::uint64_t i = 0; i < 50'000; ++i)
      one_by_one += f.may_contain(statistics::non_member(i));
    hits.push_back(one_by_one);
    made.push_back(f);
  }
  cells::kernel::use(cells::kernel::best());
  EXPECT_EQ(made[0], made[1]);
  EXPECT_EQ(hits, std::vector<std::uint64_t>(4, hits[0]));
}

// A key that `insert` reports as new was certainly not in before. Every key is found from then on,
// far past the planned number.
TEST(PrefixFilter, NeverFillsAndLosesNoKey) {
  prefix_filter f({.keys = 2'000, .fpr = 0.01});
  const auto keys = members(20'000);
  for (const auto key : keys) {
    const bool known = f.may_contain(key);
    ASSERT_TRUE(!f.insert(key) || !known);
    ASSERT_TRUE(f.may_contain(key));
  }
  for (const auto key : keys) ASSERT_TRUE(f.may_contain(key));
  EXPECT_EQ(f.kept(), f.pockets() * 25) << "every pocket is full";
  EXPECT_GT(f.expected_fpr(), 0.5)
      << "and nearly all is asked of a spare that was made for a twentieth";
  EXPECT_TRUE(binomial_gate(passed(f, 100'000), 100'000, f.expected_fpr()));
  f.clear();
  EXPECT_EQ(f, prefix_filter({.keys = 2'000, .fpr = 0.01}));
}

// Unions of filters in which both, one or neither of two bins have overflowed.
TEST(PrefixFilter, AUnionIsTheFilterOfAllKeys) {
  const auto keys = members(9'000);
  for (const std::size_t first : {0U, 500U, 3'000U, 6'000U}) {
    for (const std::size_t from : {0U, 500U, 5'000U}) {
      prefix_filter a({.keys = 5'000, .fpr = 0.01}), b = a, both = a;
      a.insert_batch(std::span(keys).first(first));
      b.insert_batch(std::span(keys).subspan(from));
      both.insert_batch(std::span(keys).first(first));
      both.insert_batch(std::span(keys).subspan(from));
      a.merge(b);
      EXPECT_EQ(a, both) << first << " and from " << from;
    }
  }
  prefix_filter a({.keys = 5'000, .bits = 64'000});
  EXPECT_THROW(a.merge(prefix_filter({.keys = 5'000, .bits = 65'000})), incompatible);
}

TEST(PrefixFilter, RefusesRatesOutOfReach) {
  EXPECT_NO_THROW((void)prefix_filter::plan({.keys = 100'000, .fpr = 0.002}));
  for (const double fpr : {0.0018, 1e-3, 1e-6}) {
    for (const bool by_bits : {false, true}) {
      prefix_options options{.fpr = fpr};
      (by_bits ? options.bits : options.keys) = 100'000;
      try {
        (void)prefix_filter::plan(options);
        ADD_FAILURE() << fpr;
      } catch (const bad_parameter& refused) {
        EXPECT_NE(std::string(refused.what()).find("out of this structure's reach"),
                  std::string::npos);
      }
    }
  }
}

}  // namespace
}  // namespace umbel::prefix_filter_test
