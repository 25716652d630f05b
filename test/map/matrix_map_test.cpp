// matrix_map_test.cpp - matrix maps and filters [Por09]: members, non-members, files and impossible
// options, in every form.
#include <umbel/map/matrix_map.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/codec/codec.hpp>
#include <umbel/set/matrix_filter.hpp>

#include "support/file_image.hpp"
#include "support/gate.hpp"

namespace umbel {
namespace matrix_faces {
namespace {

using enum matrix_form;
using number_pairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

number_pairs numbers(std::uint64_t n) {
  number_pairs out;
  for (std::uint64_t i = 0; i < n; ++i) out.emplace_back(i, i * 0x9E3779B97F4A7C15 >> 59);
  return out;
}
std::vector<std::uint64_t> keys_to(std::uint64_t n) {
  std::vector<std::uint64_t> out;
  for (std::uint64_t i = 0; i < n; ++i) out.push_back(i);
  return out;
}

TEST(MatrixMap, MembersAndNonMembers) {
  const auto pairs = numbers(2000);
  for (const matrix_form form : {grouped, tabulated, exact, dense}) {
    const auto map = matrix_map::build(pairs, {.value_bits = 5, .fpr = 1.0 / 64, .form = form});
    EXPECT_EQ(map.form(), form);
    for (const auto& [key, value] : pairs) ASSERT_EQ(map.find(key), value);
    std::uint64_t found = 0;
    const std::uint64_t non_members = form == dense ? 5000 : 50'000;
    for (std::uint64_t i = 0; i < non_members; ++i) found += map.find(1'000'000 + i).has_value();
    EXPECT_TRUE(test::binomial_gate(found, non_members, 1.0 / 64, test::exact_model))
        << name_of(form);
    EXPECT_TRUE(decode<matrix_map>(encode(map)) == map);
    EXPECT_EQ(matrix_map::plan({.keys = 2000, .value_bits = 5, .form = form}).form,
              form == grouped ? "" : name_of(form));
  }
}
TEST(MatrixFilter, MembersAndNonMembers) {
  const auto keys = keys_to(4000);
  for (const matrix_form form : {grouped, tabulated, exact, dense}) {
    const auto set = matrix_filter::build(keys, {.fpr = 0.01, .form = form, .threads = 2});
    for (const std::uint64_t key : keys) ASSERT_TRUE(set.may_contain(key));
    std::uint64_t passed = 0;
    const std::uint64_t non_members = form == dense ? 5000 : 200'000;
    for (std::uint64_t i = 0; i < non_members; ++i) passed += set.may_contain(1'000'000 + i);
    EXPECT_TRUE(test::binomial_gate(passed, non_members, 1.0 / 128, test::exact_model))
        << name_of(form);
    EXPECT_EQ(set.expected_fpr(), 1.0 / 128);
  }
}
TEST(MatrixMap, OptionsReachTheEngine) {
  const auto pairs = numbers(3000);
  const auto plain = matrix_map::build(pairs, {.value_bits = 5});
  for (const matrix_map::options_type& options :
       {matrix_map::options_type{.value_bits = 5, .group = 256},
        {.value_bits = 5, .spare = 2},
        {.value_bits = 5, .levels = 1},
        {.value_bits = 5, .source = matrix_source::pairwise}}) {
    const auto map = matrix_map::build(pairs, options);
    EXPECT_FALSE(map == plain);
    for (const auto& [key, value] : pairs) ASSERT_EQ(map.value(key), value);
    EXPECT_TRUE(decode<matrix_map>(encode(map)) == map);
  }
}
TEST(MatrixMap, ConflictsNameTheKey) {
  const std::vector<std::pair<std::string, unsigned>> twice = {{"ant", 1}, {"bee", 2}, {"ant", 3}};
  for (const matrix_form form : {grouped, tabulated, exact, dense}) {
    try {
      (void)matrix_map::build(twice, {.value_bits = 4, .form = form});
      FAIL();
    } catch (const conflict& e) {
      EXPECT_NE(std::string(e.what()).find("\"ant\""), std::string::npos) << e.what();
    }
    EXPECT_THROW((void)matrix_map::build(twice, {.value_bits = 1, .form = form}), bad_parameter);
  }
  EXPECT_THROW((void)matrix_map::build(twice, {.value_bits = 4, .group = 99}), bad_parameter);
  EXPECT_THROW((void)matrix_map::plan({.value_bits = 64, .fpr = 0.5}), bad_parameter);
}

// Keys in bad buckets, and keys that were hashed again, come back from a file.
TEST(MatrixMap, ListedAndRedrawnKeysAreStored) {
  for (const bool all : {false, true}) {
    pair_spool pairs;
    for (std::uint64_t i = 0; i < 100'000; ++i) {
      digest d = hasher()(i);
      if (all) d.hi >>= 20;
      if (!all && i < 250) d.hi = 0x1234567890000000 + i;
      pairs.add(core::valued{d, i % 64});
    }
    const auto map = matrix_map::build(pairs, {.value_bits = 6, .levels = 1});
    const bool listed = map.engine().retrieval().groups().listed_keys() != 0;
    EXPECT_EQ(listed, !all);
    const auto again = decode<matrix_map>(encode(map));
    EXPECT_TRUE(again == map);
    pairs.for_each(0, pair_spool::bins, [&](std::span<const core::valued> block) {
      for (const auto& v : block) ASSERT_EQ(again.value(v.key), v.value);
    });
  }
}

// Queries follow directory, seeds and side list without checks, so a file must be checked when it
// is read.
TEST(MatrixMap, InconsistentDirectoriesAreRefused) {
  const auto map = matrix_map::build(numbers(40'000), {.value_bits = 5});
  const test::file_image good(encode(map));
  const auto entries = good.entries();
  const auto section = [&](const char* name) {
    return *std::find_if(entries.begin(), entries.end(), [&](auto& e) { return e.name == name; });
  };
  const auto directory = section("directory"), seeds = section("seeds");
  ASSERT_EQ(directory.length, 4U * 8);
  ASSERT_GE(seeds.length, 2U * 8);
  const std::uint64_t last = good.get<std::uint64_t>(directory.offset + 24);
  const auto with = [&](std::size_t offset, std::uint64_t value) {
    test::file_image bad = good;
    bad.set(offset, value).seal();
    return decode<matrix_map>(bad.bytes());
  };
  EXPECT_TRUE(with(directory.offset + 24, last) == map);
  EXPECT_THROW((void)with(directory.offset, 1 << 9), corrupt);          // keys that no bucket has
  EXPECT_THROW((void)with(directory.offset + 8, last + 512), corrupt);  // beyond the keys there are
  EXPECT_THROW((void)with(directory.offset + 24, last + 512), corrupt);
  EXPECT_THROW((void)with(directory.offset + 24, last - 512), corrupt);
  // a division where no bucket is
  EXPECT_THROW((void)with(directory.offset + 24, last + 1), corrupt);
  EXPECT_THROW(
      (void)with(directory.offset + 8, good.get<std::uint64_t>(directory.offset + 8) | 256),
      corrupt);
  EXPECT_THROW((void)with(seeds.offset, 14), corrupt);                 // a seed that an entry holds
  EXPECT_THROW((void)with(seeds.offset, (1ULL << 40) | 20), corrupt);  // of no group
  // Twice.
  EXPECT_THROW((void)with(seeds.offset, good.get<std::uint64_t>(seeds.offset + 8)), corrupt);
}

}  // namespace
}  // namespace matrix_faces
}  // namespace umbel
