// reread_test.cpp - keys that are read where they lie: the same records as from a spool, and builds
// with the same bytes.
#include <list>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <umbel/core/spooled.hpp>
#include <umbel/map/binary_fuse_map.hpp>
#include <umbel/set/binary_fuse4_filter.hpp>
#include <umbel/set/binary_fuse_filter.hpp>
#include <umbel/set/xor_filter.hpp>

#include "support/fuse_keys.hpp"

namespace reread_test {
namespace {

using namespace fuse_test;
using umbel::hasher;

std::vector<std::uint64_t> numbers(std::uint64_t n) {
  return umbel::test::sequence(n, [](std::uint64_t i) { return i * 3; });
}
template <class Source>
auto records_of(const Source& source, std::size_t first = 0, std::size_t last = Source::bins) {
  std::vector<digest> out;
  source.for_each(first, last, [&](std::span<const digest> block) {
    out.insert(out.end(), block.begin(), block.end());
  });
  return out;
}
template <class K>
void expect_as_spooled(const std::vector<K>& keys) {
  const hasher hash = hasher::seeded(5);
  const auto lying = umbel::core::digests_in_place(std::span<const K>(keys), hash);
  const auto spool = umbel::core::spool_of(keys, hash, 1);
  EXPECT_EQ(lying.size(), keys.size());
  for (const auto& [first, last] :
       {std::pair(0, 256), std::pair(0, 1), std::pair(7, 100), std::pair(255, 256)}) {
    auto here = records_of(lying, first, last), there = records_of(spool, first, last);
    std::sort(here.begin(), here.end());
    std::sort(there.begin(), there.end());
    EXPECT_EQ(here, there) << first << " to " << last;
    EXPECT_EQ(lying.count(first, last), there.size());
  }
  EXPECT_EQ(records_of(lying.distinct(1)), records_of(spool.distinct(1)));
}

TEST(Reread, GivesTheRecordsOfASpool) {
  for (const std::uint64_t n : {0, 1, 127, 128, 129, 10'000}) {
    auto keys = numbers(n);
    expect_as_spooled(keys);
    std::vector<std::string> text;
    for (const std::uint64_t key : keys) text.push_back(std::to_string(key));
    expect_as_spooled(text);
    keys.insert(keys.end(), keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(n / 2));
    expect_as_spooled(keys);
  }
}

// From where keys lie, by several threads, from a list, and from a spool: the same bytes. Some are
// given twice, which is found after attempts that failed.
template <class Filter>
class RereadBuild : public testing::Test {};
using filters =
    testing::Types<umbel::binary_fuse_filter, umbel::binary_fuse4_filter, umbel::xor_filter>;
TYPED_TEST_SUITE(RereadBuild, filters);
TYPED_TEST(RereadBuild, IsTheSameFilter) {
  for (const std::uint64_t n : {0, 1, 100, 5000, 140'000}) {
    for (const bool repeated : {false, true}) {
      auto keys = numbers(n);
      if (repeated) keys.insert(keys.end(), keys.begin(), keys.end());
      const auto lying = TypeParam::build(keys, {.fpr = 0.01});
      EXPECT_EQ(lying, TypeParam::build(keys, {.fpr = 0.01, .threads = 3}));
      EXPECT_EQ(lying, TypeParam::build(std::list(keys.begin(), keys.end()), {.fpr = 0.01}));
      EXPECT_EQ(lying, TypeParam::build(umbel::core::spool_of(keys, hasher(), 1), {.fpr = 0.01}));
      for (const std::uint64_t key : keys) ASSERT_TRUE(lying.may_contain(key));
      EXPECT_EQ(lying.keys(), n);
    }
  }
}

TEST(Reread, BuildsTheSameMap) {
  std::vector<std::pair<std::uint64_t, unsigned>> pairs;
  for (unsigned i = 0; i < 20'000; ++i) pairs.emplace_back(i * 7, i & 0xFF);
  pairs.push_back(pairs[17]);
  const auto lying = umbel::binary_fuse_map::build(pairs, {.value_bits = 8});
  EXPECT_EQ(lying, umbel::binary_fuse_map::build(pairs, {.value_bits = 8, .threads = 3}));
  EXPECT_EQ(lying, umbel::binary_fuse_map::build(std::list(pairs.begin(), pairs.end()),
                                                 {.value_bits = 8}));
  EXPECT_EQ(lying,
            umbel::binary_fuse_map::build(std::span(std::as_const(pairs)), {.value_bits = 8}));
  for (const auto& [key, value] : pairs) ASSERT_EQ(lying.value(key), value);
}

}  // namespace
}  // namespace reread_test
