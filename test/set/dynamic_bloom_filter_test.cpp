// dynamic_bloom_filter_test.cpp - dynamic Bloom filter [GWCL06]: the rate over many rows, ambiguous
// erases, and no false negatives.
#include <umbel/set/dynamic_bloom_filter.hpp>

#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/cells/bits.hpp>
#include <umbel/codec/codec.hpp>
#include <umbel/sizing/rows.hpp>

#include "support/environment.hpp"
#include "support/erase_walks.hpp"
#include "support/statistics_gate.hpp"

namespace umbel::dynamic_bloom_filter_test {
namespace {

using core::erasure;
using statistics::binomial_gate;
using statistics::member;
using statistics::members;
using statistics::passed;

constexpr std::uint64_t cells = 1280, room = 133;
constexpr dynamic_options reference{.keys = room, .bits = 4 * cells, .probes = 7};

TEST(DynamicBloomFilter, RatesMatchReferenceFigures) {
  EXPECT_EQ(sizing::row_room(cells, 7, 0.01), room);
  const std::pair<std::uint64_t, double> figures[] = {
      {133, 0.0098}, {266, 0.0196}, {500, 0.0317}, {1330, 0.0942}};
  for (const auto& [n, fpr] : figures)
    EXPECT_NEAR(sizing::rows_fpr(n, room, cells, 7), fpr, 0.00005) << n;
  EXPECT_NEAR(sizing::bloom_fpr_asymptotic(500, cells, 7), 0.625, 0.0005)
      << "one filter of that size";
}

// 200 filters of each size. A row's rate deviates by 11 % (7 times the deviation of its fill), the
// mean of 200 by 0.8 %. The formula is that of many cells and lies 2 % below the true rate at 1280
// cells.
TEST(DynamicBloomFilter, RateIsItsFormula) {
  for (const std::uint64_t n : {133U, 266U, 500U, 1330U}) {
    std::uint64_t hits = 0;
    double told = 0;
    constexpr std::uint64_t filters = 200, each = 4000;
    for (std::uint64_t seed = 0; seed < filters; ++seed) {
      auto options = reference;
      options.hash = hasher::seeded(seed);
      dynamic_bloom_filter filter(options);
      filter.insert_batch(members(n, seed));
      ASSERT_EQ(filter.rows(), (n + room - 1) / room);
      hits += passed(filter, each, seed);
      told += filter.expected_fpr() / filters;
    }
    EXPECT_TRUE(binomial_gate(hits, filters * each, sizing::rows_fpr(n, room, cells, 7), 0.06))
        << n;
    EXPECT_TRUE(binomial_gate(hits, filters * each, told)) << n;
  }
}

// From eight rows on, 2e4 inserts and erases: rows are merged, some erases are refused, and no key
// is lost.
TEST(DynamicBloomFilter, RandomInsertsAndErasesLoseNoKey) {
  dynamic_bloom_filter filter(reference);
  std::vector<std::uint64_t> in;
  std::uint64_t next = 0, tried = 0, refused = 0;
  std::size_t fewest = 99;
  const auto insert = [&] {
    in.push_back(member(next++));
    filter.insert(in.back());
  };
  while (in.size() < 8 * room) insert();
  ASSERT_EQ(filter.rows(), 8U);
  std::mt19937_64 random(3);
  for (std::uint64_t step = 0; step < 20'000; ++step) {
    // Shrinks for a while, then grows again.
    if (step % 4000 < 2000 ? random() % 4 == 0 : in.size() < 8 * room) {
      insert();
    } else {
      const std::size_t i = random() % in.size();
      ++tried;
      const erasure was = filter.try_erase(in[i]);
      ASSERT_NE(was, erasure::absent);
      if (was == erasure::done) {
        std::swap(in[i], in.back());
        in.pop_back();
      } else {
        ++refused;
      }
    }
    fewest = std::min(fewest, filter.rows());
    if (step % 250 == 0) {
      for (const auto key : in) ASSERT_TRUE(filter.may_contain(key)) << step;
      filter = decode<dynamic_bloom_filter>(encode(filter));
    }
  }
  EXPECT_EQ(filter.keys(), in.size());
  EXPECT_LT(fewest, 5U) << "rows were added up";
  // The erase of a member is refused where one of the other rows (at most seven) accepts it too.
  // Refused keys stay, are drawn again and are refused again, which about doubles their share.
  const double share = static_cast<double>(refused) / static_cast<double>(tried);
  EXPECT_GT(share, 0.01);
  EXPECT_LT(share, 2 * (1 - sizing::unambiguous_share(0.0105, 8)));
}

TEST(DynamicBloomFilter, AmbiguousErasesAreRefusedAndCounted) {
  // 16 counters, so that rows agree often.
  dynamic_bloom_filter filter({.keys = 2, .bits = 64, .probes = 1});
  for (std::uint64_t i = 0; i < 20; ++i) filter.insert(member(i));
  std::uint64_t refused = 0;
  const auto before = encode(filter);
  for (std::uint64_t i = 0; i < 20; ++i) {
    auto copy = filter;
    if (copy.try_erase(member(i)) != erasure::refused) continue;
    EXPECT_EQ(encode(copy), before);
    EXPECT_EQ(copy.ambiguous(), 1U);
    ++refused;
  }
  EXPECT_GT(refused, 5U);
}

TEST(DynamicBloomFilter, CountersStickAtTheirMaximum) {
  dynamic_bloom_filter filter({.keys = 100, .fpr = 0.01});
  for (int i = 0; i < 20; ++i) filter.insert("often");
  for (int i = 0; i < 20; ++i) EXPECT_EQ(filter.try_erase("often"), erasure::refused);
  EXPECT_TRUE(filter.may_contain("often"));
  filter.clear();
  for (int i = 0; i < 14; ++i) filter.insert("often");
  for (int i = 0; i < 14; ++i) EXPECT_EQ(filter.try_erase("often"), erasure::done);
  EXPECT_EQ(filter.try_erase("often"), erasure::absent);
}

// A count is never too low over any number of rows, and is too high about as often as a non-member
// passes.
TEST(DynamicBloomFilter, CountsCopies) {
  dynamic_bloom_filter filter(reference);
  std::uint64_t exact = 0, total = 0;
  const auto copies = [](std::uint64_t i) { return i % 4 + 1; };
  // Five rows, and keys whose copies lie in two of them.
  for (std::uint64_t i = 0; i < 4 * room / 2; ++i)
    for (std::uint64_t c = 0; c < copies(i); ++c) filter.insert(member(i)), ++total;
  EXPECT_EQ(filter.keys(), total);
  EXPECT_EQ(filter.rows(), (total + room - 1) / room);
  for (std::uint64_t i = 0; i < 4 * room / 2; ++i) {
    ASSERT_GE(filter.count(member(i)), copies(i));
    exact += filter.count(member(i)) == copies(i);
  }
  // Copies fill fewer counters than distinct keys would, so non-members pass, and counts are too
  // high, less often than in full rows.
  EXPECT_GE(static_cast<double>(exact), 2 * room * (1 - sizing::rows_fpr(total, room, cells, 7)));
  std::uint64_t non_members = 0;
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    const auto asked = statistics::non_member(i);
    ASSERT_EQ(filter.count(asked) != 0, filter.may_contain(asked));
    non_members += filter.count(asked) != 0;
  }
  EXPECT_GT(non_members, 0U);
}

// Rows are not merged where a counter would saturate: 8 copies and 8 copies are 16.
TEST(DynamicBloomFilter, RowsWhoseCountersWouldSaturateAreNotMerged) {
  cells::counters a(40), b(40);
  for (int i = 0; i < 8; ++i) (void)a.set(17), (void)b.set(17);
  (void)a.set(3);
  const auto before = a;
  EXPECT_FALSE(a.add(b));
  EXPECT_EQ(a, before);
  EXPECT_TRUE(b.unset(17));
  EXPECT_TRUE(a.add(b));
  EXPECT_EQ(a.get(17), 15U);
  EXPECT_EQ(a.get(3), 1U);
  EXPECT_EQ(a.used(), 2U);
  EXPECT_FALSE(a.unset(17)) << "stuck";
}

TEST(DynamicBloomFilter, BatchesEraseAsSingleCallsDo) {
  const auto keys = members(1500);
  dynamic_bloom_filter single(reference);
  single.insert_batch(keys);
  auto batch = single;
  std::size_t done = 0;
  for (const auto key : std::span(keys).first(1200)) done += single.erase(key);
  EXPECT_EQ(batch.erase_batch(std::span(keys).first(1200)), done);
  EXPECT_EQ(batch, single);
  EXPECT_LT(single.rows(), 8U);
}

// The same rows over plain bits: they only grow.
TEST(DynamicBloomFilter, RowsOfBitsGrow) {
  core::rows<cells::bits> rows(core::k_probes(cells, 7), room, nullptr);
  const auto keys = members(1000);
  for (const auto key : keys) rows.insert(hasher()(key));
  EXPECT_EQ(rows.all().size(), 8U);
  for (const auto key : keys) ASSERT_TRUE(rows.may_contain(hasher()(key)));
}

TEST(DynamicBloomFilter, ErasingANonMemberRemovesMembers) {
  test::expect_erased_non_members_harm_members(dynamic_bloom_filter({.keys = 200, .fpr = 0.1}), 200,
                                               200);
}

RC_GTEST_PROP(DynamicBloomFilterProperty, ForgetsNothingThatIsIn,
              (const test::erase_steps& steps)) {
  test::forgets_nothing_that_is_in(
      dynamic_bloom_filter({.keys = 8, .fpr = 0.05}), steps,
      [](const auto& filter, const auto& in) { RC_ASSERT(filter.keys() == in.size()); });
}

}  // namespace
}  // namespace umbel::dynamic_bloom_filter_test
