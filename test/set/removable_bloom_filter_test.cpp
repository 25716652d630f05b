// removable_bloom_filter_test.cpp - keys that came and keys that went: both rates, and that who
// went is gone.
// Source     Sheet 03 section 1.
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

// fA (1 - fR) of non-members pass, fR of the keys that are in are forgotten, all of those that went
// are gone.
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

TEST(RemovableBloomFilter, WhoWentDoesNotComeBack) {
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
  // some twice, some never in
  for (std::size_t i = 0; i < 4000; ++i) done += single.erase(member(i / 2 + 500));
  batch.insert_batch(keys);
  std::vector<std::uint64_t> going;
  for (std::size_t i = 0; i < 4000; ++i) going.push_back(member(i / 2 + 500));
  EXPECT_EQ(batch.erase_batch(going), done);
  for (const auto key : keys) single.insert(key);
  batch.insert_batch(keys);
  EXPECT_EQ(batch, single);
}

// Sheet 03 section 14, as far as it can hold here: over a million steps, with trips through bytes,
// no key that went is ever in, and of those that are in no more are denied than the second filter
// accepts.
TEST(RemovableBloomFilter, AMillionStepsDenyNoMoreThanIsTold) {
  const std::uint64_t steps = test::small_or(20'000, 1'000'000);
  removable_bloom_filter filter({.keys = steps / 3, .fpr = 0.01});
  std::vector<std::uint64_t> in, went;
  std::mt19937_64 random(9);
  std::uint64_t next = 0;
  for (std::uint64_t step = 0; step < steps; ++step) {
    const auto dice = random() % 3;
    if (dice == 0) {
      // else it is taken for one that is in, or that went
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

// An erase of a non-member that is taken for a member does no harm to others' bits, but it fills
// the second filter: those who are in seem to have gone.
TEST(RemovableBloomFilter, ErasingNonMembersMakesMembersForgotten) {
  test::expect_erased_non_members_harm_members(removable_bloom_filter({.keys = 200, .fpr = 0.1}),
                                               200, 2000);
}

}  // namespace
}  // namespace umbel::removable_bloom_filter_test
