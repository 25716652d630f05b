// peel_oracle_test.cpp - peeling of random systems against reference implementations, and what a
// solution must not depend on.
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <umbel/base/integers.hpp>

#include "support/environment.hpp"
#include "support/fuse_keys.hpp"
#include "support/fuse_systems.hpp"

namespace peel_oracle_test {
namespace {

using namespace fuse_test;
using umbel::detail::low_mask;
using umbel::solve::slim_row;
using umbel::solve::wide_row;

template <unsigned Arity>
struct system_of {
  table_graph<Arity> graph;
  std::uint64_t cells = 0;
  std::vector<equation> rows;
};

// `rows` random rows of Arity different cells each.
template <unsigned Arity>
system_of<Arity> random_system(std::uint64_t cells, std::uint64_t rows, std::uint64_t seed,
                               unsigned bits) {
  std::mt19937_64 random(seed);
  system_of<Arity> out;
  out.cells = cells;
  std::vector<std::uint64_t> all(cells);
  std::iota(all.begin(), all.end(), 0);
  for (std::uint64_t i = 0; i < rows; ++i) {
    auto& touched = out.graph.table.emplace_back();
    std::sample(all.begin(), all.end(), touched.begin(), Arity, random);
    std::shuffle(touched.begin(), touched.end(), random);
    out.rows.push_back({i, random() & low_mask(bits)});
  }
  return out;
}

template <unsigned Arity>
void check_against_oracles(std::uint64_t cells, std::uint64_t rows, std::uint64_t seed,
                           unsigned bits) {
  const auto system = random_system<Arity>(cells, rows, seed, bits);
  const auto slim = solved<slim_row>(system.graph, cells, system.rows, bits);
  const auto wide = solved<wide_row>(system.graph, cells, system.rows, bits);
  RC_ASSERT(slim.removed == rows - core_size(system.graph, cells, system.rows));
  RC_ASSERT(slim.order == wide.order);
  RC_ASSERT(slim.cells == wide.cells);
  if (slim.removed != rows) return;
  RC_ASSERT(dense_rank(system.graph, system.rows) == rows);  // what peels has independent rows
  for (const auto& [place, value] : system.rows)
    RC_ASSERT(answer(system.graph, slim.cells, place) == value);
  for (const auto cell : slim.cells) RC_ASSERT((cell & ~low_mask(bits)) == 0U);
}

RC_GTEST_PROP(PeelOracle, ThreeCellsPerRow, ()) {
  const auto cells = *rc::gen::inRange<std::uint64_t>(3, 65);
  const auto rows = *rc::gen::inRange<std::uint64_t>(0, cells + 1);
  const auto bits = *rc::gen::inRange<unsigned>(1, 41);
  check_against_oracles<3>(cells, rows, *rc::gen::arbitrary<std::uint64_t>(), bits);
}

RC_GTEST_PROP(PeelOracle, TwoCellsPerRow, ()) {
  const auto cells = *rc::gen::inRange<std::uint64_t>(2, 65);
  const auto rows = *rc::gen::inRange<std::uint64_t>(0, cells + 1);
  check_against_oracles<2>(cells, rows, *rc::gen::arbitrary<std::uint64_t>(), 5);
}

RC_GTEST_PROP(PeelOracle, FourCellsPerRow, ()) {
  const auto cells = *rc::gen::inRange<std::uint64_t>(4, 65);
  const auto rows = *rc::gen::inRange<std::uint64_t>(0, cells + 1);
  check_against_oracles<4>(cells, rows, *rc::gen::arbitrary<std::uint64_t>(), 5);
}

RC_GTEST_PROP(PeelOracle, RowsInAnyOrderGiveTheSameRemovalsAndCells, ()) {
  const auto rows = *rc::gen::inRange<std::uint64_t>(0, 200);
  const auto system =
      random_system<3>(rows * 5 / 4 + 8, rows, *rc::gen::arbitrary<std::uint64_t>(), 12);
  const auto other = shuffled(system.rows, *rc::gen::arbitrary<std::uint64_t>());
  const auto a = solved<slim_row>(system.graph, system.cells, system.rows, 12);
  const auto b = solved<slim_row>(system.graph, system.cells, other, 12);
  RC_ASSERT(a.order == b.order);
  RC_ASSERT(a.cells == b.cells);
}

// Values of all widths that fit beside a place; their sums overflow the word many times.
TEST(PeelOracle, SumsMayOverflow) {
  for (unsigned bits = 1; bits <= 48; ++bits) {
    auto system = random_system<3>(200, 150, bits, bits);
    for (auto& row : system.rows) row.value = low_mask(bits);
    const auto s = solved<slim_row>(system.graph, system.cells, system.rows, bits);
    ASSERT_EQ(s.removed, system.rows.size() - core_size(system.graph, system.cells, system.rows));
    if (s.cells.empty()) continue;
    for (const auto& [place, value] : system.rows)
      ASSERT_EQ(answer(system.graph, s.cells, place), value) << bits;
  }
}

TEST(PeelOracle, WideRowsCarrySixtyFourBits) {
  const auto system = random_system<3>(4000, 3000, 1, 64);
  const auto s = solved<wide_row>(system.graph, system.cells, system.rows, 64);
  ASSERT_EQ(s.removed, 3000U);
  for (const auto& [place, value] : system.rows)
    ASSERT_EQ(answer(system.graph, s.cells, place), value);
}

}  // namespace
}  // namespace peel_oracle_test
