// matrix_test.cpp - formulas of sizing/matrix.hpp [Por09] against printed tables and against each
// other.
#include <umbel/sizing/matrix.hpp>

#include <array>
#include <cmath>

#include <gtest/gtest.h>

namespace umbel::sizing {
namespace matrix_sizes {
namespace {

// The table of bench/derive/matrix: probability that one try with c spare unknowns succeeds.
TEST(MatrixSizing, OddsOfIndependence) {
  const std::array<std::pair<unsigned, double>, 7> table = {
      {{0, 0.2888}, {1, 0.5776}, {2, 0.7701}, {3, 0.8801}, {4, 0.9388}, {6, 0.9845}, {8, 0.9961}}};
  for (const auto& [c, odds] : table) {
    EXPECT_NEAR(independence(1000, c), odds, 5e-5) << c;
    EXPECT_GE(independence(1000, c), independence_bound(c, 2)) << c;
    EXPECT_NEAR(independence(64, c), independence(1000, c), 1e-15) << c;
  }
  EXPECT_EQ(independence_bound(0, 2), 0);  // the bound says nothing here; the truth is 0.2888
  EXPECT_NEAR(independence(1000, 0, 256), 0.996, 5e-4);
  EXPECT_GE(independence(1000, 0, 256), independence_bound(0, 256));
  EXPECT_NEAR(1 / independence(1000, 0), 3.46, 0.005);
  EXPECT_DOUBLE_EQ(independence(1, 0), 0.5);
}
// Entropy of the number of the first successful try: the least bits for a seed.
TEST(MatrixSizing, EntropyOfASeed) {
  const double p = independence(1000, 0);
  double entropy = 0;
  for (double share = p; share > 1e-12; share *= 1 - p) entropy -= share * std::log2(share);
  EXPECT_NEAR(entropy, 3.00, 0.02);
}
TEST(MatrixSizing, DefectsAndTries) {
  const std::array<double, 4> defects = {0.2888, 0.5776, 0.1284, 0.0052};
  double all = 0;
  for (unsigned d = 0; d < 4; ++d) EXPECT_NEAR(rank_defect(d), defects[d], 5e-5) << d;
  for (unsigned d = 0; d < 8; ++d) all += rank_defect(d);
  EXPECT_NEAR(all, 1, 1e-9);
  for (const auto& [r, tries] :
       {std::pair{1U, 1.64}, {2U, 2.27}, {4U, 3.07}, {8U, 3.44}, {12U, 3.46}, {64U, 3.46}})
    EXPECT_NEAR(matrix_tries(r), tries, 0.006) << r;
}
TEST(MatrixSizing, ShapesHoldEveryNumberOfKeys) {
  for (std::uint64_t n = 1; n < 100'000; n += 1 + n / 50)
    for (const std::uint64_t group : {3U, 64U, 128U, 256U})
      for (const std::uint64_t levels : {1U, 2U}) {
        const auto shape = shape_matrix(n, group, levels);
        const double mean =
            static_cast<double>(n) / static_cast<double>(shape.buckets * shape.groups);
        EXPECT_LE(mean, 1.5 * static_cast<double>(group)) << n << ' ' << group;
        if (n > 4 * group) {
          EXPECT_GE(mean, 0.75 * static_cast<double>(group)) << n << ' ' << group;
        }
        EXPECT_LE(n, shape.buckets * matrix_bucket_keys);
      }
  EXPECT_EQ(shape_matrix(0, 64, 2).buckets, 0U);
}
TEST(MatrixSizing, RowsOfSquareSystems) {
  for (std::uint64_t n = 2; n <= 65'536; n += 1 + n / 100) {
    const unsigned t = matrix_probes(n);
    EXPECT_EQ(t % 2, 1U);
    EXPECT_GE(t + 1e-9, std::log(static_cast<double>(n)) + 2);
    EXPECT_LT(t - 2, std::log(static_cast<double>(n)) + 2);
    EXPECT_LE(t, matrix_max_probes);
  }
  EXPECT_EQ(matrix_probes(500), 9U);
  EXPECT_NEAR(sparse_independence(500, 7), 0.18, 0.005);
}
// The paper's parameters at a million keys of eight bits: groups of 0.8 keys.
TEST(MatrixSizing, PaperParametersAreAsymptotic) {
  const auto paper = paper_matrix(1e6, 8);
  EXPECT_NEAR(paper.buckets, 1e6 / (19.93 * 19.93), 5);
  EXPECT_NEAR(paper.group, 0.79, 0.01);
  EXPECT_NEAR(paper.group_most, 1.12, 0.01);
  EXPECT_GT(paper.bad_from, 3e5);
}
// One level succeeds at once with probability 1/2 from 29 keys per group on at a million keys, from
// 40 at 1e8.
TEST(MatrixSizing, OneLevel) {
  const auto least = [](double n) {
    double s = 2;
    while (n / s * one_level_bound(s) > 0.5) ++s;
    return s;
  };
  EXPECT_NEAR(least(1e6), 29, 1);
  EXPECT_NEAR(least(1e8), 40, 1);
}
TEST(MatrixSizing, PairwiseTables) {
  EXPECT_EQ(pairwise_entry_bits(64), 14U);  // 128 keys squared
  for (std::uint64_t n = 1; n != 0; n *= 2) {
    const double needed = 2 * std::log2(static_cast<double>(n));
    EXPECT_GE(1U << pairwise_candidate_bits(n), needed) << n;
  }
}
TEST(MatrixSizing, NamesOfForms) {
  for (const auto form :
       {matrix_form::grouped, matrix_form::tabulated, matrix_form::exact, matrix_form::dense}) {
    matrix_form found{};
    EXPECT_TRUE(form_named(name_of(form), found));
    EXPECT_EQ(found, form);
  }
  matrix_form found = matrix_form::exact;
  EXPECT_FALSE(form_named("oval", found));
}

}  // namespace
}  // namespace matrix_sizes
}  // namespace umbel::sizing
