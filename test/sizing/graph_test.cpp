// sizing/graph_test.cpp - shapes of peeling graphs chosen at run time, and widths of masked words
// [CKRT04].
#include <umbel/sizing/graph.hpp>

#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

namespace umbel::sizing::graph_test {
namespace {

TEST(GraphShape, IsTheSmallestWhenAskedForIt) {
  for (const unsigned arity : {3U, 4U})
    for (std::uint64_t n = 1; n < 10'000'000; n += n / 3 + 1) {
      const auto of = [&](graph_form form) {
        return plan_graph(n, {.form = form, .arity = arity});
      };
      const auto best = of(graph_form::smallest);
      EXPECT_EQ(best.cells(),
                std::min(of(graph_form::partitioned).cells(), of(graph_form::fuse).cells()))
          << n;
    }
  EXPECT_EQ(plan_graph(10'000, {}).form, 1U);
  EXPECT_EQ(plan_graph(1'000'000, {}).form, 2U);
  EXPECT_EQ(plan_graph(1'000'000, {.arity = 5}).form, 1U) << "fuse graphs have three or four cells";
}

TEST(GraphShape, TakesTheCellsItIsGiven) {
  for (const graph_form form : {graph_form::random, graph_form::partitioned, graph_form::fuse}) {
    const auto shape = plan_graph(100'000, {.form = form, .cells_per_key = 1.5});
    EXPECT_NEAR(static_cast<double>(shape.cells()), 150'000, 4096);  // whole segments
  }
  EXPECT_EQ(plan_graph(1000, two_probe).cells(), 2132U);
}

TEST(GraphShape, GrowAddsCells) {
  for (const graph_form form : {graph_form::random, graph_form::partitioned, graph_form::fuse}) {
    auto shape = plan_graph(1000, {.form = form});
    const auto before = shape;
    shape.grow();
    EXPECT_GT(shape.cells(), before.cells());
    EXPECT_EQ(shape.form, before.form);
  }
}

TEST(MaskedWidth, IsTheFewestBitsThatKeepTheRate) {
  for (const std::uint64_t values :
       {1ULL, 2ULL, 3ULL, 100ULL, 256ULL, 257ULL, 1000003ULL, 1ULL << 40})
    for (const double eps : {0.9, 0.5, 0.25, 0.1, 1.0 / 256, 1e-3, 1e-5}) {
      const unsigned width = masked_width(values - 1, eps);
      EXPECT_LE(masked_fpr(values - 1, width), eps * (1 + 1e-8)) << values << " " << eps;
      if (width > 1) {
        EXPECT_GT(masked_fpr(values - 1, width - 1), eps) << values << " " << eps;
      }
    }
  EXPECT_EQ(masked_width(99, 0.01), 14U)
      << "value and check apart would take 7 + 7, and err at 1/128";
  EXPECT_EQ(masked_width(64, 0.01), 13U) << "7 + 7 again";
  EXPECT_EQ(masked_fpr(99, 14), 100 / 16384.0);
  EXPECT_EQ(masked_width(0, 1), 1U);
}

// A word must hold every value, however coarse the rate: here the logarithm alone would round a bit
// away.
TEST(MaskedWidth, HoldsTheLargestValue) {
  for (unsigned bits = 1; bits <= 64; ++bits) {
    const std::uint64_t largest = ~std::uint64_t{0} >> (64 - bits);
    EXPECT_EQ(masked_width(largest, 1), bits);
    if (bits < 64) {
      EXPECT_EQ(masked_width(largest + 1, 1), bits + 1);
    }
  }
  EXPECT_EQ(masked_fpr(~std::uint64_t{0}, 64), 1);
}

TEST(AcyclicShare, MatchesReferenceValues) {
  EXPECT_NEAR(acyclic_share(1 / 2.1, graph_form::partitioned), 0.305, 5e-4);
  EXPECT_EQ(acyclic_share(0.5, graph_form::partitioned), 0);
  EXPECT_EQ(acyclic_share(0.6, graph_form::random), 0);
}

TEST(FuseThreshold, LiesAboveThatOfScatteredCells) {
  for (const unsigned k : {3U, 4U}) EXPECT_GT(fuse_threshold(k), peel_threshold(k));
}

}  // namespace
}  // namespace umbel::sizing::graph_test
