// hash_list_filter_test.cpp - sorted list of fingerprints [BM04, sec. 2.3]: its width, exact rate,
// search and merge.
#include <umbel/set/hash_list_filter.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include "support/statistics_gate.hpp"

namespace umbel::hash_list_filter_test {
namespace {

using statistics::members;
using statistics::passed;

TEST(HashListFilter, WidthIsTheLogarithmOfKeysOverRate) {
  for (const std::uint64_t n : {1U, 2U, 1000U, 1024U, 100'000U})
    for (const double fpr : {0.5, 0.1, 1.0 / 256, 1e-6}) {
      const auto f = hash_list_filter::build(members(n), {.fpr = fpr});
      EXPECT_EQ(f.width(), std::max(1.0, std::ceil(std::log2(static_cast<double>(n) / fpr) - 1e-9)))
          << n << " " << fpr;
      EXPECT_LE(f.expected_fpr(), fpr);
      EXPECT_NEAR(static_cast<double>(f.size_in_bits()),
                  static_cast<double>(f.values() * f.width()), 128);
    }
}

// u distinct values of 2^w: the rate is exactly u/2^w. 5 sigmas of a binomial count: 4 % of 15 000
// and 1 % of 300 000, no model error.
TEST(HashListFilter, RateIsExactlyTheShareOfValuesTaken) {
  for (const std::uint64_t n : {1000U, 30'000U, 1'000'000U})
    for (const double fpr : {0.3, 1.0 / 256}) {
      const auto asked = static_cast<std::uint64_t>(std::max(1e6, 15'000 / fpr));
      const auto f = hash_list_filter::build(members(n), {.fpr = fpr});
      EXPECT_LE(f.values(), n);
      const double expected = f.expected_fpr() * static_cast<double>(asked);
      EXPECT_NEAR(static_cast<double>(passed(f, asked)), expected, 5 * std::sqrt(expected))
          << n << " " << fpr;
    }
}

// 2 log2(n) bits: at most one non-member in n.
TEST(HashListFilter, TwiceTheLogarithmGivesOneInN) {
  constexpr std::uint64_t n = 1 << 16;
  const auto f = hash_list_filter::build(members(n), {.fpr = 1.0 / n});
  EXPECT_EQ(f.width(), 32U);
}

TEST(HashListFilter, FingerprintsHaveAtMostSixtyFourBits) {
  EXPECT_EQ(hash_list_filter::build(members(1), {.fpr = 0x1p-64}).width(), 64U);
  EXPECT_THROW((void)hash_list_filter::build(members(2), {.fpr = 0x1p-64}), bad_parameter)
      << "needs 65";
  EXPECT_THROW((void)hash_list_filter::plan({.keys = 1'000'000, .fpr = 0x1p-50}), bad_parameter);
}

// The search starts where a value should be; digests that all lie on one side of it must be found
// too.
TEST(HashListFilter, SkewedListsAreSearched) {
  std::vector<digest> all, low;
  for (std::uint64_t i = 0; i < 20'000; ++i) all.push_back(hasher()(i));
  const auto whole = hash_list_filter::build(all, {.fpr = 0.01});
  constexpr detail::remixer words{detail::salt_of(detail::stage::list)};
  for (const digest& d : all)
    // No value in the middle.
    if (words(d).first() >> 61 == 0 || words(d).first() >> 62 == 3) low.push_back(d);
  const auto f = hash_list_filter::build(low, {.fpr = 0.01});
  std::uint64_t non_members = 0;
  for (const digest& d : low) ASSERT_TRUE(f.may_contain(d));
  for (const digest& d : all) non_members += f.may_contain(d);
  EXPECT_LT(non_members - low.size(), 0.02 * static_cast<double>(all.size()));
  for (const digest& d : all) ASSERT_TRUE(whole.may_contain(d));
}

// ---- merging ----

hash_list_filter list_of(std::uint64_t n, std::uint64_t seed, unsigned width,
                         const hasher& hash = {}) {
  return hash_list_filter::build(members(n, seed), {.width = width, .hash = hash});
}
hash_list_filter merged(hash_list_filter a, const hash_list_filter& b) {
  a.merge(b);
  return a;
}

TEST(HashListMerge, IsTheListOfTheUnion) {
  for (const unsigned width : {3U, 10U, 24U, 33U, 64U})
    for (const std::uint64_t n : {1U, 100U, 3000U}) {
      const auto a = list_of(n, 1, width), b = list_of(2 * n, 2, width);
      auto both = members(n, 1);
      for (const auto key : members(2 * n, 2)) both.push_back(key);
      const auto all = hash_list_filter::build(both, {.width = width});
      EXPECT_EQ(merged(a, b), all) << width << " " << n;
      EXPECT_EQ(merged(b, a), all) << width << " " << n;
      EXPECT_EQ(merged(all, a), all) << width << " " << n;
      EXPECT_EQ(merged(a, a), a);
    }
}

// Keys that come in batches: each is sorted alone and merged. The rate stays exact, far past any
// plan.
TEST(HashListMerge, BatchesGrowAListAndItsRateIsExact) {
  constexpr unsigned width = 20;
  hash_list_filter grown;
  std::uint64_t n = 0;
  for (std::uint64_t batch = 0; batch < 12; ++batch) {
    const std::uint64_t size = std::uint64_t{1000} << batch / 2;
    grown.merge(list_of(size, 10 + batch, width));
    n += size;
    const double expected = 1'000'000 * grown.expected_fpr();
    EXPECT_NEAR(grown.expected_fpr(), sizing::hash_list_planned_fpr(n, width),
                0.01 * grown.expected_fpr());
    EXPECT_NEAR(static_cast<double>(passed(grown, 1'000'000, batch)), expected,
                5 * std::sqrt(expected));
  }
  for (std::uint64_t batch = 0; batch < 12; ++batch)
    for (const auto key : members(std::uint64_t{1000} << batch / 2, 10 + batch))
      ASSERT_TRUE(grown.may_contain(key));
}

TEST(HashListMerge, RefusesWhatDoesNotFitAndChangesNothing) {
  auto a = list_of(100, 1, 30);
  const auto before = a;
  EXPECT_THROW(a.merge(list_of(100, 2, 31)), incompatible);
  EXPECT_THROW(a.merge(list_of(100, 2, 30, hasher::seeded(1))), incompatible);
  EXPECT_THROW(a.merge(hash_list_filter::build(members(0), {.hash = hasher::seeded(1)})),
               incompatible);
  EXPECT_EQ(a, before);
  a.merge(hash_list_filter());
  EXPECT_EQ(a, before);
  EXPECT_EQ(merged(hash_list_filter(), a), before);
}

TEST(HashListMerge, AWidthCanBeGivenInsteadOfARate) {
  EXPECT_EQ(list_of(100, 1, 17).width(), 17U);
  EXPECT_THROW((void)list_of(100, 1, 65), bad_parameter);
  EXPECT_THROW((void)hash_list_filter::build(members(3), {.fpr = 0.1, .width = 8}), bad_parameter);
  EXPECT_NEAR(hash_list_filter::plan({.keys = 1000, .width = 20}).fpr, 1000 * 0x1p-20, 1e-6);
}

struct shuffler {
  void hash(hasher&) {}
  void fields(std::string_view, auto&) {}
  void array(std::string_view, cells::words<>& words) {
    for (auto& word : words.span().first(words.size() - 1)) word = detail::mix64(word) | 0xFF;
  }
};

// What a mapped file may hold: unsorted and repeated values. The result is a sorted list all the
// same.
TEST(HashListMerge, MergingAnUnsortedFileGivesASortedList) {
  shuffler shuffle;
  auto wild = list_of(128, 1, 8);  // whole words of cells
  wild = merged(wild, list_of(2000, 2, 8));
  ASSERT_EQ(wild.values() % 8, 0U);
  hash_list_filter::describe(wild, shuffle);
  auto out = merged(list_of(50, 3, 8), wild);
  EXPECT_LE(out.values(), 256U);
  EXPECT_NO_THROW(out.check());
}

}  // namespace
}  // namespace umbel::hash_list_filter_test
