// adaptive_cuckoo_filter_test.cpp - adaptive cuckoo filter [MPR20]: no false negatives, a reported
// false positive does not pass again, and the rate on a Zipf query stream.
#include <umbel/set/adaptive_cuckoo_filter.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/codec/codec.hpp>

#include "support/statistics_gate.hpp"

namespace umbel::adaptive_cuckoo_filter_test {
namespace {

using statistics::binomial_gate;
using statistics::member;
using statistics::members;
using statistics::non_member;

// The store of keys behind the filter: here a plain array.
struct keys_behind {
  explicit keys_behind(const adaptive_cuckoo_filter& f) : all(f.size()) {}
  [[nodiscard]] std::uint64_t key(std::uint64_t slot) const { return all[slot]; }
  void move(std::uint64_t from, std::uint64_t to) { all[to] = all[from]; }
  std::vector<std::uint64_t> all;
};
bool add(adaptive_cuckoo_filter& f, keys_behind& table, std::uint64_t key) {
  const auto slot = f.insert(key, table);
  if (slot) table.all[*slot] = key;
  return slot.has_value();
}
bool is_in(const adaptive_cuckoo_filter& f, const keys_behind& table, std::uint64_t key) {
  return f.may_contain(key) && f.find_exactly(key, table);
}

TEST(AdaptiveCuckooFilter, PlannedKeysFitAndAreFound) {
  for (std::uint64_t n = 1; n < 20'000; n += 1 + n / 3)
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      adaptive_cuckoo_filter f({.keys = n, .fpr = 0.01});
      keys_behind table(f);
      for (const auto key : members(n, seed)) ASSERT_TRUE(add(f, table, key)) << n << " " << seed;
      EXPECT_EQ(f.keys(), n);
      for (const auto key : members(n, seed)) ASSERT_TRUE(is_in(f, table, key)) << n;
    }
}

TEST(AdaptiveCuckooFilter, FreshNonMembersPassAtTheRate) {
  adaptive_cuckoo_filter f({.keys = 50'000, .fpr = 0.02});
  keys_behind table(f);
  for (const auto key : members(50'000)) ASSERT_TRUE(add(f, table, key));
  std::uint64_t passed = 0, later = 0;
  for (std::uint64_t i = 0; i < 500'000; ++i) passed += f.may_contain(non_member(i));
  EXPECT_TRUE(binomial_gate(passed, 500'000, f.expected_fpr(), 5 / std::sqrt(5e4)));
  // All reported false positives are rejected now; other non-members pass as before.
  for (std::uint64_t i = 0; i < 500'000; ++i)
    if (f.may_contain(non_member(i))) {
      ASSERT_TRUE(f.adapt(non_member(i), table));
      ASSERT_FALSE(f.may_contain(non_member(i)));
    }
  for (std::uint64_t i = 500'000; i < 1'000'000; ++i) later += f.may_contain(non_member(i));
  EXPECT_TRUE(binomial_gate(later, 500'000, f.expected_fpr(), 5 / std::sqrt(5e4)));
  for (const auto key : members(50'000)) ASSERT_TRUE(is_in(f, table, key));
}

// 10^6 Zipf(1) queries over 10^5 non-members give less than a fifth of the false positives of a
// filter that does not adapt.
TEST(AdaptiveCuckooFilter, PopularNonMembersPassOnce) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    adaptive_cuckoo_filter still({.keys = 20'000, .fpr = 0.03, .hash = hasher::seeded(seed)});
    keys_behind table(still);
    for (const auto key : members(20'000, seed)) ASSERT_TRUE(add(still, table, key));
    auto learning = still;
    std::vector<double> up_to(100'000);
    double sum = 0;
    for (std::size_t i = 0; i < up_to.size(); ++i) up_to[i] = sum += 1 / static_cast<double>(i + 1);
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> any(0, sum);
    std::uint64_t before = 0, after = 0;
    for (int i = 0; i < 1'000'000; ++i) {
      const auto rank = std::lower_bound(up_to.begin(), up_to.end(), any(random)) - up_to.begin();
      const std::uint64_t asked = non_member(static_cast<std::uint64_t>(rank), seed);
      before += still.may_contain(asked);
      if (!learning.may_contain(asked)) continue;
      ++after;
      ASSERT_TRUE(learning.adapt(asked, table));
    }
    EXPECT_GT(before, 5 * after) << before << " and " << after << ", seed " << seed;
    for (const auto key : members(20'000, seed)) ASSERT_TRUE(is_in(learning, table, key));
  }
}

// Random inserts, erases and reports of false positives, compared with the store; at random moments
// the filter is encoded and decoded.
TEST(AdaptiveCuckooFilter, RandomOperationsLoseNoKey) {
  adaptive_cuckoo_filter f({.keys = 2000, .fpr = 0.05});
  keys_behind table(f);
  std::vector<std::uint64_t> in;
  std::mt19937_64 random(4);
  for (std::uint64_t step = 0; step < 1'000'000; ++step) {
    const auto dice = random() % 4;
    if (dice == 0 && in.size() < 2000) {
      in.push_back(member(step));
      ASSERT_TRUE(add(f, table, in.back())) << step;
    } else if (dice == 1 && !in.empty()) {
      std::swap(in[random() % in.size()], in.back());
      const auto slot = f.find_exactly(in.back(), table);
      ASSERT_TRUE(slot) << step;
      f.erase(*slot);
      in.pop_back();
    } else if (f.may_contain(non_member(step % 3000))) {
      EXPECT_TRUE(f.adapt(non_member(step % 3000), table));
    }
    if (!in.empty()) {
      ASSERT_TRUE(is_in(f, table, in[random() % in.size()])) << step;
    }
    if (random() % 60'000 != 0) continue;
    const auto again = decode<adaptive_cuckoo_filter>(encode(f));
    ASSERT_EQ(again, f);
    f = again;
    for (const auto key : in) ASSERT_TRUE(is_in(f, table, key)) << step;
  }
  EXPECT_EQ(f.keys(), in.size());
}

TEST(AdaptiveCuckooFilter, AnInsertIntoAFullFilterChangesNothing) {
  adaptive_cuckoo_filter f({.keys = 100, .fpr = 0.01});
  keys_behind table(f);
  std::uint64_t i = 0;
  while (add(f, table, member(i))) ++i;
  EXPECT_GE(i, 100U);
  const auto before = f;
  EXPECT_FALSE(add(f, table, member(i)));
  EXPECT_TRUE(f == before);
  for (std::uint64_t j = 0; j < i; ++j) EXPECT_TRUE(is_in(f, table, member(j)));
}

TEST(AdaptiveCuckooFilter, ImpossibleShapesAreRefused) {
  for (const unsigned bits : {0U, 4U, 64U})
    EXPECT_THROW((void)adaptive_cuckoo_filter({.keys = 10, .fpr = 0.1, .selector_bits = bits}),
                 bad_parameter);
  EXPECT_THROW((void)adaptive_cuckoo_filter({.keys = 10}), bad_parameter);
  EXPECT_THROW((void)adaptive_cuckoo_filter({.keys = 1000, .fpr = 1e-9}), bad_parameter);
}

}  // namespace
}  // namespace umbel::adaptive_cuckoo_filter_test
