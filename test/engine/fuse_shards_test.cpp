// fuse_shards_test.cpp - one build, many systems: the seam `shard_from` makes shards of a few keys.
// Idea       Up to 256 shards are whole bins of the spool, more are parts of one: both sides are
//            tried. Shards solve on different attempts, share no word of cells, and one of them may
//            be empty.
#include <set>

#include <gtest/gtest.h>

#include <umbel/engine/retrieval/fuse.hpp>
#include <umbel/engine/retrieval/peeled_build.hpp>

#include "support/child.hpp"
#include "support/fuse_built.hpp"
#include "support/fuse_keys.hpp"
#include "support/fuse_parts.hpp"

namespace fuse_shards_test {
namespace {

using namespace fuse_test;
using fuse = umbel::core::peeled<umbel::core::fuse<3>>;
using umbel::test::in_child;
using umbel::test::success;

struct seam {
  std::uint64_t keys, shard_from, shards;
};
class FuseShards : public testing::TestWithParam<seam> {};

TEST_P(FuseShards, EveryKeyAnswers) {
  const auto [n, from, shards] = GetParam();
  for (const unsigned width : {1U, 5U, 8U, 16U, 32U, 57U, 64U}) {
    const auto all = pairs(n, width, 1);
    const fuse f = built(all, {.width = width, .shard_from = from});
    EXPECT_EQ(parts(f).shards(), shards);
    ASSERT_EQ(wrong(f, all), 0U) << width << " bits";
  }
}

TEST_P(FuseShards, ThreadsChangeNothing) {
  const auto [n, from, shards] = GetParam();
  for (const unsigned width : {3U, 8U, 60U}) {
    const auto all = pairs(n, width, 2);
    const fuse one = built(all, {.width = width, .shard_from = from});
    for (const unsigned threads : {2U, 3U}) {
      const fuse many =
          built(shuffled(all, threads), {.width = width, .threads = threads, .shard_from = from});
      EXPECT_EQ(one, many) << width << " bits, " << threads << " threads";
      EXPECT_EQ(parts(one)["segments"], parts(many)["segments"]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seams, FuseShards,
                         testing::Values(seam{999, 1000, 1}, seam{1000, 1000, 4},
                                         seam{10'000, 5'000, 8}, seam{40'000, 10'000, 16},
                                         seam{40'000, 600, 256}, seam{40'000, 300, 512},
                                         seam{60'000, 100, 2048}),
                         [](const auto& at) { return "Shards" + std::to_string(at.param.shards); });

TEST(FuseShardsMore, ShardsSolveOnDifferentAttempts) {
  const auto all = pairs(60'000, 8, 3);
  const fuse f = built(all, {.width = 8, .shard_from = 100});
  const auto attempts = parts(f).attempts();
  EXPECT_GT(std::set(attempts.begin(), attempts.end()).size(), 1U);
  EXPECT_EQ(wrong(f, all), 0U);
}

// Digests that leave whole ranges empty: shards are joined until they are about even, here to one.
TEST(FuseShardsMore, UnevenOnesAreJoined) {
  auto all = pairs(5000, 8, 4);
  for (auto& v : all) v.key.hi = v.key.hi >> 2 | std::uint64_t{1} << 62;
  for (const std::uint64_t from : {1000U, 64U}) {
    const fuse f = built(all, {.width = 8, .threads = 2, .shard_from = from});
    EXPECT_EQ(parts(f).shards(), 1U);
    EXPECT_EQ(wrong(f, all), 0U);
  }
}

TEST(FuseShardsMore, AnySeamGivesABuild) {
  for (const std::uint64_t from : {0U, 1U, 2U, 3U, 4U, 5U, 8U}) {
    const auto ended = in_child(3, [from] {
      const auto all = pairs(200, 8, 5);
      return wrong(built(all, {.width = 8, .shard_from = from}), all) == 0 ? 0 : 1;
    });
    EXPECT_EQ(ended, success) << "shard_from = " << from << " failed, or never came back";
  }
}

TEST(FuseShardsMore, ThePlanIsClose) {
  for (const std::uint64_t from : {5000U, 400U}) {
    const fuse f = built(pairs(100'000, 8, 6), {.width = 8, .shard_from = from});
    const auto plan = fuse::plan(100'000, 8, 8, from);
    EXPECT_NEAR(static_cast<double>(plan.bits) / static_cast<double>(f.size_in_bits()), 1, 0.10)
        << from;
  }
}

}  // namespace
}  // namespace fuse_shards_test
