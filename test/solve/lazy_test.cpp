// lazy_test.cpp - lazy Gaussian elimination [GOV20] against dense elimination: it finds a solution
// exactly when there is one.
#include <umbel/solve/lazy.hpp>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/engine/retrieval/scattered.hpp>

#include "support/fuse_keys.hpp"

namespace umbel::solve::lazy_test {
namespace {

struct equation {
  std::vector<std::uint64_t> unknowns;
  std::uint64_t right;
};

bool dense_oracle(std::span<const equation> all, std::size_t unknowns) {
  dense_system system;
  system.reset(unknowns);
  for (const equation& e : all) {
    std::vector<std::uint64_t> row(system.row_words());
    for (const std::uint64_t u : e.unknowns) row[u / 64] ^= std::uint64_t{1} << u % 64;
    row.back() = e.right;
    if (!system.add(row)) return false;
  }
  return true;
}
std::size_t unmet(std::span<const equation> all, std::span<const std::uint64_t> values) {
  return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](const equation& e) {
    std::uint64_t sum = 0;
    for (const std::uint64_t u : e.unknowns) sum ^= values[u];
    return sum != e.right;
  }));
}

// Equations of 0 to 6 different unknowns, some of them sums of others; right-hand sides of few
// bits, so that some of the dependent ones are consistent.
TEST(Lazy, AgreesWithTheDenseOracleOnAnySystem) {
  lazy_system lazy;
  unsigned solved = 0, refused = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    std::mt19937_64 random(seed);
    const std::size_t unknowns = 1 + random() % 40;
    std::vector<equation> all(random() % (unknowns + 3));
    for (equation& e : all) {
      std::set<std::uint64_t> chosen;
      for (std::uint64_t left = random() % 7; left > 0; --left) chosen.insert(random() % unknowns);
      e = {{chosen.begin(), chosen.end()}, random() % 4};
      std::shuffle(e.unknowns.begin(), e.unknowns.end(), random);
    }
    lazy.reset(unknowns);
    for (const equation& e : all) lazy.add(e.unknowns, e.right);
    std::vector<std::uint64_t> values(unknowns);
    const bool possible = dense_oracle(all, unknowns);
    ASSERT_EQ(lazy.solve(values), possible) << seed;
    ASSERT_TRUE(!possible || unmet(all, values) == 0) << seed;
    ++(possible ? solved : refused);
  }
  EXPECT_GT(solved, 500U);
  EXPECT_GT(refused, 500U);
}

// Buckets of 50 keys, as engine/retrieval/sparse.hpp draws them, after peeling.
TEST(Lazy, AgreesWithTheDenseOracleOnBuckets) {
  sparse_solver solver;
  for (unsigned probes = 3; probes <= 8; ++probes) {
    unsigned solved = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      const std::uint64_t cells = 51 + seed % 10;
      const core::scattered graph({.arity = probes, .blocks = 1, .block = cells});
      std::vector<wide_row> rows;
      std::vector<equation> all;
      for (const auto& [key, value] : fuse_test::pairs(50, 64, seed)) {
        rows.push_back(wide_row::make(graph.place(detail::drawn(key, core::graph_salt(seed)).place),
                                      value, 0));
        const auto at = graph.cells(rows.back().place(0));
        all.push_back({{at.begin(), at.end()}, value});
      }
      const bool possible = dense_oracle(all, cells);
      ASSERT_EQ(solver.solve(graph, rows), possible) << probes << " probes, seed " << seed;
      ASSERT_TRUE(!possible || unmet(all, solver.cells()) == 0)
          << probes << " probes, seed " << seed;
      solved += possible;
    }
    EXPECT_GT(solved, 20U) << probes;
    EXPECT_LT(solved, 290U) << probes;
  }
}

TEST(Lazy, FewUnknownsBecomeActive) {
  const auto keys = fuse_test::digests(10'000, 1);
  const core::scattered graph({.arity = 3, .blocks = 1, .block = 11'000});
  std::vector<wide_row> rows;
  for (const digest& d : keys)
    rows.push_back(
        wide_row::make(graph.place(detail::drawn(d, core::graph_salt(0)).place), d.lo, 0));
  sparse_solver solver;
  ASSERT_TRUE(solver.solve(graph, rows));
  // Peeling succeeds from 1.222 cells per key on: this system has a large core.
  EXPECT_GT(solver.core().equations(), 5000U);
  EXPECT_LT(solver.core().active(), 800U);  // it would be 5000 or more if nothing were lazy
}

}  // namespace
}  // namespace umbel::solve::lazy_test
