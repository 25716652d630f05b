// taffy_cuckoo_filter_test.cpp - Taffy cuckoo filter [App22]: doubles without its keys, bounded
// rate, unions of any sizes, and a frozen form that keeps heads alone.
#include <umbel/set/taffy_cuckoo_filter.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "support/environment.hpp"
#include "support/statistics_gate.hpp"

namespace umbel::taffy_cuckoo_filter_test {
namespace {

using statistics::binomial_gate;
using statistics::members;
using statistics::passed;

std::uint64_t forgotten(const taffy_cuckoo_filter& f, std::span<const std::uint64_t> keys) {
  std::uint64_t sum = 0;
  for (const auto key : keys) sum += !f.may_contain(key);
  return sum;
}

// Batches of tables of more than 8 MiB look ahead along eviction chains; for small tables test/laws
// compares batches with single inserts.
TEST(TaffyCuckooFilter, ALargeBatchGivesTheBytesOfSingleInserts) {
  const auto keys = members(3'000'000);
  taffy_cuckoo_filter single({.keys = 2'500'000, .fpr = 2e-7}), batch = single;
  ASSERT_GT(single.size_in_bits(), 8 * (std::uint64_t{8} << 20));
  for (const auto key : keys) single.insert(key);
  EXPECT_EQ(batch.insert_batch(keys), keys.size());
  EXPECT_EQ(batch.growths(), 1U);
  EXPECT_EQ(batch, single);
}

// From a thousand keys through ten doublings and more, at every size on the way. Without heads and
// tails, old entries raise the rate with every doubling: the bound is 8 * load / 2^10 [App22].
TEST(TaffyCuckooFilter, GrowsWithoutItsKeys) {
  const auto keys = members(test::small_or(1 << 15, 1 << 20));
  taffy_cuckoo_filter f({.keys = 1024, .fpr = 0.01});
  ASSERT_EQ(f.head_bits(), 10U);
  std::size_t in = 0;
  for (std::size_t until = 1024; in < keys.size(); until *= 2) {
    until = std::min(until, keys.size());
    ASSERT_EQ(f.insert_batch(std::span(keys).subspan(in, until - in)), until - in);
    in = until;
    const double load = static_cast<double>(f.entries()) / static_cast<double>(8 * f.buckets());
    ASSERT_LE(load, 0.9);
    ASSERT_LE(f.expected_fpr(), 8 * load / 1024);
    EXPECT_TRUE(binomial_gate(passed(f, 1'000'000), 1'000'000, f.expected_fpr(), 0.02));
    std::printf("%9zu keys, %2u doublings, %5.2f bits per key, rate %.5f\n", in, f.growths(),
                static_cast<double>(f.size_in_bits()) / static_cast<double>(in), f.expected_fpr());
  }
  EXPECT_GE(f.growths(), test::small_or(5, 10));
  EXPECT_EQ(forgotten(f, keys), 0U);
}

// Small tables with any first size, at every number of keys.
TEST(TaffyCuckooFilter, NoKeyIsForgottenAtAnyMoment) {
  for (std::uint64_t first = 1; first <= 40; first += 3) {
    taffy_cuckoo_filter f({.keys = first, .fpr = 0.1});
    const auto keys = members(3000, first);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      f.insert(keys[i]);
      ASSERT_TRUE(f.may_contain(keys[i]));
      if (i % 97 == 0) {
        ASSERT_EQ(forgotten(f, std::span(keys).first(i + 1)), 0U) << first << " " << i;
      }
    }
    EXPECT_EQ(forgotten(f, keys), 0U) << first;
    EXPECT_GE(f.growths(), 5U);
    EXPECT_LE(f.expected_fpr(), 0.1);
  }
}

// The reported rate is the share of fractions that the entries cover: before any doubling each
// entry covers one value.
TEST(TaffyCuckooFilter, RateIsTheShareCovered) {
  for (const double fpr : {0.2, 0.03, 1e-3}) {
    taffy_cuckoo_filter f({.keys = 100'000, .fpr = fpr});
    f.insert_batch(members(100'000));
    EXPECT_EQ(f.growths(), 0U) << "planned keys fit";
    const double values = std::exp2(f.head_bits() + 5) * static_cast<double>(f.buckets());
    EXPECT_DOUBLE_EQ(f.expected_fpr(), static_cast<double>(f.entries()) / values);
    EXPECT_NEAR(f.expected_fpr(), sizing::taffy_fpr(100'000, f.buckets(), f.head_bits()),
                0.01 * f.expected_fpr());
    EXPECT_TRUE(binomial_gate(passed(f, 4'000'000), 4'000'000, f.expected_fpr(), 0)) << fpr;
  }
}

TEST(TaffyCuckooFilter, PlannedKeysFitWithoutDoubling) {
  for (std::uint64_t n = 1; n < 3000; n += 1 + n / 20)
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      taffy_cuckoo_filter f({.keys = n, .fpr = 0.05});
      f.insert_batch(members(n, seed));
      ASSERT_EQ(f.growths(), 0U) << n << " " << seed;
    }
}

TEST(TaffyCuckooFilter, RepeatsChangeNothing) {
  taffy_cuckoo_filter f({.keys = 100, .fpr = 0.01});
  const auto keys = members(5000);
  f.insert_batch(keys);
  const auto before = f;
  for (const auto key : keys) EXPECT_FALSE(f.insert(key));
  EXPECT_TRUE(f == before);
}

// Unions of filters that have doubled a different number of times, in both directions.
TEST(TaffyCuckooFilter, UnionsAtAnySizes) {
  const auto few = members(300, 1), many = members(40'000, 2);
  taffy_cuckoo_filter small({.keys = 200, .fpr = 0.01}), large({.keys = 200, .fpr = 0.01});
  small.insert_batch(few);
  large.insert_batch(many);
  ASSERT_LT(small.growths(), large.growths());
  auto first = small, second = large;
  first.merge(large);
  second.merge(small);
  for (const auto* either : {&first, &second}) {
    EXPECT_EQ(forgotten(*either, few), 0U);
    EXPECT_EQ(forgotten(*either, many), 0U);
    EXPECT_LE(either->expected_fpr(), small.expected_fpr() + large.expected_fpr() + 1e-12);
  }
  taffy_cuckoo_filter full_up({.keys = 200, .fpr = 0.01});  // a union that must double
  full_up.insert_batch(members(39'000, 3));
  second.merge(full_up);
  EXPECT_EQ(forgotten(second, members(39'000, 3)), 0U);
  EXPECT_EQ(forgotten(second, many), 0U);
  EXPECT_THROW(small.merge(taffy_cuckoo_filter({.keys = 300, .fpr = 0.01})), incompatible);
  EXPECT_THROW(small.merge(taffy_cuckoo_filter({.keys = 200, .fpr = 0.001})), incompatible);
}

// Frozen to heads: no key is lost, and each front that an entry had passes 1 / (N 2^h) of the
// non-members. n fronts among N 2^h values are distinct except for a share of n / (2 N 2^h), here
// below 0.0036: about 360 of 100 000 with a deviation of 19. One in a hundred would be 1000.
TEST(TaffyCuckooFilter, TheFrozenFormTakesFortyBitsPerBucket) {
  const std::uint64_t asked = 4'000'000;
  // Tails that are whole, and tails of every length.
  for (const std::uint64_t guess : {100'000U, 1'000U}) {
    taffy_cuckoo_filter f({.keys = guess, .fpr = 0.01});
    ASSERT_EQ(f.head_bits(), 10U);
    const auto keys = members(100'000);
    f.insert_batch(keys);
    const taffy_cuckoo_filter frozen = f.freeze();
    EXPECT_TRUE(frozen.is_frozen());
    EXPECT_FALSE(f.is_frozen());
    EXPECT_EQ(forgotten(frozen, keys), 0U);
    const std::uint64_t stash_and_end = 9 * 64;
    EXPECT_EQ(frozen.size_in_bits(), (2 * f.buckets() * 40 + 63) / 64 * 64 + stash_and_end);
    EXPECT_EQ(frozen.size_in_bits(), sizing::taffy_frozen_bits(f.buckets(), f.head_bits()));
    const double load = static_cast<double>(f.entries()) / static_cast<double>(8 * f.buckets());
    EXPECT_LE(frozen.expected_fpr(), 8 * load / 1024);
    EXPECT_GE(frozen.expected_fpr(), 0.99 * 8 * load / 1024);
    EXPECT_TRUE(binomial_gate(passed(frozen, asked), asked, frozen.expected_fpr(), 0));
    EXPECT_TRUE(frozen.freeze() == frozen);
  }
}

// Empty rows, full rows and a stash; heads of every width. The frozen form accepts what the growing
// form accepts.
TEST(TaffyCuckooFilter, CanBeFrozenAtAnyMoment) {
  std::uint64_t empty_passes = 0;
  for (const double fpr : {0.2, 0.03, 1e-3, 1e-6})
    for (std::uint64_t first = 1; first <= 30; first += 4) {
      taffy_cuckoo_filter f({.keys = first, .fpr = fpr});
      empty_passes += passed(f.freeze(), 10'000);
      const auto keys = members(700, first);
      for (std::size_t i = 0; i < keys.size(); ++i) {
        f.insert(keys[i]);
        if (i % 41 != 0) continue;
        const auto frozen = f.freeze();
        ASSERT_EQ(forgotten(frozen, std::span(keys).first(i + 1)), 0U)
            << fpr << " " << first << " " << i;
        ASSERT_LE(frozen.entries(), f.entries());
        for (std::uint64_t j = 0; j < 500; ++j) {
          const auto key = statistics::non_member(j);
          ASSERT_LE(f.may_contain(key), frozen.may_contain(key));
        }
      }
    }
  EXPECT_EQ(empty_passes, 0U);
}

TEST(TaffyCuckooFilter, AFrozenFilterRefusesChanges) {
  taffy_cuckoo_filter f({.keys = 100, .fpr = 0.01});
  f.insert_batch(members(100));
  auto frozen = f.freeze();
  const auto before = frozen;
  EXPECT_THROW(frozen.insert(std::uint64_t{1}), bad_parameter);
  EXPECT_THROW(frozen.insert_batch(members(10)), bad_parameter);
  EXPECT_THROW(frozen.merge(f), bad_parameter);
  EXPECT_THROW(f.merge(frozen), bad_parameter);
  EXPECT_THROW(frozen.clear(), bad_parameter);
  EXPECT_TRUE(frozen == before);
  EXPECT_FALSE(frozen == f);
}

// What a mapped file may hold: every operation ends and stays inside, and a table that cannot
// double says so.
struct writing {
  void hash(hasher&) {}
  void fields(std::string_view, auto&) {}
  void array(std::string_view, cells::words<>& some) {
    if (some.size() == 8) return;
    for (auto& word : some.span().first(some.size() - 1)) word = next() & mask;
  }
  std::uint64_t mask;
  std::mt19937_64 next{1};
};
TEST(TaffyCuckooFilter, AnyCellsAreSafe) {
  for (const std::uint64_t mask : {~0ULL, 0xFFC0FFC0FFC0FFC0ULL, 0x8420842084208420ULL})
    for (const double fpr : {0.01, 1e-6}) {
      taffy_cuckoo_filter f({.keys = 2000, .fpr = fpr});
      writing noise{mask};
      auto frozen = f.freeze();
      taffy_cuckoo_filter::describe(frozen, noise);
      (void)passed(frozen, 2000);
      taffy_cuckoo_filter::describe(f, noise);
      (void)passed(f, 2000);
      (void)passed(f.freeze(), 2000);
      EXPECT_LE(f.expected_fpr(), 1);
      try {
        for (const auto key : members(5000)) f.insert(key);
        for (const auto key : members(5000)) EXPECT_TRUE(f.may_contain(key));
      } catch (const full&) {
      }
    }
}

TEST(TaffyCuckooFilter, ImpossibleShapesAreRefused) {
  EXPECT_THROW((void)taffy_cuckoo_filter::plan({.keys = 1000, .fpr = 1e-8}), bad_parameter);
  EXPECT_THROW((void)taffy_cuckoo_filter::plan({.keys = std::uint64_t{1} << 50, .fpr = 1e-6}),
               bad_parameter);
}

}  // namespace
}  // namespace umbel::taffy_cuckoo_filter_test
