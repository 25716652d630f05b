// removable_bloom_filter_test.cpp - keys that came and keys that went: both rates, and that who went is gone.
// Source     Sheet 03 section 1.
#include <umbel/set/removable_bloom_filter.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/statistics_gate.hpp"

namespace umbel::removable_bloom_filter_test {
namespace {

using core::erasure;
using statistics::binomial_gate;
using statistics::member;
using statistics::members;
using statistics::passed;
using statistics::stranger;

// fA (1 - fR) of strangers pass, fR of the keys that are in are forgotten, all of those that went are gone.
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
  for (std::size_t i = 0; i < 4000; ++i) done += single.erase(member(i / 2 + 500));  // some twice, some never in
  batch.insert_batch(keys);
  std::vector<std::uint64_t> going;
  for (std::size_t i = 0; i < 4000; ++i) going.push_back(member(i / 2 + 500));
  EXPECT_EQ(batch.erase_batch(going), done);
  for (const auto key : keys) single.insert(key);
  batch.insert_batch(keys);
  EXPECT_EQ(batch, single);
}

// An erase of a stranger that is taken for a member does no harm to others' bits, but it fills the second filter: those who are
// in seem to have gone.
TEST(RemovableBloomFilter, ErasingStrangersMakesMembersForgotten) {
  removable_bloom_filter filter({.keys = 200, .fpr = 0.1});
  const auto keys = members(200);
  filter.insert_batch(keys);
  for (std::uint64_t i = 0; i < 2000; ++i) filter.erase(stranger(i));
  std::uint64_t forgotten = 0;
  for (const auto key : keys) forgotten += !filter.may_contain(key);
  EXPECT_GT(forgotten, 5U);
}

}  // namespace
}  // namespace umbel::removable_bloom_filter_test
