// hash_compaction_filter_test.cpp - hash compaction [WL93] in an ordered hash table [AK74]: one
// layout per set, an exact rate, use of every slot, and searches that end on any cells.
#include <umbel/set/hash_compaction_filter.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "support/statistics_gate.hpp"

namespace umbel::hash_compaction_filter_test {
namespace {

using statistics::binomial_gate;
using statistics::members;
using statistics::passed;

// The cells as words, through the filter's own description.
struct reading {
  void hash(const hasher&) {}
  void fields(std::string_view, const auto&) {}
  void array(std::string_view, const cells::words<>& some) {
    words.assign(some.span().begin(), some.span().end());
  }
  std::vector<std::uint64_t> words;
};
std::vector<std::uint64_t> cells_of(const hash_compaction_filter& f) {
  reading part;
  hash_compaction_filter::describe(f, part);
  cells::packed all(f.slots(), f.width());
  std::copy(part.words.begin(), part.words.end(), all.storage().data());
  std::vector<std::uint64_t> out;
  for (std::uint64_t i = 0; i < f.slots(); ++i) out.push_back(all.get(i));
  return out;
}
// The same table over given cells.
struct writing {
  void hash(hasher&) {}
  void fields(std::string_view, auto&) {}
  void array(std::string_view, cells::words<>& some) {
    for (auto& word : some.span().first(some.size() - 1)) word = next();
  }
  std::mt19937_64 next{1};
};

std::pair<std::uint64_t, std::uint64_t> home_and_value(const hash_compaction_filter& f,
                                                       std::uint64_t key) {
  constexpr detail::remixer words{detail::salt_of(detail::stage::compaction)};
  const auto word = words(f.hash()(key));
  return {detail::fastrange(word.first(), f.slots()),
          1 + detail::fastrange(word.second(), detail::low_mask(f.width()))};
}

// The layout by definition: fingerprints from the largest down, each in the first slot from its
// home slot that no larger one occupies.
std::vector<std::uint64_t> layout_of(const hash_compaction_filter& like,
                                     const std::vector<std::uint64_t>& keys) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> falling;
  for (const auto key : keys) {
    const auto [home, value] = home_and_value(like, key);
    falling.emplace_back(value, home);
  }
  std::sort(falling.rbegin(), falling.rend());
  std::vector<std::uint64_t> cells(like.slots());
  for (auto [value, at] : falling) {
    while (cells[at] > value) at = at + 1 == like.slots() ? 0 : at + 1;
    cells[at] = value;
  }
  return cells;
}

TEST(HashCompactionFilter, CellsAreTheLayoutOfTheSet) {
  for (const auto& [n, fpr] :
       {std::pair{200U, 0.5}, {200U, 0.1}, {1000U, 0.02}, {1000U, 1e-4}, {300U, 1e-12}}) {
    auto keys = members(n);
    hash_compaction_filter f({.keys = n, .fpr = fpr});
    std::mt19937_64 random(2);
    for (int round = 0; round < 20; ++round) {
      std::shuffle(keys.begin(), keys.end(), random);
      f.clear();
      for (const auto key : keys) f.insert(key);
      ASSERT_EQ(cells_of(f), layout_of(f, keys)) << n << " " << fpr << ", round " << round;
    }
  }
}

// Filled to the last slot, and further with keys that share a fingerprint: the layout still holds,
// whatever inserts were refused in between.
TEST(HashCompactionFilter, FullTablesKeepTheLayout) {
  for (const std::uint64_t bits : {128U, 192U, 320U}) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      hash_compaction_filter f({.keys = 20, .bits = bits});
      std::vector<std::uint64_t> taken;
      for (const auto key : members(300, seed)) {
        const auto before = f;
        const auto changed = f.try_insert(key);
        if (changed) taken.push_back(key);
        if (!changed.value_or(false)) {
          ASSERT_TRUE(f == before);
        }
      }
      ASSERT_EQ(f.values(), f.slots());
      ASSERT_EQ(cells_of(f), layout_of(f, taken)) << bits << " bits, seed " << seed;
      for (const auto key : taken) ASSERT_TRUE(f.may_contain(key));
    }
  }
}

TEST(HashCompactionFilter, InsertTellsNewKeysFromOld) {
  hash_compaction_filter f({.keys = 1000, .fpr = 1e-9});
  for (const auto key : members(1000)) {
    EXPECT_TRUE(f.insert(key));
    EXPECT_FALSE(f.insert(key));
    EXPECT_EQ(f.try_insert(key), std::optional(false));
  }
  EXPECT_EQ(f.values(), 1000U);
}

TEST(HashCompactionFilter, AFullTableThrowsOrReportsIt) {
  hash_compaction_filter f({.keys = 3, .fpr = 1e-9});
  const auto keys = members(20);
  EXPECT_EQ(f.insert_batch(keys), f.slots());
  EXPECT_THROW(f.insert(keys[10]), full);
  EXPECT_EQ(f.try_insert(keys[10]), std::nullopt);
  EXPECT_THROW((void)hash_compaction_filter::build(keys, {.keys = 3, .fpr = 1e-9}), full);
  EXPECT_TRUE(f.cardinality().saturated);
}

// Every home slot with every fingerprint, compared with the definition.
TEST(HashCompactionFilter, RateIsExactlyTheShareLetThrough) {
  for (const auto& [n, bits] : {std::pair{40U, 320U}, {60U, 384U}, {100U, 512U}, {500U, 3000U}}) {
    auto f = hash_compaction_filter::build(members(n), {.bits = bits});
    ASSERT_LE(f.width(), 12U);
    const auto cells = cells_of(f);
    std::uint64_t accepted = 0;
    for (std::uint64_t home = 0; home < f.slots(); ++home)
      for (std::uint64_t value = 1; value < 1U << f.width(); ++value) {
        std::uint64_t at = home, steps = 0;
        while (cells[at] > value && steps++ < f.slots()) at = at + 1 == f.slots() ? 0 : at + 1;
        accepted += cells[at] == value;
      }
    const double all = static_cast<double>(f.slots()) * (std::exp2(f.width()) - 1);
    EXPECT_DOUBLE_EQ(f.expected_fpr(), static_cast<double>(accepted) / all) << n << " " << bits;
  }
}

TEST(HashCompactionFilter, NonMembersPassAtThatRate) {
  for (const double fpr : {0.1, 0.01, 1e-3}) {
    const auto f = hash_compaction_filter::build(members(200'000), {.fpr = fpr});
    EXPECT_TRUE(binomial_gate(passed(f, 4'000'000), 4'000'000, f.expected_fpr(), 0)) << fpr;
    EXPECT_NEAR(f.expected_fpr(), fpr, 0.05 * fpr);
  }
}

// What a mapped file may hold: no empty slot, one value everywhere, random words. Queries end and
// stay inside.
TEST(HashCompactionFilter, SearchesEndOnAnyCells) {
  for (const std::uint64_t bits : {128U, 640U, 64'000U}) {
    hash_compaction_filter f({.keys = bits / 20, .bits = bits});
    writing noise;
    hash_compaction_filter::describe(f, noise);
    (void)passed(f, 5000);
    (void)f.cardinality();
    EXPECT_LE(f.expected_fpr(), 1);
  }
}

TEST(HashCompactionFilter, LoadIsKept) {
  const auto plan = hash_compaction_filter::plan({.keys = 10'000, .fpr = 1e-6, .load = 0.5});
  EXPECT_GE(plan.cells, 20'000U);
  EXPECT_GT(plan.bits, hash_compaction_filter::plan({.keys = 10'000, .fpr = 1e-6}).bits);
  for (const double load : {0.0, -1.0, 0.995, 1.0, std::nan("")})
    EXPECT_THROW((void)hash_compaction_filter::plan({.keys = 10, .fpr = 0.1, .load = load}),
                 bad_parameter)
        << load;
}

}  // namespace
}  // namespace umbel::hash_compaction_filter_test
