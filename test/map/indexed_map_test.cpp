// indexed_map_test.cpp - mutable values in the slots of a perfect hash: compared with a reference
// map in single and batched calls, and under several writers.
#include <umbel/map/indexed_map.hpp>

#include <random>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/codec/codec.hpp>

#include "support/environment.hpp"
#include "support/keys.hpp"

namespace umbel::test {
namespace indexed_map_test {
namespace {

std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs_of(
    const std::vector<std::uint64_t>& keys, unsigned bits) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> out;
  for (const std::uint64_t key : keys) out.emplace_back(key, scatter(key) & detail::low_mask(bits));
  return out;
}

// Random assignments, to non-members too: those that the map detects as non-members change nothing.
template <class Map>
void hold_to_a_reference(unsigned bits, std::optional<double> fpr) {
  const auto keys = member_keys(2000, bits), others = non_member_keys(2000, bits);
  auto map = Map::build(pairs_of(keys, bits), {.value_bits = bits, .fpr = fpr});
  std::unordered_map<std::uint64_t, std::uint64_t> expected;
  for (const auto& [key, value] : pairs_of(keys, bits)) expected[key] = value;
  std::mt19937_64 random(bits);
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t value = random() & detail::low_mask(bits);
    if (i % 4 == 0) {
      const std::uint64_t other = others[random() % others.size()];
      if (!map.find(other)) {
        ASSERT_FALSE(map.assign(other, value));
      }
    } else {
      const std::uint64_t key = keys[random() % keys.size()];
      ASSERT_TRUE(map.assign(key, value));
      expected[key] = value;
    }
  }
  for (const std::uint64_t key : keys) {
    ASSERT_EQ(map.find(key), expected[key]);
    ASSERT_EQ(map.value(key), expected[key]);
  }
  std::vector<std::uint64_t> values;
  for (const std::uint64_t key : keys) values.push_back(~expected[key] & detail::low_mask(bits));
  EXPECT_EQ(map.assign_batch(keys, values), keys.size());
  std::vector<std::optional<std::uint64_t>> found(keys.size());
  map.find_batch(keys, found);
  for (std::size_t i = 0; i < keys.size(); ++i) ASSERT_EQ(found[i], values[i]);
}

TEST(IndexedMap, HoldsWhatWasLastAssigned) {
  for (const unsigned bits : {1U, 3U, 8U, 24U, 56U})
    hold_to_a_reference<indexed_map>(bits, std::nullopt);
  hold_to_a_reference<indexed_map>(63, 0.5);
  hold_to_a_reference<indexed_map>(64, std::nullopt);  // no room for a check
}
TEST(ConcurrentIndexedMap, HoldsWhatWasLastAssigned) {
  for (const unsigned bits : {1U, 8U, 24U, 56U})
    hold_to_a_reference<concurrent_indexed_map>(bits, std::nullopt);
}

// A value in another key's cell would show in the bytes: assigning all values anew gives what
// building with them gives.
TEST(IndexedMap, AssigningAllValuesGivesTheBytesOfABuild) {
  const auto keys = member_keys(3000, 4);
  auto before = pairs_of(keys, 12), after = before;
  for (auto& [key, value] : after) value ^= 0xABC;
  auto map = indexed_map::build(before, {.value_bits = 12});
  for (const auto& [key, value] : after) ASSERT_TRUE(map.assign(key, value));
  EXPECT_EQ(map, indexed_map::build(after, {.value_bits = 12, .threads = 2}));
}

TEST(IndexedMap, RefusesWhatDoesNotFit) {
  const auto keys = member_keys(100, 5);
  auto map = indexed_map::build(pairs_of(keys, 4), {.value_bits = 4});
  EXPECT_THROW((void)map.assign(keys[0], 16), bad_parameter);
  EXPECT_THROW((void)indexed_map::build(pairs_of(keys, 4), {.value_bits = 60, .fpr = 0.01}),
               bad_parameter);
  EXPECT_THROW((void)indexed_map::build(pairs_of(keys, 4), {.value_bits = 0}), bad_parameter);
  auto twice = pairs_of(keys, 4);
  twice.emplace_back(twice[0].first, twice[0].second ^ 1);
  for (std::size_t i = 0; i < perfect_preset_names.size(); ++i) {
    EXPECT_THROW((void)indexed_map::build(
                     twice, {.value_bits = 4, .preset = static_cast<perfect_preset>(i)}),
                 conflict);
  }
  indexed_map empty;
  EXPECT_FALSE(empty.assign(keys[0], 0));
  EXPECT_FALSE(empty.find(keys[0]).has_value());
}

// The two forms share a file where cells are machine words.
TEST(ConcurrentIndexedMap, ReadsTheSameFile) {
  const auto keys = member_keys(500, 6);
  const auto map = indexed_map::build(pairs_of(keys, 8), {.value_bits = 8});
  const auto shared = decode<concurrent_indexed_map>(encode(map), {});
  for (const std::uint64_t key : keys) ASSERT_EQ(shared.find(key), map.find(key));
  const auto odd = indexed_map::build(pairs_of(keys, 9), {.value_bits = 9});
  EXPECT_THROW((void)decode<concurrent_indexed_map>(encode(odd), {}), corrupt);
}

// Two writers with separate keys, and a reader: every value read was assigned to that key.
TEST(ConcurrentIndexedMap, WritersDoNotDisturbEachOther) {
  const auto keys = member_keys(400, 7);
  auto map = concurrent_indexed_map::build(pairs_of(keys, 8), {.value_bits = 8});
  const auto start = pairs_of(keys, 8);
  const auto write = [&](std::size_t first) {
    for (std::uint64_t round = 1; round <= 200; ++round)
      for (std::size_t i = first; i < keys.size(); i += 2)
        EXPECT_TRUE(map.assign(keys[i], (start[i].second + round) & 255));
  };
  std::thread even(write, 0), odd(write, 1);
  for (int round = 0; round < 50; ++round)
    for (const std::uint64_t key : keys) EXPECT_TRUE(map.find(key).has_value());
  even.join();
  odd.join();
  for (std::size_t i = 0; i < keys.size(); ++i)
    ASSERT_EQ(map.find(keys[i]), (start[i].second + 200) & 255);
}

}  // namespace
}  // namespace indexed_map_test
}  // namespace umbel::test
