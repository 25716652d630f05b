// fuse_failures_test.cpp - graphs that do not peel: the next attempt, the next shape, and the end
// of all attempts.
// Idea       Two keys with the same three cells never peel. Such a pair is found for any one
//            attempt by trying a few thousand digests, so each way to fail is forced with a handful
//            of keys.
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <umbel/engine/retrieval/fuse.hpp>
#include <umbel/engine/retrieval/peeled_build.hpp>

#include "support/fuse_built.hpp"
#include "support/fuse_keys.hpp"
#include "support/fuse_parts.hpp"

namespace fuse_failures_test {
namespace {

using namespace fuse_test;
using fuse = umbel::core::peeled<umbel::core::fuse<3>>;
using fuse3 = umbel::core::fuse<3>;
using umbel::sizing::fuse_shape;

// Whose top four bits these are: all twins belong to one shard, if there are at most sixteen.
constexpr std::uint64_t home = 5;

// Two digests with equal cells at this attempt, in all shapes from `shape` on with up to `more`
// segments more.
std::vector<valued> twins(fuse_shape shape, std::uint64_t attempt, std::uint32_t more) {
  std::map<std::vector<std::uint64_t>, digest> seen;
  for (std::uint64_t i = 0; i < 1'000'000; ++i) {
    digest d = digest_of(i, 300 + attempt);
    d.hi = d.hi >> 4 | home << 60;
    std::vector<std::uint64_t> places;
    for (std::uint32_t extra = 0; extra <= more; ++extra)
      places.push_back(fuse3({shape.length_bits, shape.segments + extra})
                           .place(umbel::detail::drawn(d, umbel::core::graph_salt(attempt)).place));
    const auto [other, fresh] = seen.emplace(std::move(places), d);
    if (!fresh) return {{other->second, i & 1}, {d, 1 - (i & 1)}};
  }
  throw std::logic_error("no twins among a million digests");
}
std::vector<valued> joined(const std::vector<std::vector<valued>>& all) {
  std::vector<valued> out;
  for (const auto& some : all) out.insert(out.end(), some.begin(), some.end());
  return out;
}

TEST(FuseFailures, TheNextAttemptDrawsAnotherGraph) {
  const auto all = twins(umbel::sizing::plan_fuse(3, 2), 0, 0);
  const fuse f = built(all, {.width = 1});
  EXPECT_GE(parts(f).attempts()[0], 1);
  EXPECT_EQ(wrong(f, all), 0U);
}

TEST(FuseFailures, AfterThreeGraphsOneSegmentMore) {
  const auto shape = umbel::sizing::plan_fuse(3, 6);
  const auto all = joined({twins(shape, 0, 0), twins(shape, 1, 0), twins(shape, 2, 0)});
  const fuse f = built(all, {.width = 1});
  EXPECT_GE(parts(f)["segments"], shape.segments + 1);
  EXPECT_EQ(parts(f)["length_bits"], shape.length_bits);
  EXPECT_EQ(wrong(f, all), 0U);
  EXPECT_EQ(built(shuffled(all, 1), {.width = 1}), f);
}

// One shard that needs a segment more gives it to all: they have one shape.
TEST(FuseFailures, OneStuckShardChangesTheShapeOfAll) {
  auto rest = pairs(4000, 1, 5);
  // that shard is far from the largest
  std::erase_if(rest, [](const valued& v) { return v.key.hi >> 60 == home; });
  const auto calm = parts(built(rest, {.width = 1, .shard_from = 1000}));
  ASSERT_EQ(calm.shards(), 8U);
  const fuse_shape shape{calm["length_bits"], calm["segments"]};
  const auto all = joined({rest, twins(shape, 0, 0), twins(shape, 1, 0), twins(shape, 2, 0)});
  const fuse one = built(all, {.width = 1, .shard_from = 1000});
  EXPECT_EQ(wrong(one, all), 0U);
  EXPECT_GT(parts(one)["segments"], calm["segments"]);
  for (const unsigned threads : {2U, 4U})
    EXPECT_EQ(built(shuffled(all, threads), {.width = 1, .threads = threads, .shard_from = 1000}),
              one);
}

// Keys made to fail in every graph there is: an error after a bounded time, not an endless search.
TEST(FuseFailures, ThereIsAnEnd) {
  const auto shape = umbel::sizing::plan_fuse(3, 6);
  constexpr auto shapes = umbel::sizing::peel_attempts / umbel::sizing::peel_attempts_per_shape + 1;
  const auto all =
      joined({twins(shape, 0, shapes), twins(shape, 1, shapes), twins(shape, 2, shapes)});
  try {
    (void)built(all, {.width = 1});
    FAIL() << "expected unsolvable";
  } catch (const umbel::unsolvable& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("6 keys"));
  }
}

TEST(FuseFailures, ARepeatAmongThemIsDroppedFirst) {
  const auto shape = umbel::sizing::plan_fuse(3, 6);
  auto all = joined({twins(shape, 0, 0), twins(shape, 1, 0), twins(shape, 2, 0)});
  all.push_back(all.front());
  const fuse f = built(all, {.width = 1});
  EXPECT_EQ(f.keys(), 6U);
  EXPECT_EQ(wrong(f, all), 0U);
}

}  // namespace
}  // namespace fuse_failures_test
