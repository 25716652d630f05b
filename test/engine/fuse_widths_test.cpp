// fuse_widths_test.cpp - tags of every width, at every place in a word, for random and for regular
// keys.
//
// A filter shows tags of up to 12 bits. Wider ones never let a non-member pass in a test, so they
// are seen by their top bits: a map whose values take all but the top eight bits of a word checks
// just those.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/map/binary_fuse4_map.hpp>
#include <umbel/map/binary_fuse_map.hpp>
#include <umbel/map/xor_map.hpp>
#include <umbel/set/binary_fuse4_filter.hpp>
#include <umbel/set/binary_fuse_filter.hpp>
#include <umbel/set/xor_filter.hpp>

#include "support/fuse_keys.hpp"
#include "support/gate.hpp"

namespace fuse_widths_test {
namespace {

using umbel::test::binomial_gate;
using umbel::test::exact_model;

constexpr std::uint64_t members = 20'000;

std::uint64_t random_key(std::uint64_t i) { return fuse_test::digest_of(i, 1).lo; }
std::uint64_t sequential_key(std::uint64_t i) { return i; }
std::uint64_t strided_key(std::uint64_t i) { return i << 32; }
std::uint64_t grid_key(std::uint64_t i) { return i / 512 << 32 | i % 512; }
std::string text_key(std::uint64_t i) { return "key " + std::to_string(i); }

// Keys from key_at(members) on, single and in batches: how many pass, by both ways alike.
template <class Structure, class KeyAt>
std::uint64_t passing(const Structure& structure, std::uint64_t count, KeyAt key_at) {
  std::uint64_t sum = 0;
  std::vector<decltype(key_at(std::uint64_t{0}))> keys;
  for (std::uint64_t first = 0; first < count; first += 1000) {
    keys.clear();
    for (std::uint64_t i = 0; i < 1000; ++i) keys.push_back(key_at(members + first + i));
    if constexpr (requires { structure.value_bits(); }) {
      std::vector<std::optional<std::uint64_t>> found(keys.size());
      structure.find_batch(keys, found);
      for (std::size_t i = 0; i < keys.size(); ++i) {
        EXPECT_EQ(structure.find(keys[i]), found[i]);
        sum += found[i].has_value();
      }
    } else {
      bool found[1000];
      structure.may_contain_batch(keys, found);
      for (std::size_t i = 0; i < keys.size(); ++i) {
        EXPECT_EQ(structure.may_contain(keys[i]), found[i]);
        sum += found[i];
      }
    }
  }
  return sum;
}

template <class Filter, class Map, class KeyAt>
void expect_rates(KeyAt key_at, std::uint64_t shard_from, std::uint64_t least = 100'000) {
  std::vector<decltype(key_at(std::uint64_t{0}))> keys;
  for (std::uint64_t i = 0; i < members; ++i) keys.push_back(key_at(i));
  for (unsigned width = 1; width <= 12; ++width) {
    const auto filter =
        Filter::build(keys, {.fpr = std::exp2(-double(width)), .shard_from = shard_from});
    for (const auto& k : keys) ASSERT_TRUE(filter.may_contain(k)) << width;
    const auto count = std::max<std::uint64_t>(least, (100ULL << width) / 1000 * 1000);
    EXPECT_TRUE(
        binomial_gate(passing(filter, count, key_at), count, filter.expected_fpr(), exact_model))
        << width << " bits";
  }
  for (unsigned width = 9; width <= 64; ++width) {
    const unsigned value_bits = width - 8;
    std::vector<std::pair<decltype(key_at(std::uint64_t{0})), std::uint64_t>> pairs;
    for (std::uint64_t i = 0; i < members; ++i)
      pairs.emplace_back(keys[i],
                         fuse_test::digest_of(i, 2).hi & umbel::detail::low_mask(value_bits));
    const auto map =
        Map::build(pairs, {.value_bits = value_bits, .fpr = 1.0 / 256, .shard_from = shard_from});
    ASSERT_EQ(map.engine().width(), width);
    for (const auto& [k, value] : pairs) {
      ASSERT_EQ(map.find(k), value) << width;
      ASSERT_EQ(map.value(k), value) << width;
    }
    EXPECT_TRUE(binomial_gate(passing(map, least, key_at), least, 1.0 / 256, exact_model))
        << width << " bits";
  }
}

constexpr std::uint64_t whole = umbel::sizing::peel_shard_from, many_shards = 1000;

TEST(FuseWidths, RandomKeysPassAtTheRate) {
  expect_rates<umbel::binary_fuse_filter, umbel::binary_fuse_map>(random_key, whole);
}
TEST(FuseWidths, RandomKeysPassAtTheRateAcrossShards) {
  expect_rates<umbel::binary_fuse_filter, umbel::binary_fuse_map>(random_key, many_shards);
}
TEST(FuseWidths, SequentialKeysPassAtTheRate) {
  expect_rates<umbel::binary_fuse_filter, umbel::binary_fuse_map>(sequential_key, whole);
}
TEST(FuseWidths, StridedKeysPassAtTheRate) {
  expect_rates<umbel::binary_fuse_filter, umbel::binary_fuse_map>(strided_key, many_shards);
}
TEST(FuseWidths, GridKeysPassAtTheRate) {
  expect_rates<umbel::binary_fuse_filter, umbel::binary_fuse_map>(grid_key, whole);
}
TEST(FuseWidths, TextKeysPassAtTheRate) {
  expect_rates<umbel::binary_fuse_filter, umbel::binary_fuse_map>(text_key, whole);
}
TEST(FuseWidths, GridKeysPassAtTheRateOfFourCells) {
  expect_rates<umbel::binary_fuse4_filter, umbel::binary_fuse4_map>(grid_key, whole);
}
TEST(FuseWidths, SequentialKeysPassAtTheRateOfXorGraphs) {
  expect_rates<umbel::xor_filter, umbel::xor_map>(sequential_key, whole);
}

}  // namespace
}  // namespace fuse_widths_test
