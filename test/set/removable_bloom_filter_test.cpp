// removable_bloom_filter_test.cpp - a Bloom filter of added keys beside one of removed keys
// [TRL12]: both error rates, and that a removed key stays removed.
#include <umbel/set/removable_bloom_filter.hpp>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/codec/codec.hpp>

#include "support/environment.hpp"
#include "support/erase_walks.hpp"
#include "support/gate.hpp"
#include "support/statistics_gate.hpp"

namespace umbel::removable_bloom_filter_test {
namespace {

using core::erasure;
using statistics::binomial_gate;
using statistics::member;
using statistics::members;
using statistics::passed;

// fA (1 - fR) of non-members pass, fR of the members are false negatives, and every removed key is
// rejected.
TEST(RemovableBloomFilter, BothRatesAreTheirFormulas) {
  for (const double fpr : {0.1, 0.01}) {
    constexpr std::uint64_t n = 40'000, gone = 20'000, trials = 200'000;
    removable_bloom_filter filter({.keys = n, .fpr = fpr});
    const auto keys = members(n);
    filter.insert_batch(keys);
    EXPECT_EQ(filter.forgotten(), 0);
    EXPECT_TRUE(binomial_gate(passed(filter, trials), trials, filter.expected_fpr()));
    EXPECT_GE(filter.erase_batch(std::span(keys).first(gone)), gone - gone / 10);
    for (const auto key : std::span(keys).first(gone)) ASSERT_FALSE(filter.may_contain(key));
    std::uint64_t forgotten = 0;
    for (const auto key : std::span(keys).last(n - gone)) forgotten += !filter.may_contain(key);
    EXPECT_TRUE(binomial_gate(forgotten, n - gone, filter.forgotten()));
    EXPECT_GT(forgotten, 0U);
    EXPECT_LE(filter.forgotten(), fpr) << "half of the removals that were planned for";
    EXPECT_TRUE(binomial_gate(passed(filter, trials), trials, filter.expected_fpr()));
  }
}

TEST(RemovableBloomFilter, ARemovedKeyStaysRemoved) {
  removable_bloom_filter filter({.keys = 100, .fpr = 0.001});
  EXPECT_EQ(filter.try_erase("ant"), erasure::absent);
  EXPECT_TRUE(filter.insert("ant"));
  EXPECT_EQ(filter.try_erase("ant"), erasure::done);
  EXPECT_EQ(filter.try_erase("ant"), erasure::absent);
  EXPECT_FALSE(filter.insert("ant")) << "refused";
  EXPECT_FALSE(filter.may_contain("ant"));
  filter.insert_batch(std::vector<std::string>{"ant", "bee"});
  EXPECT_FALSE(filter.may_contain("ant"));
  EXPECT_TRUE(filter.may_contain("bee"));
}

TEST(RemovableBloomFilter, BatchesDoWhatSingleCallsDo) {
  const auto keys = members(3000);
  removable_bloom_filter single({.keys = 3000, .fpr = 0.05}), batch = single;
  std::size_t done = 0;
  for (const auto key : keys) single.insert(key);
  // Some erased twice, some never inserted.
  for (std::size_t i = 0; i < 4000; ++i) done += single.erase(member(i / 2 + 500));
  batch.insert_batch(keys);
  std::vector<std::uint64_t> going;
  for (std::size_t i = 0; i < 4000; ++i) going.push_back(member(i / 2 + 500));
  EXPECT_EQ(batch.erase_batch(going), done);
  for (const auto key : keys) single.insert(key);
  batch.insert_batch(keys);
  EXPECT_EQ(batch, single);
}

// A million steps with encoding and decoding: no removed key is ever accepted, and no more members
// are denied than the second filter's rate.
TEST(RemovableBloomFilter, AMillionRandomOperationsDenyNoMoreThanExpected) {
  const std::uint64_t steps = test::small_or(20'000, 1'000'000);
  removable_bloom_filter filter({.keys = steps / 3, .fpr = 0.01});
  std::vector<std::uint64_t> in, went;
  std::mt19937_64 random(9);
  std::uint64_t next = 0;
  for (std::uint64_t step = 0; step < steps; ++step) {
    const auto dice = random() % 3;
    if (dice == 0) {
      // Otherwise it is taken for a member, or for a removed key.
      if (filter.insert(member(next))) in.push_back(member(next));
      ++next;
    } else if (dice == 1 && !in.empty()) {
      std::swap(in[random() % in.size()], in.back());
      (void)filter.erase(in.back());  // of a key that is denied already: absent
      ASSERT_FALSE(filter.may_contain(in.back())) << step;
      went.push_back(in.back());
      in.pop_back();
    } else if (!went.empty()) {
      ASSERT_FALSE(filter.may_contain(went[random() % went.size()])) << step;
    }
    if (random() % (steps / 16) == 0) filter = decode<removable_bloom_filter>(encode(filter));
  }
  for (const auto key : went) ASSERT_FALSE(filter.may_contain(key));
  std::uint64_t denied = 0;
  for (const auto key : in) denied += !filter.may_contain(key);
  EXPECT_TRUE(test::no_more_than(denied, in.size(), filter.forgotten()));
  EXPECT_LE(filter.forgotten(), 0.0105) << "as many went as were planned for, or a few more";
}

// Erasing a non-member that passes clears no bits of members but fills the second filter, so that
// some members are denied.
TEST(RemovableBloomFilter, ErasingNonMembersDeniesMembers) {
  test::expect_erased_non_members_harm_members(removable_bloom_filter({.keys = 200, .fpr = 0.1}),
                                               200, 2000);
}

}  // namespace
}  // namespace umbel::removable_bloom_filter_test
