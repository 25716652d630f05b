// determinism_test.cpp - a build depends on the set of keys alone: not on order, repeats, threads,
// shards in flight, or spilling to disk.
#include <list>

#include <gtest/gtest.h>

#include <umbel/codec/codec.hpp>
#include <umbel/map/binary_fuse_map.hpp>
#include <umbel/set/binary_fuse_filter.hpp>
#include <umbel/set/golomb_coded_set.hpp>

#include "support/fuse_keys.hpp"
#include "support/fuse_parts.hpp"
#include "support/temp_dir.hpp"

namespace determinism_test {
namespace {

using namespace fuse_test;
using umbel::binary_fuse_filter;
using umbel::binary_fuse_map;
using umbel::golomb_coded_set;
using umbel::test::temp_dir;

constexpr std::uint64_t n = 150'000;
constexpr std::uint64_t limit = 1 << 20;  // the digests are 2.4 MB, the pairs 3.6 MB

// Everything that must not matter. build(spool, threads) -> bytes.
template <class Record, class Build>
void expect_one_result(const std::vector<Record>& all, Build&& build) {
  const temp_dir here;
  const umbel::spool_options on_disk{.memory_limit = limit, .directory = here.path()};
  const auto expected = build(spooled(all), 1U);
  EXPECT_TRUE(build(spooled(all), 2U) == expected) << "two threads";
  EXPECT_TRUE(build(spooled(shuffled(all, 1)), 1U) == expected) << "another order";
  EXPECT_TRUE(build(spooled(std::vector<Record>(all.rbegin(), all.rend())), 2U) == expected)
      << "backwards";
  const auto spilled = spooled(shuffled(all, 2), on_disk);
  ASSERT_TRUE(spilled.spilled());
  EXPECT_TRUE(build(spilled, 1U) == expected) << "from disk";
  EXPECT_TRUE(build(spilled, 2U) == expected) << "from disk, two threads";
  auto repeated = spooled(shuffled(all, 3), on_disk);
  repeated.add(std::span(all).subspan(1000, 5000));
  EXPECT_TRUE(build(repeated, 2U) == expected) << "from disk, with repeats";
  auto first = spooled(std::span(all).first(n / 3), on_disk);
  first.append(spooled(std::span(all).subspan(n / 3), on_disk));
  EXPECT_TRUE(build(first, 1U) == expected) << "from two writers";
  EXPECT_TRUE(here.names().empty());
}

class Determinism : public testing::TestWithParam<std::uint64_t> {};  // shard_from

TEST_P(Determinism, OfFuseFilters) {
  const auto keys = digests(n, 1);
  expect_one_result(keys, [](const digest_spool& spool, unsigned threads) {
    return umbel::encode(binary_fuse_filter::build(
        spool, {.fpr = 0.001, .threads = threads, .shard_from = GetParam()}));
  });
}

TEST_P(Determinism, OfFuseMaps) {
  for (const unsigned bits : {3U, 50U}) {  // narrow rows and wide ones
    const auto all = pairs(n, bits, 2);
    expect_one_result(all, [=](const pair_spool& spool, unsigned threads) {
      return umbel::encode(binary_fuse_map::build(
          spool, {.value_bits = bits, .threads = threads, .shard_from = GetParam()}));
    });
  }
}

INSTANTIATE_TEST_SUITE_P(ShardFrom, Determinism, testing::Values(4'000'000, 50'000, 2'000, 700),
                         testing::PrintToStringParamName());

TEST(DeterminismMore, OfGolombFilters) {
  const auto keys = digests(n, 3);
  expect_one_result(keys, [](const digest_spool& spool, unsigned threads) {
    return umbel::encode(golomb_coded_set::build(spool, {.fpr = 0.01, .threads = threads}));
  });
}

TEST(DeterminismMore, ShardFromMakesManyShards) {
  for (const auto& [from, shards] : {std::pair{50'000, 8}, {2'000, 256}, {700, 512}}) {
    const auto f = binary_fuse_filter::build(
        digests(n, 1), {.fpr = 0.5, .shard_from = static_cast<std::uint64_t>(from)});
    EXPECT_EQ(parts(f).shards(), static_cast<std::uint64_t>(shards));
  }
}

// From keys, as a user builds: threads hash slices of a random-access range; forward ranges take
// the slow path.
TEST(DeterminismMore, FromRangesOfKeys) {
  std::vector<std::string> words;
  for (std::uint64_t i = 0; i < n; ++i) words.push_back("key number " + std::to_string(i));
  const auto expected = umbel::encode(binary_fuse_filter::build(words, {.shard_from = 10'000}));
  for (const unsigned threads : {2U, 3U, 5U})
    EXPECT_TRUE(umbel::encode(binary_fuse_filter::build(
                    shuffled(words, threads), {.threads = threads, .shard_from = 10'000})) ==
                expected);
  const std::list<std::string> one_by_one(words.begin(), words.end());
  EXPECT_TRUE(umbel::encode(binary_fuse_filter::build(one_by_one, {.shard_from = 10'000})) ==
              expected);
}

}  // namespace
}  // namespace determinism_test
