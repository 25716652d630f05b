// peeled_graphs_test.cpp - the engine on every graph: each key answers its value, whatever its
// cells are.
// Idea       What fuse_*_test.cpp hold for three cells in segments is held here, more briefly, for
//            the other graphs.
#include <set>

#include <gtest/gtest.h>

#include <umbel/engine/retrieval/fuse.hpp>
#include <umbel/engine/retrieval/peeled_build.hpp>
#include <umbel/engine/retrieval/scattered.hpp>

#include "support/fuse_keys.hpp"
#include "support/fuse_parts.hpp"

namespace peeled_graphs_test {
namespace {

using namespace fuse_test;
using umbel::core::fuse;
using umbel::core::peeled;
using umbel::core::scattered;
using umbel::core::xor_graph;

constexpr auto own_value = [](const valued& v, std::uint64_t) { return v.value; };

template <class Graph>
peeled<Graph> built(std::span<const valued> all, const typename peeled<Graph>::build_options& how) {
  return peeled<Graph>::build(spooled(all), how, own_value);
}

template <class Graph>
class PeeledGraphs : public testing::Test {};
using Graphs = testing::Types<fuse<4>, xor_graph<3>, scattered>;
TYPED_TEST_SUITE(PeeledGraphs, Graphs);

TYPED_TEST(PeeledGraphs, EverySmallNumberOfKeys) {
  for (std::uint64_t n = 0; n <= 300; ++n) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const unsigned width = 1 + static_cast<unsigned>(n * 5 + seed) % 64;
      const auto all = pairs(n, width, seed);
      const auto f = built<TypeParam>(all, {.width = width});
      ASSERT_EQ(f.keys(), n);
      ASSERT_EQ(wrong(f, all), 0U) << n << " keys, seed " << seed;
    }
  }
}

TYPED_TEST(PeeledGraphs, EveryWidth) {
  for (const std::uint64_t n : {3U, 1000U, 20'000U}) {
    for (unsigned width = 1; width <= 64; width += n == 20'000 ? 9 : 1) {
      const auto all = pairs(n, width, width);
      ASSERT_EQ(wrong(built<TypeParam>(all, {.width = width}), all), 0U)
          << n << " keys of width " << width;
    }
  }
}

TYPED_TEST(PeeledGraphs, ShardsThreadsAndOrderChangeNothing) {
  for (const std::uint64_t from : {10'000U, 600U, 300U}) {
    const auto all = pairs(30'000, 8, 2);
    const auto one = built<TypeParam>(all, {.width = 8, .shard_from = from});
    EXPECT_GT(parts(one).shards(), 1U);
    EXPECT_EQ(wrong(one, all), 0U);
    EXPECT_EQ(built<TypeParam>(shuffled(all, 3), {.width = 8, .threads = 3, .shard_from = from}),
              one);
    const auto plan = peeled<TypeParam>::plan(30'000, 8, 8, from);
    EXPECT_NEAR(static_cast<double>(plan.bits) / static_cast<double>(one.size_in_bits()), 1, 0.10)
        << from;
  }
}

TYPED_TEST(PeeledGraphs, RepeatsLeaveNoTraceAndConflictsAreFound) {
  const auto once = pairs(5000, 8, 3);
  auto twice = once;
  twice.insert(twice.end(), once.begin(), once.begin() + 100);
  EXPECT_EQ(built<TypeParam>(shuffled(twice, 1), {.width = 8}),
            built<TypeParam>(once, {.width = 8}));
  twice.back().value ^= 1;
  EXPECT_THROW((void)built<TypeParam>(twice, {.width = 8}), umbel::core::digest_conflict);
  const std::vector<valued> copies(10'000, once[0]);
  EXPECT_EQ(built<TypeParam>(copies, {.width = 8}).keys(), 1U);
}

// Every arity there is, in blocks and with replacement.
TEST(PeeledScattered, EveryArity) {
  for (unsigned arity = 2; arity <= 8; ++arity) {
    for (const bool blocks : {false, true}) {
      for (const std::uint64_t n : {0U, 1U, 2U, 3U, 10U, 500U, 20'000U}) {
        const auto all = pairs(n, 12, arity);
        const auto f =
            built<scattered>(all, {.width = 12, .graph = {.arity = arity, .blocks = blocks}});
        ASSERT_EQ(wrong(f, all), 0U)
            << n << " keys of " << arity << " cells" << (blocks ? " in blocks" : "");
        EXPECT_EQ(f.shape().arity, n == 0 ? 2U : arity);
      }
    }
  }
}

TEST(PeeledScattered, TakesTheCellsItIsGiven) {
  const auto all = pairs(10'000, 8, 1);
  const auto f = built<scattered>(all, {.width = 8, .graph = {.cells_per_key = 2.5}});
  EXPECT_EQ(wrong(f, all), 0U);
  EXPECT_NEAR(static_cast<double>(f.cell_count()), 25'000, 100);
  // Far above the threshold no graph of three cells per key peels, and the shape grows by 1% a
  // time: 100 attempts make 34 shapes, the last of them 1.4 times the first.
  EXPECT_THROW((void)built<scattered>(all, {.width = 8, .graph = {.cells_per_key = 0.8}}),
               umbel::unsolvable);
}

// With add_probe a key learns which of its cells is its own; no two keys own the same.
TYPED_TEST(PeeledGraphs, OwnCellsAreDistinct) {
  for (const unsigned width : {3U, 8U, 16U}) {
    auto all = pairs(5000, width, 4);
    const auto f = built<TypeParam>(all, {.width = width, .add_probe = true, .shard_from = 2000});
    std::set<std::uint64_t> owned;
    for (const valued& v : all) {
      const auto at = f.locate(v.key).cells;
      const std::uint64_t probe = f.value(v.key) ^ v.value;
      ASSERT_LT(probe, at.size());
      ASSERT_LT(at[probe], f.cell_count());
      owned.insert(at[probe]);
    }
    EXPECT_EQ(owned.size(), all.size());
  }
}

}  // namespace
}  // namespace peeled_graphs_test
