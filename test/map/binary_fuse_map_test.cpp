// binary_fuse_map_test.cpp - binary fuse map [GL22], [CKRT04]: members, non-members, widths, files.
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <umbel/codec/codec.hpp>
#include <umbel/map/binary_fuse_map.hpp>

#include "support/environment.hpp"
#include "support/fuse_keys.hpp"
#include "support/gate.hpp"
#include "support/temp_dir.hpp"

namespace binary_fuse_map_test {
namespace {

using namespace fuse_test;
using testing::HasSubstr;
using umbel::binary_fuse_map;
using umbel::test::binomial_gate;
using umbel::test::temp_dir;
using text_pairs = std::vector<std::pair<std::string, std::uint64_t>>;
using number_pairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

number_pairs numbers(std::uint64_t n, unsigned bits) {
  number_pairs out;
  for (std::uint64_t i = 0; i < n; ++i) out.emplace_back(i, scatter(i + 99) >> (64 - bits));
  return out;
}

TEST(FuseMap, AnswersItsMembers) {
  const text_pairs given = {
      {"bash", 3}, {"zlib", 0}, {"", 7}, {std::string("a\0b", 3), 5}, {"\xFF\xFE", 1}};
  const auto map = binary_fuse_map::build(given, {.value_bits = 3, .fpr = 0.001});
  EXPECT_EQ(map.keys(), 5U);
  EXPECT_EQ(map.value_bits(), 3U);
  for (const auto& [key, value] : given) {
    EXPECT_EQ(map.find(key), value);
    EXPECT_EQ(map.value(key), value);
  }
  EXPECT_EQ(map.find(std::string_view("bash")), 3U);
  EXPECT_EQ(map.find("bash"), 3U);
  EXPECT_EQ(map.find(map.hash()("bash")), 3U);  // a ready digest
}

TEST(FuseMap, EmptyAnswersNothing) {
  for (const auto& map :
       {binary_fuse_map::build(text_pairs{}, {.value_bits = 9}),
        binary_fuse_map::build(text_pairs{}, {.value_bits = 9, .fpr = 0.01}), binary_fuse_map()}) {
    EXPECT_EQ(map.keys(), 0U);
    EXPECT_EQ(map.size_in_bits(), 0U);
    EXPECT_EQ(map.expected_fpr(), 0);
    EXPECT_EQ(map.find("anyone"), std::nullopt);
    EXPECT_EQ(map.value("anyone"), 0U);
    const std::vector<std::string> keys(100, "anyone");
    std::vector<std::optional<std::uint64_t>> found(100, 5);
    std::vector<std::uint64_t> values(100, 5);
    map.find_batch(keys, found);
    map.value_batch(keys, values);
    EXPECT_THAT(found, testing::Each(std::nullopt));
    EXPECT_THAT(values, testing::Each(0));
  }
}

TEST(FuseMap, EveryValueWidth) {
  for (unsigned bits = 1; bits <= 64; ++bits) {
    const auto given = numbers(500, bits);
    const auto bare = binary_fuse_map::build(given, {.value_bits = bits});
    for (const auto& [key, value] : given) ASSERT_EQ(bare.find(key), value) << bits << " bits";
    if (bits > 54) continue;
    const auto checked = binary_fuse_map::build(given, {.value_bits = bits, .fpr = 0.001});
    for (const auto& [key, value] : given)
      ASSERT_EQ(checked.find(key), value) << bits << " bits and a check";
  }
}

TEST(FuseMap, ValueAndCheckShareSixtyFourBits) {
  const auto given = numbers(100, 60);
  EXPECT_NO_THROW((void)binary_fuse_map::build(given, {.value_bits = 60, .fpr = 1.0 / 16}));
  EXPECT_THROW((void)binary_fuse_map::build(given, {.value_bits = 60, .fpr = 1.0 / 32}),
               umbel::bad_parameter);
}

TEST(FuseMap, BatchesAnswerAsSingles) {
  const auto given = numbers(5000, 7);
  std::vector<std::uint64_t> keys(9001);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i * 7 % 10'000;
  for (const std::optional<double> fpr : {std::optional<double>(), std::optional(0.05)}) {
    const auto map = binary_fuse_map::build(given, {.value_bits = 7, .fpr = fpr});
    for (const std::size_t size : {0U, 1U, 63U, 64U, 65U, 1023U, 1024U, 1025U, 9001U}) {
      const std::span some(keys.data(), size);
      std::vector<std::optional<std::uint64_t>> found(size);
      std::vector<std::uint64_t> values(size);
      map.find_batch(some, found);
      map.value_batch(some, values);
      for (std::size_t i = 0; i < size; ++i) {
        ASSERT_EQ(found[i], map.find(some[i]));
        ASSERT_EQ(values[i], map.value(some[i]));
      }
    }
  }
}

TEST(FuseMap, NonMembersGetAValueAtThePlannedRate) {
  const auto given = numbers(20'000, 5);
  for (const double fpr : {0.5, 0.1, 0.01, 0.001}) {
    const auto map = binary_fuse_map::build(given, {.value_bits = 5, .fpr = fpr});
    EXPECT_LE(map.expected_fpr(), fpr);
    constexpr std::uint64_t non_members = 1'000'000;
    std::uint64_t found = 0;
    for (std::uint64_t i = 0; i < non_members; ++i) found += map.find(20'000 + i).has_value();
    EXPECT_TRUE(binomial_gate(found, non_members, map.expected_fpr(), umbel::test::exact_model))
        << fpr;
  }
}

// Without a check a non-member always gets some value, each about equally often. 0 comes a little
// more often, since a cell that no key needed is 0.
TEST(FuseMap, UncheckedNonMembersGetAnyValue) {
  const auto map = binary_fuse_map::build(numbers(20'000, 3), {.value_bits = 3});
  EXPECT_EQ(map.expected_fpr(), 1);
  std::vector<std::uint64_t> seen(8);
  for (std::uint64_t i = 0; i < 200'000; ++i) {
    const auto found = map.find(20'000 + i);
    ASSERT_TRUE(found.has_value() && *found < 8);
    ++seen[*found];
  }
  for (const auto count : seen) EXPECT_TRUE(binomial_gate(count, 200'000, 1.0 / 8, 0.1));
}

TEST(FuseMap, SavedLoadedAndOpened) {
  const temp_dir here;
  const auto given = numbers(3000, 11);
  for (const std::optional<double> fpr : {std::optional<double>(), std::optional(0.01)}) {
    const auto map = binary_fuse_map::build(
        given, {.value_bits = 11, .fpr = fpr, .hash = umbel::hasher::seeded(5)});
    umbel::save(map, here.file("map.umbel"));
    const auto loaded = umbel::load<binary_fuse_map>(here.file("map.umbel"));
    const auto opened = umbel::open<binary_fuse_map>(here.file("map.umbel"));
    EXPECT_EQ(loaded, map);
    EXPECT_EQ(*opened, map);
    for (std::uint64_t key = 0; key < 6000; ++key) {
      ASSERT_EQ(loaded.find(key), map.find(key));
      ASSERT_EQ(opened->find(key), map.find(key));
      ASSERT_EQ(opened->value(key), map.value(key));
    }
    EXPECT_EQ(umbel::encode(*opened), umbel::encode(map));
  }
}

RC_GTEST_PROP(FuseMap, AnswersAsAStandardMapDoes,
              (const std::map<std::string, std::uint16_t>& truth)) {
  const auto checked = binary_fuse_map::build(truth, {.value_bits = 16, .fpr = 0.001});
  const auto bare = binary_fuse_map::build(truth, {.value_bits = 16});
  RC_ASSERT(checked.keys() == truth.size());
  for (const auto& [key, value] : truth) {
    RC_ASSERT(checked.find(key) == std::uint64_t{value});
    RC_ASSERT(bare.find(key) == std::uint64_t{value});
  }
  RC_ASSERT(umbel::decode<binary_fuse_map>(umbel::encode(checked)) == checked);
}

}  // namespace
}  // namespace binary_fuse_map_test
