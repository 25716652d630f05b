// variable_bloom_filter_test.cpp - variable-length signatures [LPB05]: signatures grow, shrink and
// age; both error formulas, and the plain Bloom filter as a special case.
#include <umbel/set/variable_bloom_filter.hpp>

#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/codec/codec.hpp>
#include <umbel/set/bloom_filter.hpp>

#include "support/environment.hpp"
#include "support/filter_bits.hpp"
#include "support/gate.hpp"
#include "support/keys.hpp"

namespace umbel::test::variable_bloom_filter_test {
namespace {

variable_bloom_filter of(std::uint64_t bits, unsigned probes, unsigned marks, unsigned needed) {
  return variable_bloom_filter(
      {.keys = 1, .bits = bits, .probes = probes, .marks = marks, .needed = needed});
}

TEST(Variable, WithFullSignaturesItIsABloomFilter) {
  // whole words, as triple hashing plans them
  for (const std::uint64_t bits : {1000UL, 19'968UL}) {
    const auto keys = members(bits / 10, 850);
    auto filter = of(bits, 6, 6, 6);
    bloom_filter plain({.keys = bits / 10, .bits = bits, .probes = 6});
    filter.insert_batch(keys);
    plain.insert_batch(keys);
    EXPECT_EQ(support::words_of(filter), support::words_of(plain));
    EXPECT_DOUBLE_EQ(filter.expected_fpr(), plain.expected_fpr());
    for (const digest& d : non_members(5000, 850))
      ASSERT_EQ(filter.may_contain(d), plain.may_contain(d));
  }
}

TEST(Variable, DefaultsAreTenSevenAndSix) {
  const variable_bloom_filter filter({.keys = 1000, .fpr = 0.01});
  EXPECT_EQ(filter.probes(), 10U);
  EXPECT_EQ(filter.marks(), 7U);
  EXPECT_EQ(filter.needed(), 6U);
}

// Alone in a large filter a key shares no bits, and every verb can be checked bit by bit.
TEST(Variable, VerbsChangeTheSignatureLength) {
  auto filter = of(1 << 20, 10, 7, 6);
  EXPECT_EQ(filter.length("ant"), 0U);
  EXPECT_TRUE(filter.insert("ant", 4));
  EXPECT_EQ(filter.length("ant"), 4U);
  EXPECT_FALSE(filter.may_contain("ant"));
  EXPECT_TRUE(filter.strengthen("ant"));
  EXPECT_FALSE(filter.may_contain("ant"));
  EXPECT_TRUE(filter.strengthen("ant"));
  EXPECT_TRUE(filter.may_contain("ant")) << "six";
  EXPECT_TRUE(filter.insert("ant"));
  EXPECT_EQ(filter.length("ant"), 7U);
  EXPECT_FALSE(filter.insert("ant"));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(filter.strengthen("ant"));
  EXPECT_FALSE(filter.strengthen("ant")) << "all ten";
  EXPECT_EQ(filter.weaken("ant", 9), 2U);
  EXPECT_EQ(filter.length("ant"), 8U);
  EXPECT_EQ(filter.try_erase("ant"), core::erasure::done);
  EXPECT_EQ(filter.length("ant"), 5U) << "just below what is needed";
  EXPECT_EQ(filter.try_erase("ant"), core::erasure::absent);
  EXPECT_EQ(filter.weaken("ant", 1), 5U);
  EXPECT_EQ(filter.fill(), 0);
  EXPECT_THROW(filter.insert("ant", 0), bad_parameter);
  EXPECT_THROW(filter.insert("ant", 11), bad_parameter);
}
// Drawn bits: as many as asked for, all different, each equally often, and others under another
// seed.
TEST(Variable, DrawnBitsAreUniformAmongTheKeysBits) {
  constexpr unsigned probes = 10, count = 4;
  constexpr std::uint64_t keys = 5'000, bits = 1 << 16;
  const core::k_probes at(bits, probes);
  std::vector<std::uint64_t> drawn(probes);
  std::uint64_t both = 0;
  auto filter = of(bits, probes, 7, 6);
  for (const digest& d : members(keys, 858)) {
    filter.clear();
    EXPECT_TRUE(filter.insert(d, count, 1));
    EXPECT_FALSE(filter.insert(d, count, 1)) << "the same seed, the same bits";
    const auto words = support::words_of(filter);
    unsigned i = 0, set = 0;
    core::each_of(at, at.start(d), [&](std::uint64_t bit) {
      drawn[i] += support::bit_of(words, bit);
      set += support::bit_of(words, bit), ++i;
    });
    EXPECT_GE(set, count);
    EXPECT_LE(support::ones_of(words), count) << "fewer only where two bits of a key coincide";
    filter.insert(d, count, 2);
    both += filter.length(d);
  }
  for (const std::uint64_t times : drawn)
    EXPECT_TRUE(binomial_gate(times, keys, double(count) / probes, 1e-3));
  // Drawing 4 of 10 twice gives 10 (1 - 0.6^2) = 6.4 bits on average, with a variance of 0.64 per
  // key.
  EXPECT_NEAR(static_cast<double>(both) / keys, 6.4, 5 * 0.8 / std::sqrt(double(keys)) + 0.01);
  filter.clear();
  EXPECT_TRUE(filter.insert("ant", 10, 5));
  EXPECT_EQ(filter.length("ant"), 10U);
  EXPECT_THROW(filter.insert("ant", 11, 5), bad_parameter);
  EXPECT_THROW(filter.insert("ant", 0, 5), bad_parameter);
}
// In a crowded filter too: never longer after weakening, never shorter after strengthening, and
// gone after erasing.
TEST(Variable, VerbsKeepTheirPromisesInACrowdedFilter) {
  auto filter = of(700, 10, 7, 6);
  const auto keys = members(60, 851);
  filter.insert_batch(keys);
  std::mt19937_64 random(852);
  for (int step = 0; step < 5000; ++step) {
    const digest d = keys[random() % keys.size()];
    const unsigned before = filter.length(d);
    switch (random() % 3) {
      case 0:
        filter.insert(d);
        ASSERT_GE(filter.length(d), std::max(before, 7U));
        break;
      case 1:
        ASSERT_EQ(filter.strengthen(d), before < 10);
        ASSERT_TRUE(before == 10 || filter.length(d) > before);
        break;
      default:
        ASSERT_EQ(filter.erase(d), before >= 6);
        ASSERT_LT(filter.length(d), 6U);
        ASSERT_FALSE(filter.may_contain(d));
    }
  }
}

TEST(Variable, LosesNoKeyUntilBitsAreCleared) {
  const auto keys = members(small_or(10'000, 100'000), 853);
  for (const auto& [probes, marks, needed] :
       {std::tuple(10U, 7U, 6U), {10U, 7U, 7U}, {8U, 8U, 1U}, {5U, 1U, 1U}}) {
    auto filter = of(keys.size() * 8, probes, marks, needed);
    filter.insert_batch(keys);
    const auto said = std::make_unique<bool[]>(keys.size());
    filter.may_contain_batch(keys, {said.get(), keys.size()});
    for (std::size_t i = 0; i < keys.size(); ++i) {
      ASSERT_TRUE(said[i]) << i;
      ASSERT_GE(filter.length(keys[i]), marks);
    }
  }
}
TEST(Variable, BatchesCountClearBitsAsSingleCallsDo) {
  const auto asked = non_members(20'000, 854);
  const auto said = std::make_unique<bool[]>(asked.size());
  for (const auto& [probes, marks, needed] : {std::tuple(10U, 7U, 6U),
                                              {1U, 1U, 1U},
                                              {2U, 2U, 1U},
                                              {3U, 2U, 2U},
                                              {7U, 7U, 1U},
                                              {9U, 5U, 9U}}) {
    auto filter = of(3000, probes, marks, needed);
    filter.insert_batch(members(300, 854));
    filter.may_contain_batch(asked, {said.get(), asked.size()});
    for (std::size_t i = 0; i < asked.size(); ++i) {
      ASSERT_EQ(said[i], filter.may_contain(asked[i])) << i;
      ASSERT_EQ(said[i], filter.length(asked[i]) >= needed) << i;
    }
  }
}

TEST(Variable, FalsePositivesMatchTheBinomialFormula) {
  for (const auto& [probes, marks, needed] :
       {std::tuple(10U, 7U, 6U), {6U, 4U, 3U}, {12U, 6U, 9U}}) {
    auto filter = of(40'000, probes, marks, needed);
    filter.insert_batch(members(4000, 855));
    EXPECT_NEAR(filter.fill(), sizing::variable_fill(4000, 40'000, marks), 0.01);
    std::uint64_t hits = 0;
    const std::uint64_t asked = small_or(50'000, 1'000'000);
    for (std::uint64_t i = 0; i < asked; ++i)
      hits += filter.may_contain(digest_of(non_member_number(i, 855)));
    EXPECT_TRUE(binomial_gate(hits, asked, filter.expected_fpr(), 0.03));
  }
}
TEST(Variable, FalseNegativesMatchTheBinomialFormula) {
  const auto keys = members(4000, 856);
  for (const double share : {0.02, 0.1, 0.3}) {
    auto filter = of(40'000, 10, 7, 6);
    filter.insert_batch(keys);
    const double expected = filter.expected_fnr(share);
    filter.age(
        // The bits of keys are spread at random: a stretch of the filter is a random share.
        static_cast<std::uint64_t>(share * 40'000));
    std::uint64_t forgotten = 0;
    for (const digest& d : keys) forgotten += !filter.may_contain(d);
    EXPECT_TRUE(binomial_gate(forgotten, keys.size(), expected, 0.1)) << share;
  }
}
TEST(Variable, AgesInTurn) {
  auto filter = of(1000, 10, 7, 6);
  filter.insert_batch(members(300, 857));
  auto bits = support::words_of(filter);
  std::uint64_t at = 0;
  for (const std::uint64_t count :
       {1UL, 63UL, 64UL, 0UL, 100UL, 500UL, 300UL, 999UL, 1000UL, 1001UL, 123'456UL}) {
    if (count >= 999) {
      filter.insert_batch(members(300, 857));
      bits = support::words_of(filter);
    }
    filter.age(count);
    for (std::uint64_t i = 0; i < std::min(count, std::uint64_t{1000}); ++i)
      bits[(at + i) % 1000 / 64] &= ~(std::uint64_t{1} << ((at + i) % 1000 % 64));
    at = (at + count) % 1000;
    EXPECT_EQ(filter.oldest(), at);
    ASSERT_EQ(support::words_of(filter), bits) << count;
    EXPECT_TRUE(decode<variable_bloom_filter>(encode(filter)) == filter);
  }
  auto other = filter;
  other.age(1000);
  EXPECT_EQ(other.fill(), 0) << "one round clears everything";
  other.age(1);
  EXPECT_FALSE(other == filter);
  filter.clear();
  EXPECT_TRUE(filter == of(1000, 10, 7, 6));
}

TEST(VariableSizing, RatesMatchSumsWrittenOut) {
  EXPECT_DOUBLE_EQ(sizing::variable_fpr(0.5, 3, 3), 0.125);
  EXPECT_DOUBLE_EQ(sizing::variable_fpr(0.5, 3, 2), 0.5);
  EXPECT_DOUBLE_EQ(sizing::variable_fpr(0.25, 2, 1), 1 - 0.75 * 0.75);
  EXPECT_NEAR(sizing::variable_fpr(1e-5, 10, 6), 210 * 1e-30, 1e-32);
  EXPECT_EQ(sizing::variable_fnr(0.3, 0, 10, 7, 6), 0);
  EXPECT_EQ(sizing::variable_fnr(0.3, 0, 10, 7, 7), 0);
  EXPECT_DOUBLE_EQ(sizing::variable_fnr(0, 0.5, 2, 1, 1), 0.5);
  EXPECT_DOUBLE_EQ(sizing::variable_fnr(0.5, 0.5, 2, 1, 1), 0.5 * 0.75);
  EXPECT_DOUBLE_EQ(sizing::variable_fnr(0.5, 1, 10, 7, 1), 1);
}
TEST(VariableSizing, PlansAreTight) {
  for (const double fpr : {0.9, 0.1, 1e-3, 1e-9})
    for (const std::uint64_t n : {1UL, 77UL, 1'000'000UL}) {
      const auto plan = variable_bloom_filter::plan({.keys = n, .fpr = fpr});
      EXPECT_LE(plan.fpr, fpr);
      if (plan.bits > 100) {
        EXPECT_GT(plan.fpr, 0.9 * fpr);
        EXPECT_EQ(variable_bloom_filter::plan({.fpr = fpr, .bits = plan.bits}).keys, n);
      }
    }
}
TEST(VariableSizing, RefusesImpossibleOptions) {
  EXPECT_THROW(of(100, 5, 6, 5), bad_parameter);
  EXPECT_THROW(of(100, 5, 5, 6), bad_parameter);
  EXPECT_THROW(of(100, 1025, 5, 6), bad_parameter);
  EXPECT_THROW(of(0, 5, 5, 5), bad_parameter);
}

}  // namespace
}  // namespace umbel::test::variable_bloom_filter_test
