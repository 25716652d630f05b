// dense_test.cpp - elimination of bit rows: every right-hand side of small systems, sizes around
// word boundaries, any order.
#include <umbel/solve/dense.hpp>

#include <algorithm>
#include <bit>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace umbel::solve::dense_test {
namespace {

using row = std::vector<std::uint64_t>;

bool add(dense_system& system, row equation) { return system.add(equation); }

std::uint64_t left_side(const row& equation, const std::vector<std::uint64_t>& values) {
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    if ((equation[i / 64] >> i % 64 & 1) != 0) out ^= values[i];
  return out;
}

std::vector<row> random_rows(std::size_t unknowns, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  dense_system shape;
  shape.reset(unknowns);
  std::vector<row> out(count, row(shape.row_words()));
  for (row& r : out) {
    for (auto& word : r) word = random();
    if (unknowns % 64 != 0) r[r.size() - 2] &= (std::uint64_t{1} << unknowns % 64) - 1;
  }
  return out;
}

// Two unknowns, every pair of equations: consistent exactly when some pair of values satisfies
// both.
TEST(Dense, AgreesWithTryingEverything) {
  for (unsigned a = 0; a < 16; ++a) {
    for (unsigned b = 0; b < 16; ++b) {
      const row rows[2] = {{a & 3U, a >> 2}, {b & 3U, b >> 2}};
      bool possible = false;
      for (std::uint64_t x = 0; x < 16; ++x) {
        const std::vector<std::uint64_t> values{x & 3, x >> 2};
        possible |=
            left_side(rows[0], values) == rows[0][1] && left_side(rows[1], values) == rows[1][1];
      }
      dense_system system;
      system.reset(2);
      const bool first = add(system, rows[0]), second = first && add(system, rows[1]);
      ASSERT_EQ(first && second, possible) << a << ' ' << b;
    }
  }
}

TEST(Dense, SolvesAtTheEdgesOfWords) {
  for (const std::size_t unknowns : {1U, 2U, 63U, 64U, 65U, 127U, 128U, 129U, 500U}) {
    const auto rows = random_rows(unknowns, unknowns, unknowns);
    dense_system system;
    system.reset(unknowns);
    std::vector<row> taken;  // independent so far: those after the first contradiction are left out
    for (const row& r : rows)
      if (add(system, r)) taken.push_back(r);
    // A random square matrix lacks 8 of its rank once in 2^64.
    EXPECT_GE(system.rank() + 8, unknowns);
    std::vector<std::uint64_t> values(unknowns, 1);
    system.solve(values);
    for (const row& r : taken) ASSERT_EQ(left_side(r, values), r.back()) << unknowns;
  }
}

TEST(Dense, DistinguishesDependentFromContradictoryRows) {
  auto rows = random_rows(100, 40, 1);
  dense_system system;
  system.reset(100);
  for (const row& r : rows) ASSERT_TRUE(add(system, r));
  ASSERT_EQ(system.rank(), 40U);
  row sum(rows[0].size());
  for (std::size_t i = 0; i < 40; i += 3) add_row(sum, rows[i]);
  EXPECT_TRUE(add(system, sum));
  EXPECT_EQ(system.rank(), 40U);
  sum.back() ^= std::uint64_t{1} << 63;
  EXPECT_FALSE(add(system, sum));
  EXPECT_TRUE(add(system, row(rows[0].size())));
}

TEST(Dense, OrderDoesNotChangeTheSolution) {
  auto rows = random_rows(90, 70, 2);
  std::vector<std::uint64_t> values[2]{std::vector<std::uint64_t>(90),
                                       std::vector<std::uint64_t>(90)};
  dense_system system;
  for (auto& out : values) {
    system.reset(90);  // and memory of the last system shows nowhere
    for (const row& r : rows) ASSERT_TRUE(add(system, r));
    system.solve(out);
    std::reverse(rows.begin(), rows.end());
    std::rotate(rows.begin(), rows.begin() + 13, rows.end());
  }
  EXPECT_EQ(values[0], values[1]);
  EXPECT_EQ(std::count(values[0].begin(), values[0].end(), 0U), 20);  // the free ones
}

}  // namespace
}  // namespace umbel::solve::dense_test
