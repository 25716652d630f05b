// expandable_filter_test.cpp - expandable quotient filter (InfiniFilter, Aleph filter) [DBRT23],
// [DBH24]: no key lost over many doublings, a stable rate, erases, and rejuvenated fingerprints.
#include <umbel/set/expandable_filter.hpp>

#include <algorithm>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "support/statistics_gate.hpp"

namespace umbel::expandable_filter_test {
namespace {

using statistics::binomial_gate;
using statistics::members;
using statistics::passed;

std::uint64_t forgotten(const expandable_filter& f, std::span<const std::uint64_t> keys) {
  std::vector<char> room(keys.size());
  const std::span<bool> answers(reinterpret_cast<bool*>(room.data()), room.size());
  f.may_contain_batch(keys, answers);
  return static_cast<std::uint64_t>(std::count(answers.begin(), answers.end(), false));
}

// From one block through fourteen doublings: the first fingerprints are void long before the end.
TEST(ExpandableFilter, FourteenDoublingsForgetNothingAndKeepTheRate) {
  constexpr double fpr = 0.02;
  const auto keys = members(900'000);
  expandable_filter f({.keys = 60, .fpr = fpr});
  std::size_t in = 0;
  unsigned held = 0;
  while (f.generation() < 14) {
    f.insert(keys[in++]);
    // Full, just before it doubles: the rate is highest here.
    if (f.used() != f.slots() - (f.slots() + 19) / 20) continue;
    EXPECT_EQ(forgotten(f, std::span(keys).first(in)), 0U) << f.generation();
    EXPECT_LE(f.expected_fpr(), fpr) << f.generation();
    if (f.slots() >= 4096) {
      EXPECT_TRUE(binomial_gate(passed(f, 400'000, f.generation()), 400'000, f.expected_fpr()))
          << f.generation();
    }
    ++held;
  }
  EXPECT_EQ(held, 14U);
  EXPECT_EQ(forgotten(f, std::span(keys).first(in)), 0U);
  EXPECT_EQ(f.length(), sizing::expandable_length(6, 14))
      << "log2(.95 * 1.3225 / .02) = 5.97, and 8 bits since";
}

// Without widening the rate would rise by load * 2^-(F+1) with each doubling: (X + 2) 2^-(F+1)
// [DBRT23]. The first two terms are the same in both, so they can be compared: 1 + 2^-d(1) / 2 of
// the rate before.
TEST(ExpandableFilter, TheFirstDoublingAddsAnEighth) {
  const auto keys = members(25'000);
  expandable_filter f({.keys = 10'000, .fpr = 0.01});
  std::size_t in = 0;
  const auto fill = [&] {
    while (f.used() < f.slots() - (f.slots() + 19) / 20) f.insert(keys[in++]);
    return f.expected_fpr();
  };
  const double before = fill();
  EXPECT_NEAR(before, 0.95 / 128, 0.01 * before);
  f.expand();
  EXPECT_NEAR(fill() / before, 1 + 0.25 / 2, 0.01);
}

TEST(ExpandableFilter, RandomInsertsAndErasesLoseNoKey) {
  const auto keys = members(60'000);
  std::vector<unsigned> copies(keys.size());
  std::vector<std::uint64_t> live;
  expandable_filter f({.keys = 60, .fpr = 0.1});
  std::mt19937_64 random(5);
  for (int step = 0; step < 400'000; ++step) {
    const std::uint64_t i =
        random() % (keys.size() * static_cast<std::uint64_t>(step + 1000) / 401'000);
    if (copies[i] == 0 || random() % 16 == 0) {
      f.insert(keys[i]);
      ++copies[i];
    } else if (random() % 2 == 0) {
      ASSERT_TRUE(f.erase(keys[i])) << step;
      --copies[i];
    } else if (random() % 4 == 0) {
      ASSERT_TRUE(f.rejuvenate(keys[i])) << step;
    }
    const std::uint64_t asked = random() % keys.size();
    ASSERT_TRUE(copies[asked] == 0 || f.may_contain(keys[asked])) << step;
  }
  EXPECT_GT(f.generation(), 8U);
  EXPECT_LE(f.expected_fpr(), 0.1);
  for (std::uint64_t i = 0; i < keys.size(); ++i)
    ASSERT_TRUE(copies[i] == 0 || f.may_contain(keys[i]));
}

// A void fingerprint has a copy in every home slot its key may have, and an erase removes only the
// one in the key's own home slot. The copies left behind stay within the bound on slots and on
// false positives; a key that was never void leaves none.
TEST(ExpandableFilter, CopiesLeftByErasedVoidFingerprintsAreBounded) {
  // Fingerprints of 4 bits: the first keys are void after four doublings.
  constexpr double fpr = 0.1;
  const auto keys = members(300'000);
  expandable_filter f({.keys = 60, .fpr = fpr});
  const std::size_t first = f.slots() - (f.slots() + 19) / 20;
  std::size_t in = 0;
  while (f.generation() < 3) f.insert(keys[in++]);
  auto young = f;
  EXPECT_EQ(young.erase_batch(std::span(keys).first(in)), in);
  EXPECT_EQ(young.used(), 0U) << "no fingerprint was void yet";
  while (f.generation() < 12) f.insert(keys[in++]);
  EXPECT_EQ(f.erase_batch(std::span(keys).first(in)), in) << "every key, the void ones too";
  const double share = static_cast<double>(f.used()) / static_cast<double>(f.slots());
  EXPECT_GT(share, 0.5 * static_cast<double>(first) / 64 / 16) << "most of the first keys' values";
  EXPECT_LE(share, fpr);
  EXPECT_LE(f.expected_fpr(), fpr);
  // And works as before.
  for (std::size_t i = in; f.generation() < 14; ++i) f.insert(keys[i % keys.size()]);
  EXPECT_LE(f.expected_fpr(), fpr);
}

TEST(ExpandableFilter, RejuvenationRestoresFullFingerprints) {
  const auto keys = members(1000);
  expandable_filter f({.keys = 1000, .fpr = 0.01});
  (void)f.insert_batch(keys);
  for (int i = 0; i < 6; ++i) f.expand();
  const double aged = f.expected_fpr();
  EXPECT_NEAR(aged, 1000.0 / 1088 / 128, 0.05 * aged) << "given away to homes: the rate stays";
  for (const auto key : keys) ASSERT_TRUE(f.rejuvenate(key));
  EXPECT_LT(f.expected_fpr(), aged / 2000) << "six bits of homes, and six of length";
  EXPECT_EQ(forgotten(f, keys), 0U);
  EXPECT_FALSE(f.rejuvenate(statistics::non_member(1)));
  EXPECT_EQ(f.erase_batch(keys), keys.size());
  EXPECT_EQ(f.expected_fpr(), 0);
}

TEST(ExpandableFilter, BatchesDoubleWhereSingleInsertsDo) {
  const auto keys = members(50'000);
  expandable_filter one({.keys = 100, .fpr = 0.01}), all = one, pieces = one;
  for (const auto key : keys) one.insert(key);
  EXPECT_EQ(all.insert_batch(keys), keys.size());
  for (std::size_t i = 0; i < keys.size(); i += 777)
    (void)pieces.insert_batch(
        std::span(keys).subspan(i, std::min<std::size_t>(777, keys.size() - i)));
  EXPECT_EQ(one, all);
  EXPECT_EQ(one, pieces);
  one.clear();
  EXPECT_EQ(one, expandable_filter({.keys = 100, .fpr = 0.01})) << "as small as it was made";
}

// Bits per key on the way: F + 1 + 2.125, with F growing by d(g), at loads from 0.475 to 0.95.
TEST(ExpandableFilter, SizesStayWithinThePlan) {
  const auto keys = members(300'000);
  expandable_filter f({.keys = 1000, .fpr = 0.01});
  std::size_t in = 0;
  for (std::size_t until = 1000; until <= 256'000; until *= 2) {
    (void)f.insert_batch(std::span(keys).subspan(in, until - in));
    in = until;
    const double per_key = static_cast<double>(f.size_in_bits()) / static_cast<double>(in);
    EXPECT_LE(per_key, (f.length() + 3.125) / 0.47) << in;
    EXPECT_GE(per_key, (f.length() + 3.125) / 0.96) << in;
  }
}

}  // namespace
}  // namespace umbel::expandable_filter_test
