// large_filters_test.cpp - filters of more than 2^32 and 2^33 bits: every bit is used, and none
// twice.
// Idea       A position cut to 32 bits is still valid, but the same few repeat: members are found,
//            while the upper bits stay clear and the false positive rate rises. Both are checked.
#include <bit>

#include <gtest/gtest.h>

#include <umbel/set/bloom_filter.hpp>
#include <umbel/set/split_block_bloom_filter.hpp>

#include "support/fuse_long.hpp"
#include "support/gate.hpp"

namespace {

using namespace fuse_test;
using umbel::test::binomial_gate;

constexpr std::uint64_t two_to_32 = std::uint64_t{1} << 32;

// The visitor that sees the cells as words.
struct words_seen {
  std::uint64_t below = 0, above = 0;  // ones before and after bit 2^32
  void hash(const auto&) {}
  void fields(std::string_view, const auto&) {}
  template <class Word>
  void array(std::string_view, const umbel::cells::words<Word>& words) {
    constexpr std::uint64_t border = two_to_32 / (8 * sizeof(Word));
    for (std::uint64_t i = 0; i < words.size(); ++i)
      (i < border ? below : above) += static_cast<unsigned>(std::popcount(words[i]));
  }
};

template <class Set>
void check(std::uint64_t bits, std::uint64_t keys, Set set) {
  ASSERT_GE(set.size_in_bits(), bits - 256);
  in_runs(keys, 1, [&](std::uint64_t, std::span<const digest> some) { set.insert_batch(some); });
  EXPECT_EQ(hits(set, keys, 1), keys) << "a key was forgotten";
  for (std::uint64_t i = 0; i < keys; i += keys / 1000)
    ASSERT_TRUE(set.may_contain(digest_of(i, 1)));
  words_seen seen;
  Set::describe(set, seen);
  const auto share = static_cast<double>(bits - two_to_32) / static_cast<double>(bits);
  EXPECT_TRUE(binomial_gate(seen.above, seen.above + seen.below, share, 0.001))
      << "ones beyond 2^32";
  constexpr std::uint64_t non_members = 50'000'000;
  EXPECT_TRUE(binomial_gate(hits(set, non_members, 2), non_members, set.expected_fpr()));
}

class LargeFilters : public long_test, public testing::WithParamInterface<std::uint64_t> {};

TEST_P(LargeFilters, Bloom) {
  const std::uint64_t bits = GetParam(), keys = bits / 24;
  check(bits, keys, umbel::bloom_filter({.keys = keys, .bits = bits, .probes = 2}));
}
TEST_P(LargeFilters, SplitBlockBloom) {
  const std::uint64_t bits = GetParam(), keys = bits / 14;
  check(bits, keys, umbel::split_block_bloom_filter({.keys = keys, .bits = bits}));
}

INSTANTIATE_TEST_SUITE_P(Beyond, LargeFilters,
                         testing::Values(two_to_32 + 123'456'789, 2 * two_to_32 + 987'654'321),
                         testing::PrintToStringParamName());

}  // namespace
