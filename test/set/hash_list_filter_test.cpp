// hash_list_filter_test.cpp - the sorted list of fingerprints: its width, its exact rate, its search.
// Source     Sheet 01 section 11.
#include <umbel/set/hash_list_filter.hpp>

#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include "support/statistics_gate.hpp"

namespace umbel {
namespace {

using statistics::members;
using statistics::passed;

TEST(HashListFilter, WidthIsTheLogarithmOfKeysOverRate) {
  for (const std::uint64_t n : {1U, 2U, 1000U, 1024U, 100'000U})
    for (const double fpr : {0.5, 0.1, 1.0 / 256, 1e-6}) {
      const auto f = hash_list_filter::build(members(n), {.fpr = fpr});
      EXPECT_EQ(f.width(), std::max(1.0, std::ceil(std::log2(static_cast<double>(n) / fpr) - 1e-9))) << n << " " << fpr;
      EXPECT_LE(f.expected_fpr(), fpr);
      EXPECT_NEAR(static_cast<double>(f.size_in_bits()), static_cast<double>(f.values() * f.width()), 128);
    }
}

// u distinct values of 2^w: u/2^w, "exactly". 5 sigmas of a binomial count, no allowance for the model.
TEST(HashListFilter, RateIsExactlyTheShareOfValuesTaken) {
  constexpr std::uint64_t asked = 4'000'000;
  for (const std::uint64_t n : {1000U, 30'000U, 1'000'000U})
    for (const double fpr : {0.3, 1.0 / 256}) {
      const auto f = hash_list_filter::build(members(n), {.fpr = fpr});
      EXPECT_LE(f.values(), n);
      const double expected = f.expected_fpr() * asked;
      EXPECT_NEAR(static_cast<double>(passed(f, asked)), expected, 5 * std::sqrt(expected)) << n << " " << fpr;
    }
}

// 2 log2(n) bits: at most one stranger in n.
TEST(HashListFilter, TwiceTheLogarithmGivesOneInN) {
  constexpr std::uint64_t n = 1 << 16;
  const auto f = hash_list_filter::build(members(n), {.fpr = 1.0 / n});
  EXPECT_EQ(f.width(), 32U);
}

TEST(HashListFilter, SixtyFourBitsAreTheEnd) {
  EXPECT_EQ(hash_list_filter::build(members(1), {.fpr = 0x1p-64}).width(), 64U);
  EXPECT_THROW((void)hash_list_filter::build(members(2), {.fpr = 0x1p-64}), bad_parameter) << "needs 65";
  EXPECT_THROW((void)hash_list_filter::plan({.keys = 1'000'000, .fpr = 0x1p-50}), bad_parameter);
}

// The search starts where a value should be; digests that all fall on one side must be found as well.
TEST(HashListFilter, SkewedListsAreSearched) {
  std::vector<digest> all, low;
  for (std::uint64_t i = 0; i < 20'000; ++i) all.push_back(hasher()(i));
  const auto whole = hash_list_filter::build(all, {.fpr = 0.01});
  constexpr detail::remixer words{detail::salt_of(detail::stage::list)};
  for (const digest& d : all)
    if (words(d).first() >> 61 == 0 || words(d).first() >> 62 == 3) low.push_back(d);  // nothing in the middle
  const auto f = hash_list_filter::build(low, {.fpr = 0.01});
  std::uint64_t strangers = 0;
  for (const digest& d : low) ASSERT_TRUE(f.may_contain(d));
  for (const digest& d : all) strangers += f.may_contain(d);
  EXPECT_LT(strangers - low.size(), 0.02 * static_cast<double>(all.size()));
  for (const digest& d : all) ASSERT_TRUE(whole.may_contain(d));
}

}  // namespace
}  // namespace umbel
