// bloom_filter_test.cpp - Bloom filter [Blo70]: no false negatives, idempotent inserts, and bits
// that depend only on the set of keys.
#include <umbel/set/bloom_filter.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <forward_list>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"
#include "support/filter_bits.hpp"
#include "support/statistics_gate.hpp"

namespace umbel::bloom_filter_test {
namespace {

using statistics::member;
using statistics::members;
using statistics::non_member;
using support::bit_of;
using support::words_of;

// Small (independent probes), large (walks), one bit, odd sizes.
const std::vector<bloom_options> shapes = {
    {.keys = 100, .fpr = 0.01},   {.keys = 1000, .fpr = 0.001},
    {.keys = 10, .bits = 1},      {.keys = 50, .bits = 1021, .probes = 14},
    {.fpr = 0.1, .bits = 65'537}, {.keys = 1, .bits = 64, .probes = 1024}};

TEST(BloomFilter, HasNoFalseNegatives) {
  for (const auto& shape : shapes) {
    bloom_filter filter(shape);
    for (std::uint64_t i = 0; i < 3000; ++i) {
      (void)filter.insert(member(i));
      ASSERT_TRUE(filter.may_contain(member(i)));
    }
    for (std::uint64_t i = 0; i < 3000; ++i) ASSERT_TRUE(filter.may_contain(member(i)));
  }
}

TEST(BloomFilter, AnEmptyFilterContainsNothing) {
  for (const auto& shape : shapes) {
    const bloom_filter filter(shape);
    for (std::uint64_t i = 0; i < 1000; ++i) ASSERT_FALSE(filter.may_contain(non_member(i)));
    EXPECT_EQ(filter.fill(), 0);
    EXPECT_EQ(filter.expected_fpr(), 0);
  }
}

// `insert` says whether a bit went from 0 to 1; bits never go back.
TEST(BloomFilter, InsertReportsExactlyWhetherABitFlipped) {
  bloom_filter filter({.keys = 300, .fpr = 0.02});
  bool both[2] = {false, false};
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const auto before = words_of(filter);
    const bool known = filter.may_contain(member(i));
    const bool changed = filter.insert(member(i));
    const auto after = words_of(filter);
    EXPECT_EQ(changed, before != after);
    EXPECT_EQ(changed, !known) << "changed exactly if it was certainly new";
    for (std::size_t w = 0; w < before.size(); ++w)
      ASSERT_EQ(before[w] & ~after[w], 0U) << "a bit was cleared";
    both[changed] = true;
  }
  EXPECT_TRUE(both[0] && both[1]) << "past capacity both answers occur";
}

TEST(BloomFilter, IsIdempotentAndIgnoresOrder) {
  for (const auto& shape : shapes) {
    auto keys = members(500);
    bloom_filter once(shape), again(shape), batch(shape);
    for (const auto key : keys) (void)once.insert(key);
    std::shuffle(keys.begin(), keys.end(), std::mt19937_64(1));
    for (int round = 0; round < 3; ++round)
      for (const auto key : keys) (void)again.insert(key);
    std::reverse(keys.begin(), keys.end());
    EXPECT_EQ(batch.insert_batch(keys), keys.size());
    EXPECT_EQ(once, again);
    EXPECT_EQ(once, batch);
    EXPECT_EQ(words_of(once), words_of(batch));
  }
}

TEST(BloomFilter, BatchAnswersAsSingleCallsDo) {
  for (const auto& shape : shapes) {
    bloom_filter filter(shape);
    for (std::uint64_t i = 0; i < 200; ++i) (void)filter.insert(member(i));
    for (const std::size_t count : {0U, 1U, 2U, 63U, 64U, 65U, 127U, 128U, 129U, 1000U, 5000U}) {
      std::vector<std::uint64_t> keys;
      for (std::uint64_t i = 0; i < count; ++i)
        keys.push_back(i % 3 == 0 ? member(i) : non_member(i));
      const auto answers = std::make_unique<bool[]>(count + 1);
      answers[count] = true;
      filter.may_contain_batch(keys, {answers.get(), count});
      for (std::size_t i = 0; i < count; ++i)
        ASSERT_EQ(answers[i], filter.may_contain(keys[i])) << count << ' ' << i;
      EXPECT_TRUE(answers[count]) << "wrote past the end";
    }
  }
}

// [BM04], sec. 2.3: with one hash function a Bloom filter is a hash table with one presence bit per
// bucket.
TEST(BloomFilter, WithOneProbeIsAHashTablesPresenceBits) {
  for (const std::uint64_t bits : {97U, 1024U, 5000U, 100'003U}) {
    bloom_filter filter({.keys = bits, .bits = bits, .probes = 1});
    const std::uint64_t buckets = filter.size_in_bits();
    EXPECT_GT(buckets + 64, bits);
    const core::k_probes table(buckets, 1);
    std::vector<std::forward_list<std::uint64_t>> chains(buckets);
    for (std::uint64_t i = 0; i < buckets; ++i) {
      (void)filter.insert(member(i));
      auto walk = table.start(filter.hash()(member(i)));
      chains[table.next(walk)].push_front(member(i));
    }
    const auto words = words_of(filter);
    for (std::uint64_t b = 0; b < buckets; ++b)
      ASSERT_EQ(bit_of(words, b), !chains[b].empty()) << b;
    EXPECT_EQ(support::ones_of(words),
              std::count_if(chains.begin(), chains.end(), [](auto& c) { return !c.empty(); }));
  }
}

TEST(BloomFilter, KeysOfDifferentTypesShareAFilter) {
  bloom_filter filter({.keys = 100, .fpr = 1e-6});
  (void)filter.insert("alice");
  (void)filter.insert(42);
  (void)filter.insert("");
  (void)filter.insert(std::string("with\0nul", 8));
  EXPECT_TRUE(filter.may_contain(std::string("alice")));
  EXPECT_TRUE(filter.may_contain(42LL));
  EXPECT_TRUE(filter.may_contain(std::string_view()));
  EXPECT_TRUE(filter.may_contain(std::string("with\0nul", 8)));
  EXPECT_TRUE(filter.may_contain(filter.hash()("alice"))) << "a ready digest is a key too";
  EXPECT_FALSE(filter.may_contain("42"));
  EXPECT_FALSE(filter.may_contain("with"));
  EXPECT_FALSE(filter.may_contain("bob"));
}

TEST(BloomFilter, ClearEmptiesIt) {
  bloom_filter filter({.keys = 100, .fpr = 0.01});
  const bloom_filter fresh({.keys = 100, .fpr = 0.01});
  (void)filter.insert_batch(members(100));
  EXPECT_NE(filter, fresh);
  filter.clear();
  EXPECT_EQ(filter, fresh);
}

// Exactly two of keys, fpr and bits are given; the third follows, and the filter built is the one
// planned.
TEST(BloomFilter, PlansAreKept) {
  for (const auto& shape : shapes) {
    const auto plan = bloom_filter::plan(shape);
    const bloom_filter filter(shape);
    EXPECT_EQ(filter.size_in_bits(), plan.bits);
    EXPECT_EQ(filter.probes(), plan.probes);
    EXPECT_EQ(plan.cells, plan.bits);
    if (shape.bits) {
      EXPECT_EQ(plan.bits, *shape.bits < core::k_probes::independent_below ? *shape.bits
                                                                           : *shape.bits / 64 * 64)
          << "triple hashing takes whole words";
    }
    if (shape.keys) {
      EXPECT_EQ(plan.keys, *shape.keys);
    }
    if (shape.fpr) {
      EXPECT_LE(plan.fpr, *shape.fpr);
    }
    if (shape.probes != 0) {
      EXPECT_EQ(plan.probes, shape.probes);
    }
  }
  const bloom_options no_keys{.keys = 0, .fpr = 0.01};
  EXPECT_GE(bloom_filter(no_keys).size_in_bits(), 1U) << "no keys: the smallest filter";
}

TEST(BloomFilter, RefusesImpossibleOptions) {
  using options = bloom_options;
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                   inf = std::numeric_limits<double>::infinity();
  for (const options& options :
       {options{}, options{.keys = 1}, options{.fpr = 0.1}, options{.bits = 8},
        options{.keys = 1, .fpr = 0.1, .bits = 8}, options{.keys = 1, .fpr = 0.0},
        options{.keys = 1, .fpr = 1.0}, options{.keys = 1, .fpr = 2.0},
        options{.keys = 1, .fpr = -0.01}, options{.keys = 1, .fpr = nan},
        options{.keys = 1, .fpr = inf}, options{.keys = 1, .fpr = -inf},
        options{.keys = 1, .bits = 0}, options{.keys = 1, .fpr = 1e-320},
        options{.keys = ~std::uint64_t{0}, .fpr = 0.01},
        options{.keys = 1, .bits = ~std::uint64_t{0}},
        options{.keys = 1, .bits = 64, .probes = 1025},
        options{.keys = 1, .bits = 64, .probes = ~0U}}) {
    EXPECT_THROW(bloom_filter{options}, bad_parameter);
    EXPECT_THROW((void)bloom_filter::plan(options), bad_parameter);
  }
  EXPECT_NO_THROW(bloom_filter({.keys = 3, .fpr = 0.99}));
  EXPECT_NO_THROW(bloom_filter({.keys = 3, .fpr = 0.9999999999999999}));
}

TEST(BloomFilter, BuildsFromAnyRange) {
  const auto keys = members(500);
  const std::forward_list<std::uint64_t> list(keys.begin(), keys.end());
  const auto from_span = bloom_filter::build(keys, {.fpr = 0.01});
  const auto from_list = bloom_filter::build(list, {.fpr = 0.01});
  EXPECT_EQ(from_span, from_list);
  bloom_filter by_hand({.keys = 500, .fpr = 0.01});
  for (const auto key : keys) (void)by_hand.insert(key);
  EXPECT_EQ(from_span, by_hand);
  EXPECT_EQ(bloom_filter::build(std::vector<std::string>{}, {.fpr = 0.01}),
            bloom_filter({.keys = 0, .fpr = 0.01}));
}

// All cells come from the resource in the options, those of copies too, and every byte is returned.
TEST(BloomFilter, AllocatesFromTheGivenResource) {
  support::counting_resource memory, other;
  const support::as_default_resource guard(other);
  {
    bloom_filter filter({.keys = 10'000, .fpr = 0.01, .memory = &memory});
    EXPECT_EQ(memory.bytes_held(), words_of(filter).size() * 8);
    const bloom_filter copy = filter;
    EXPECT_EQ(memory.bytes_held(), 2 * words_of(filter).size() * 8);
    filter = bloom_filter({.keys = 64, .bits = 4096, .memory = &memory});
    filter.fold();
    EXPECT_EQ(other.bytes_held(), 0U) << "folding stays in the filter's own memory";
  }
  memory.refuse_after(0);
  EXPECT_THROW(bloom_filter({.keys = 10'000, .fpr = 0.01, .memory = &memory}), std::bad_alloc);
}

}  // namespace
}  // namespace umbel::bloom_filter_test
