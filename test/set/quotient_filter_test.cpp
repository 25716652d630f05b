// quotient_filter_test.cpp - quotient filter [PBJP17]: counts copies, erases one copy at a time,
// merges, and doubles without the keys.
#include <umbel/set/quotient_filter.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "support/statistics_gate.hpp"

namespace umbel::quotient_filter_test {
namespace {

using statistics::binomial_gate;
using statistics::members;
using statistics::passed;

std::vector<std::uint64_t> fingerprints_of(const quotient_filter& f) {
  std::vector<std::uint64_t> out;
  f.each_fingerprint([&](std::uint64_t fingerprint) { out.push_back(fingerprint); });
  return out;
}
// As the header defines them.
std::vector<std::uint64_t> fingerprints_of(const quotient_filter& like,
                                           const std::vector<std::uint64_t>& keys) {
  constexpr detail::remixer words{detail::salt_of(detail::stage::quotient)};
  std::vector<std::uint64_t> out;
  for (const auto key : keys)
    out.push_back(
        static_cast<std::uint64_t>((static_cast<detail::uint128>(words(like.hash()(key)).first()) *
                                    (like.slots() << like.width())) >>
                                   64));
  std::sort(out.begin(), out.end());
  return out;
}

TEST(QuotientFilter, HoldsTheSortedFingerprintsOfItsKeys) {
  for (const double fpr : {0.5, 0.03, 1e-3, 1e-9}) {
    for (const std::uint64_t n : {0ULL, 1ULL, 60ULL, 61ULL, 1000ULL, 20'000ULL}) {
      const auto keys = members(n);
      quotient_filter f({.keys = n, .fpr = fpr});
      ASSERT_EQ(f.insert_batch(keys), n);
      EXPECT_EQ(fingerprints_of(f), fingerprints_of(f, keys));
      EXPECT_EQ(f.copies(), n);
    }
  }
}

TEST(QuotientFilter, RateMatchesTheReferenceValue) {
  // r = 8 at load .75 gives .00293.
  quotient_filter f({.keys = 48'000, .bits = 1000 * (64 * 8 + 136), .load = 0.75});
  ASSERT_EQ(f.width(), 8U);
  ASSERT_EQ(f.slots(), 64'000U);
  (void)f.insert_batch(members(48'000));
  EXPECT_NEAR(f.expected_fpr(), 0.00293, 0.00001);
  const auto all = static_cast<double>(f.slots()) * 256;
  const auto distinct = fingerprints_of(f);
  EXPECT_DOUBLE_EQ(f.expected_fpr(),
                   static_cast<double>(std::set(distinct.begin(), distinct.end()).size()) / all);
  EXPECT_TRUE(binomial_gate(passed(f, 2'000'000), 2'000'000, f.expected_fpr()));
}

// Legal erases only, compared with counts of all copies.
TEST(QuotientFilter, AMillionRandomOperationsLoseNoKey) {
  constexpr std::uint64_t pool = 40'000, room = 20'000;
  const auto keys = members(pool);
  std::vector<unsigned> copies(pool);
  std::uint64_t in = 0;
  quotient_filter f({.keys = room, .fpr = 0.01});
  std::mt19937_64 random(3);
  for (int step = 0; step < 1'000'000; ++step) {
    const std::uint64_t i = random() % pool;
    switch (random() % 3) {
      case 0:
        if (in == room) break;
        ASSERT_TRUE(f.try_insert(keys[i]).has_value()) << step;
        ++copies[i], ++in;
        break;
      case 1:
        if (copies[i] == 0) break;
        ASSERT_TRUE(f.erase(keys[i])) << step;
        --copies[i], --in;
        break;
      default: ASSERT_TRUE(copies[i] == 0 || f.may_contain(keys[i])) << step;
    }
  }
  ASSERT_EQ(f.copies(), in);
  std::vector<std::uint64_t> left;
  for (std::uint64_t i = 0; i < pool; ++i) left.insert(left.end(), copies[i], keys[i]);
  quotient_filter again({.keys = room, .fpr = 0.01});
  ASSERT_EQ(again.insert_batch(left), left.size());
  EXPECT_EQ(f, again) << "only what is in counts, not what was";
}

TEST(QuotientFilter, CountsCopies) {
  quotient_filter f({.keys = 1000, .fpr = 1e-9});
  for (int i = 0; i < 7; ++i) EXPECT_EQ(f.insert("often"), i == 0);
  EXPECT_TRUE(f.insert("once"));
  EXPECT_EQ(f.count("often"), 7U);
  EXPECT_EQ(f.count("once"), 1U);
  EXPECT_EQ(f.count("never"), 0U);
  EXPECT_FALSE(f.erase("never"));
  for (int i = 0; i < 7; ++i) EXPECT_TRUE(f.erase("often"));
  EXPECT_FALSE(f.may_contain("often"));
  EXPECT_FALSE(f.erase("often"));
  EXPECT_TRUE(f.may_contain("once"));
}

// The hazard of every filter that erases: erasing a non-member that passes removes a member's copy.
TEST(QuotientFilter, AnIllegalEraseTakesAnotherKeysCopy) {
  quotient_filter f({.keys = 1000, .fpr = 0.1});
  const auto keys = members(1000);
  (void)f.insert_batch(keys);
  for (std::uint64_t i = 0;; ++i) {
    if (!f.may_contain(statistics::non_member(i))) continue;
    EXPECT_TRUE(f.erase(statistics::non_member(i)));
    break;
  }
  std::uint64_t lost = 0;
  for (const auto key : keys) lost += !f.may_contain(key);
  EXPECT_EQ(f.copies(), 999U);
  EXPECT_LE(lost, 1U);  // none, if another member has the same fingerprint
}

TEST(QuotientFilter, DoublesWithoutItsKeys) {
  const auto keys = members(64'000);
  quotient_filter f({.keys = 1000, .fpr = 1e-4});
  ASSERT_EQ(f.insert_batch(std::span(keys).first(1000)), 1000U);
  for (std::size_t in = 1000; in < keys.size(); in *= 2) {
    const auto before = fingerprints_of(f);
    const double rate = f.expected_fpr();
    const unsigned width = f.width();
    f.expand();
    ASSERT_EQ(f.width(), width - 1);
    ASSERT_EQ(fingerprints_of(f), before);
    EXPECT_DOUBLE_EQ(f.expected_fpr(), rate);
    ASSERT_EQ(f.insert_batch(std::span(keys).subspan(in, in)), in);
    EXPECT_EQ(
        fingerprints_of(f),
        fingerprints_of(f, {keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(2 * in)}));
  }
  while (f.width() > 1) f.expand();
  for (const auto key : keys) ASSERT_TRUE(f.may_contain(key));
  EXPECT_THROW(f.expand(), bad_parameter);
}

TEST(QuotientFilter, MergesAllCopiesOrNothing) {
  const auto keys = members(1500);
  quotient_filter a({.keys = 1000, .fpr = 0.01}), b = a, c = a;
  (void)a.insert_batch(std::span(keys).first(600));
  (void)b.insert_batch(std::span(keys).subspan(300, 400));
  (void)c.insert_batch(std::span(keys).first(600));
  (void)c.insert_batch(std::span(keys).subspan(300, 400));
  a.merge(b);
  EXPECT_EQ(a, c);
  EXPECT_EQ(a.erase_batch(std::span(keys).subspan(300, 400)), 400U);
  for (const auto key : std::span(keys).first(600))
    ASSERT_TRUE(a.may_contain(key)) << "the other copy is still there";
  EXPECT_THROW(c.merge(c), full);
  EXPECT_EQ(c.copies(), 1000U);
  EXPECT_THROW(c.merge(quotient_filter({.keys = 1000, .fpr = 0.001})), incompatible);
}

TEST(QuotientFilter, BothKernelsGiveTheSame) {
  const auto keys = members(30'000);
  std::vector<quotient_filter> made;
  std::vector<std::uint64_t> hits;
  for (const auto level : {cells::kernel::level::portable, cells::kernel::level::avx2}) {
    cells::kernel::use(level);
    quotient_filter f({.keys = 30'000, .fpr = 0.02});
    EXPECT_EQ(f.insert_batch(keys), keys.size());
    EXPECT_EQ(f.erase_batch(std::span(keys).first(10'000)), 10'000U);
    hits.push_back(passed(f, 100'000));
    made.push_back(f);
  }
  cells::kernel::use(cells::kernel::best());
  EXPECT_EQ(made[0], made[1]);
  EXPECT_EQ(hits[0], hits[1]);
}

TEST(QuotientFilter, RefusesImpossibleOptions) {
  EXPECT_THROW(quotient_filter({.keys = 10, .fpr = 0.01, .load = 0.96}), bad_parameter);
  EXPECT_THROW(quotient_filter({.keys = 10, .fpr = 0.01, .load = 0}), bad_parameter);
  EXPECT_THROW(quotient_filter({.keys = 10, .fpr = 0.01, .load = std::nan("")}), bad_parameter);
  EXPECT_THROW((void)quotient_filter::plan({.keys = 1'000'000, .fpr = 1e-15}), bad_parameter);
}

}  // namespace
}  // namespace umbel::quotient_filter_test
