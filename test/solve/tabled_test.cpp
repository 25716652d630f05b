// tabled_test.cpp - small systems solved by table [Por09]: the solutions of elimination, and tables
// of the computed size.
#include <umbel/solve/tabled.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/solve/dense.hpp>
#include <umbel/solve/small.hpp>

namespace umbel::solve {
namespace tabled_systems_test {
namespace {

using rows = solve::dense_rows;

std::vector<unsigned> ids_of(std::uint32_t set) {
  std::vector<unsigned> out;
  for (; set != 0; set &= set - 1) out.push_back(static_cast<unsigned>(std::countr_zero(set)));
  return out;
}

// All sets of all sizes: invertible exactly when elimination says so, and no table has more entries
// than there are sets.
TEST(Tabled, EverySetOfIds) {
  tabled_systems systems;
  std::array<std::size_t, 6> sets{}, regular{};
  for (std::uint32_t set = 1; set < 1U << rows::ids; ++set) {
    const auto size = static_cast<unsigned>(std::popcount(set));
    if (size > rows::max_tabled) continue;
    ++sets[size];
    std::vector<std::uint32_t> basis;
    for (const unsigned id : ids_of(set)) {
      std::uint32_t v = rows::vector(id, size);
      for (const std::uint32_t b : basis) v = std::min(v, v ^ b);
      if (v != 0) basis.push_back(v);
    }
    ASSERT_EQ(systems.is_regular(set), basis.size() == size) << set;
    regular[size] += basis.size() == size;
  }
  const std::array<std::size_t, 6> binomials = {0, 25, 300, 2300, 12'650, 53'130};
  EXPECT_EQ(sets, binomials);
  for (unsigned size = 1; size <= 5; ++size) {
    EXPECT_EQ(systems.known(size), binomials[size]);
    EXPECT_GT(regular[size], 0U) << size;
  }
}
// Many systems with few different sets, so that whole runs of them share an inverse.
TEST(Tabled, SolvesManyAtOnce) {
  std::mt19937_64 random(1);
  tabled_systems systems;
  for (int round = 0; round < 3; ++round) {
    std::vector<std::pair<std::uint32_t, std::vector<std::uint64_t>>> given;
    systems.clear();
    while (given.size() < 3000) {
      std::uint32_t set = 0;
      const unsigned size = 1 + static_cast<unsigned>(random() % 5);
      while (std::popcount(set) < static_cast<int>(size))
        set |= 1U << random() % (round == 0 ? 7 : 25);
      if (!systems.is_regular(set)) continue;
      std::vector<std::uint64_t> rights(size);
      for (auto& right : rights) right = random();
      systems.add(set, rights, given.size());
      given.emplace_back(set, rights);
    }
    std::size_t solved = 0;
    for (const auto& one : systems.solve()) {
      const auto& [set, rights] = given[one.where];
      ASSERT_EQ(one.set, set);
      const auto ids = ids_of(set);
      for (std::size_t i = 0; i < ids.size(); ++i) {
        std::uint64_t sum = 0;
        for (unsigned u = 0; u < ids.size(); ++u)
          if ((rows::vector(ids[i], ids.size()) >> u & 1) != 0) sum ^= one.values[u];
        ASSERT_EQ(sum, rights[i]);
      }
      ++solved;
    }
    ASSERT_EQ(solved, given.size());
  }
}

// ---- rows of a known number of words ----

template <unsigned Words>
void compare(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::size_t unknowns = 1 + random() % (64 * Words), count = unknowns + 1 - random() % 3;
  small_system<Words> small;
  dense_system dense;
  small.reset();
  dense.reset(unknowns);
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::uint64_t> row(Words), other(dense.row_words());
    for (std::size_t u = 0; u < unknowns; ++u) {
      const std::uint64_t bit = (random() & 1) << u % 64;
      row[u / 64] |= bit;
      other[u / 64] |= bit;
    }
    other.back() = random() & 1;
    const bool fits = small.add(row.data(), other.back());
    ASSERT_EQ(dense.add(other), fits);
  }
  std::vector<std::uint64_t> a(unknowns), b(unknowns);
  small.solve(a);
  dense.solve(b);
  ASSERT_EQ(a, b) << seed;
}
TEST(SmallSystem, AgreesWithDenseSystem) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    ASSERT_NO_FATAL_FAILURE(compare<1>(seed));
    ASSERT_NO_FATAL_FAILURE(compare<2>(seed));
  }
}

}  // namespace
}  // namespace tabled_systems_test
}  // namespace umbel::solve
