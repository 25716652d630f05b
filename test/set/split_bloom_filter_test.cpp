// split_bloom_filter_test.cpp - split Bloom filter [XDL04]: rows of a fixed size; the rate of both
// forms, and when they are full.
#include <umbel/set/split_bloom_filter.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/base/error.hpp>
#include <umbel/codec/codec.hpp>
#include <umbel/set/bloom_filter.hpp>

#include "support/filter_bits.hpp"
#include "support/statistics_gate.hpp"

namespace umbel::split_bloom_filter_test {
namespace {

using statistics::binomial_gate;
using statistics::member;
using statistics::members;
using statistics::passed;
using support::words_of;
using enum split_form;

class Rows : public ::testing::TestWithParam<split_form> {};

// At the end of every row: the rate follows the formula of equal rows, or of Poisson loads, and
// ends within the planned rate.
TEST_P(Rows, RateIsItsFormula) {
  constexpr double fpr = 0.01;
  constexpr std::uint64_t n = 80'000, rows = 8, trials = 400'000;
  const split_options options{.keys = n, .fpr = fpr, .rows = rows, .form = GetParam()};
  const auto plan = split_bloom_filter::plan(options);
  split_bloom_filter filter(options);
  EXPECT_EQ(filter.size_in_bits(), plan.bits);
  for (std::uint64_t i = 0; i < rows; ++i) {
    std::vector<std::uint64_t> some;
    for (std::uint64_t j = 0; j < n / rows; ++j) some.push_back(member(i * (n / rows) + j));
    ASSERT_EQ(filter.insert_batch(some), some.size());
    const std::uint64_t in = (i + 1) * (n / rows), hits = passed(filter, trials, i),
                        each = plan.bits / rows;
    const double predicted = GetParam() == fill
                                 ? sizing::filled_rows_fpr(in, n / rows, each, plan.probes)
                                 : sizing::hashed_rows_fpr(in, rows, each, plan.probes);
    EXPECT_TRUE(binomial_gate(hits, trials, filter.expected_fpr())) << in;
    // Rows of 10,000 keys: their fill deviates by 1.2 %, and the rate with it.
    EXPECT_TRUE(binomial_gate(hits, trials, predicted, 0.06)) << in;
    EXPECT_EQ(filter.rows_in_use(), GetParam() == fill ? i + 1 : rows);
  }
  EXPECT_LE(plan.fpr, fpr);
  EXPECT_GE(plan.fpr, fpr * (GetParam() == fill ? 0.99 : 0.7))
      << "three deviations of room to spare where keys choose";
  for (const auto key : members(n)) ASSERT_TRUE(filter.may_contain(key));
}

TEST_P(Rows, FullWhenThePlannedKeysAreIn) {
  split_bloom_filter filter({.keys = 800, .fpr = 0.001, .rows = 4, .form = GetParam()});
  std::uint64_t next = 0;
  while (filter.keys() < 800) ASSERT_NO_THROW((void)filter.insert(member(next++)));
  const auto before = encode(filter);
  while (filter.may_contain(member(next))) ++next;
  EXPECT_THROW((void)filter.insert(member(next)), full);
  EXPECT_EQ(filter.try_insert(member(next)), std::nullopt);
  EXPECT_EQ(filter.try_insert(member(5)), false) << "it is in";
  EXPECT_EQ(encode(filter), before);
  EXPECT_LE(filter.expected_fpr(), 0.001 * 1.35)
      << "rows of 200 keys: five deviations of a rate that has one of 7 %";
}

TEST_P(Rows, OneRowIsABloomFilter) {
  const auto keys = members(1000);
  split_bloom_filter split({.keys = 1000, .bits = 9'984, .rows = 1, .form = GetParam()});
  const auto plan =
      split_bloom_filter::plan({.keys = 1000, .bits = 9'984, .rows = 1, .form = GetParam()});
  bloom_filter plain({.keys = 1000, .bits = 9'984, .probes = plan.probes});
  ASSERT_EQ(split.insert_batch(keys), keys.size());
  plain.insert_batch(keys);
  EXPECT_EQ(words_of(split), words_of(plain));
}

INSTANTIATE_TEST_SUITE_P(Both, Rows, ::testing::Values(fill, hash),
                         [](const auto& one) { return std::string(name_of(one.param)); });

TEST(SplitBloomFilter, FillsRowAfterRow) {
  split_bloom_filter filter({.keys = 1000, .fpr = 0.01, .rows = 10});
  EXPECT_EQ(filter.rows_in_use(), 1U);
  for (std::uint64_t i = 0; filter.keys() < 250; ++i) (void)filter.insert(member(i));
  EXPECT_EQ(filter.rows_in_use(), 3U);
  EXPECT_GT(filter.fill(2), 0);
  EXPECT_EQ(filter.fill(3), 0);
  EXPECT_LT(filter.fill(2), filter.fill(1));
}

TEST(SplitBloomFilter, RefusesImpossibleRows) {
  EXPECT_THROW(split_bloom_filter({.keys = 10, .fpr = 0.01, .rows = 0}), bad_parameter);
  EXPECT_THROW(split_bloom_filter({.keys = 10, .fpr = 0.01, .rows = 4097}), bad_parameter);
}

}  // namespace
}  // namespace umbel::split_bloom_filter_test
