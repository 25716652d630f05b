// division_test.cpp - RecSplit splits [EGV20]: probabilities, code lengths and bits; and nodes of
// Blooming trees [AFGP08], against figures computed independently.
#include <cmath>

#include <gtest/gtest.h>

#include <umbel/sizing/division.hpp>
#include <umbel/sizing/perfect.hpp>

namespace umbel::test {
namespace division_test {
namespace {

using namespace umbel::sizing;

TEST(Divisions, PartsAddUpToAllKeys) {
  for (std::uint32_t keys = division_leaf + 1; keys <= division_most; ++keys) {
    std::uint32_t all = 0;
    for (const std::uint32_t child : children_of(keys)) {
      EXPECT_LT(child, keys);
      all += child;
    }
    EXPECT_EQ(all, keys);
    EXPECT_TRUE(keys <= 3 * division_leaf || 2 * children_of(keys)[0] >= keys) << keys;
  }
}

// n! / (a! b! c!) (a/n)^a (b/n)^b (c/n)^c by logarithms; for two large parts a hundredth is left
// out.
TEST(Divisions, ChancesAreMultinomial) {
  for (std::uint32_t keys = division_leaf + 1; keys <= division_most; ++keys) {
    const double n = keys;
    double log = std::lgamma(n + 1);
    for (const double child : children_of(keys))
      if (child > 0) log += child * std::log(child / n) - std::lgamma(child + 1);
    EXPECT_NEAR(chance_of(keys) / std::exp(log), 1, 0.01) << keys;
  }
  EXPECT_NEAR(1 / leaf_chance(10), 2755.7, 0.1);
  EXPECT_EQ(leaf_chance(1), 1);
}

// A code takes at least the entropy of the trials, and hardly more.
TEST(Divisions, CodesAreNearTheEntropy) {
  for (std::uint32_t keys = 3; keys <= division_most; ++keys) {
    const double p = chance_of(keys), q = 1 - p;
    const double entropy = -std::log2(p) - q / p * std::log2(q);
    EXPECT_GE(code_bits(p), entropy - 1e-9) << keys;
    EXPECT_LE(code_bits(p), entropy + 0.13) << keys;
  }
}
TEST(Divisions, ABucketTakesWhatTheTheorySays) {
  const double figures[] = {1.73, 1.71, 1.67, 1.65, 1.63};  // of leaves of 8 to 12
  for (std::uint32_t i = 0; i < 5; ++i)
    EXPECT_NEAR(division_bits(division_bucket, 8 + i)[division_bucket] / division_bucket,
                figures[i], 0.005);
}

TEST(BloomingTree, NodesAndBitsAsSimulated) {
  EXPECT_NEAR(tree_nodes_per_key(0.8), 1.58, 0.005);
  EXPECT_NEAR(tree_nodes_per_key(1.0), 1.67, 0.005);
  EXPECT_NEAR(tree_bits_per_key(0.8), 3.98, 0.01);
  EXPECT_NEAR(tree_bits_per_key(1.0), 4.01, 0.01);
  EXPECT_NEAR(tree_bits_per_key(1.5), 4.20, 0.01);
}

}  // namespace
}  // namespace division_test
}  // namespace umbel::test
