// sparse_map_test.cpp - sparse-system maps and filters [DP08], [GOV20]: members, non-members and
// impossible options.
#include <umbel/map/sparse_map.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/codec/codec.hpp>
#include <umbel/set/sparse_filter.hpp>

#include "support/file_image.hpp"
#include "support/gate.hpp"

namespace umbel::sparse_map_test {
namespace {

using number_pairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

number_pairs numbers(std::uint64_t n) {
  number_pairs out;
  for (std::uint64_t i = 0; i < n; ++i) out.emplace_back(i, i * 0x9E3779B97F4A7C15 >> 59);
  return out;
}

TEST(SparseMap, MembersAndNonMembers) {
  const auto pairs = numbers(5000);
  for (unsigned probes = 3; probes <= 8; ++probes) {
    const auto map = sparse_map::build(pairs, {.value_bits = 5, .fpr = 1.0 / 64, .probes = probes});
    EXPECT_EQ(map.engine().retrieval().probes(), probes);
    for (const auto& [key, value] : pairs) ASSERT_EQ(map.find(key), value);
    std::uint64_t found = 0;
    constexpr std::uint64_t non_members = 50'000;
    for (std::uint64_t i = 0; i < non_members; ++i) found += map.find(1'000'000 + i).has_value();
    EXPECT_TRUE(test::binomial_gate(found, non_members, 1.0 / 64, test::exact_model)) << probes;
    EXPECT_TRUE(decode<sparse_map>(encode(map)) == map);
  }
}

TEST(SparseMap, SmallerWithMoreProbes) {
  double before = 100;
  for (unsigned probes = 3; probes <= 8; ++probes) {
    const auto plan = sparse_map::plan({.keys = 1'000'000, .value_bits = 8, .probes = probes});
    EXPECT_LT(plan.bits_per_key(), before);
    EXPECT_EQ(plan.probes, probes);
    before = plan.bits_per_key();
  }
}

TEST(SparseMap, ConflictsNameTheKey) {
  const std::vector<std::pair<std::string, unsigned>> twice = {{"ant", 1}, {"bee", 2}, {"ant", 3}};
  try {
    (void)sparse_map::build(twice, {.value_bits = 4});
    FAIL();
  } catch (const conflict& e) {
    EXPECT_NE(std::string(e.what()).find("\"ant\""), std::string::npos) << e.what();
  }
  EXPECT_THROW((void)sparse_map::build(twice, {.value_bits = 1}), bad_parameter);
  EXPECT_THROW((void)sparse_map::build(twice, {.value_bits = 4, .probes = 9}), bad_parameter);
  EXPECT_THROW((void)sparse_map::plan({.value_bits = 64, .fpr = 0.5}), bad_parameter);
}

// Queries follow the directory without checks, so a file is checked when it is read; only cells may
// be wrong unnoticed.
TEST(SparseMap, InconsistentDirectoriesAreRefused) {
  const auto map = sparse_map::build(numbers(5000), {.value_bits = 5});
  const test::file_image good(encode(map));
  const auto entries = good.entries();
  const auto directory =
      std::find_if(entries.begin(), entries.end(), [](auto& e) { return e.name == "directory"; });
  ASSERT_EQ(directory->length, 5U * 8);
  const std::uint64_t last = good.get<std::uint64_t>(directory->offset + 32);
  const auto with = [&](std::size_t word, std::uint64_t value) {
    test::file_image bad = good;
    bad.set(directory->offset + 8 * word, value).seal();
    return decode<sparse_map>(bad.bytes());
  };
  EXPECT_TRUE(with(4, last) == map);
  EXPECT_THROW((void)with(0, 1 << 8), corrupt);        // cells that no bucket has
  EXPECT_THROW((void)with(1, last + 256), corrupt);    // beyond the cells there are
  EXPECT_THROW((void)with(4, last + 16384), corrupt);  // more cells than the section holds
  EXPECT_THROW((void)with(4, last - 65536), corrupt);  // fewer
  EXPECT_THROW((void)with(4, last + 1), corrupt);      // a seed where no bucket is
  EXPECT_THROW((void)with(4, ~std::uint64_t{0} << 8), corrupt);
  // Empty buckets, other seeds, moved ends: queries return some answer.
  for (std::uint64_t i = 0; i < 1000; ++i) {
    try {
      const auto other = with(1 + i % 3, i < 500 ? i * 0x9E3779B97F4A7C15 % last : i & 255);
      for (std::uint64_t key = 0; key < 100; ++key) (void)other.find(key);
    } catch (const corrupt&) {
    }
  }
}

TEST(SparseFilter, TakesThePlannedSize) {
  std::vector<std::uint64_t> keys;
  for (std::uint64_t i = 0; i < 20'000; ++i) keys.push_back(i);
  const auto set = sparse_filter::build(keys, {.fpr = 0.01, .threads = 2});
  const auto plan = sparse_filter::plan({.keys = 20'000, .fpr = 0.01});
  EXPECT_NEAR(static_cast<double>(set.size_in_bits()) / static_cast<double>(plan.bits), 1, 0.002);
  for (const std::uint64_t key : keys) ASSERT_TRUE(set.may_contain(key));
  std::uint64_t passed = 0;
  for (std::uint64_t i = 0; i < 200'000; ++i) passed += set.may_contain(1'000'000 + i);
  EXPECT_TRUE(test::binomial_gate(passed, 200'000, plan.fpr, test::exact_model));
}

}  // namespace
}  // namespace umbel::sparse_map_test
