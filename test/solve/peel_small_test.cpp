// peel_small_test.cpp - peeling of systems small enough to solve by hand: what peels, in which
// order, and what never does.
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/fuse_systems.hpp"

namespace peel_small_test {
namespace {

using namespace fuse_test;
using testing::ElementsAre;
using umbel::solve::slim_row;
using umbel::solve::wide_row;

template <class Row>
class PeelSmall : public testing::Test {};
using Rows = testing::Types<slim_row, wide_row>;
TYPED_TEST_SUITE(PeelSmall, Rows);

template <class Graph>
void expect_satisfied(const Graph& graph, const solution& s, std::span<const equation> system) {
  ASSERT_FALSE(s.cells.empty());
  for (const auto& [place, value] : system)
    EXPECT_EQ(answer(graph, s.cells, place), value) << "row " << place;
}

TYPED_TEST(PeelSmall, ASystemWithoutRowsPeels) {
  const table_graph<3> graph;
  const auto s = solved<TypeParam>(graph, 12, {}, 4);
  EXPECT_FALSE(s.crowded);
  EXPECT_EQ(s.removed, 0U);
  EXPECT_EQ(s.cells, std::vector<std::uint64_t>(12, 0));
}

TYPED_TEST(PeelSmall, OneRowSetsItsFirstCell) {
  const table_graph<3> graph{{{5, 2, 7}}};
  const equation system[] = {{0, 9}};
  const auto s = solved<TypeParam>(graph, 8, system, 4);
  // Cell 2 is met first, whichever probe it is.
  EXPECT_THAT(s.cells, ElementsAre(0, 0, 9, 0, 0, 0, 0, 0));
}

TYPED_TEST(PeelSmall, APathPeelsFromItsEnds) {
  const table_graph<2> graph{{{0, 1}, {1, 2}, {2, 3}, {3, 4}}};
  const equation system[] = {{2, 7}, {0, 1}, {3, 0}, {1, 15}};
  const auto s = solved<TypeParam>(graph, 5, system, 4);
  EXPECT_THAT(s.order, testing::UnorderedElementsAre(0, 1, 2, 3));
  // At first no inner row has a cell that no other row uses.
  EXPECT_THAT(s.order.front(), testing::AnyOf(0, 3));
  expect_satisfied(graph, s, system);
}

TYPED_TEST(PeelSmall, ARowAloneInSeveralCellsIsRemovedOnce) {
  const table_graph<3> graph{{{0, 1, 2}, {2, 3, 4}, {4, 5, 6}}};
  const equation system[] = {{0, 1}, {1, 2}, {2, 3}};
  const auto s = solved<TypeParam>(graph, 7, system, 2);
  EXPECT_THAT(s.order, ElementsAre(0, 1, 2));
  expect_satisfied(graph, s, system);
}

TYPED_TEST(PeelSmall, ACycleDoesNotPeel) {
  const table_graph<2> graph{{{0, 1}, {1, 2}, {2, 0}}};
  const equation system[] = {{0, 1}, {1, 2}, {2, 3}};
  const auto s = solved<TypeParam>(graph, 3, system, 4);
  EXPECT_FALSE(s.crowded);
  EXPECT_EQ(s.removed, 0U);
}

TYPED_TEST(PeelSmall, ACycleWithATailLosesItsTailOnly) {
  const table_graph<2> graph{{{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 4}}};
  const equation system[] = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}};
  const auto s = solved<TypeParam>(graph, 5, system, 4);
  EXPECT_THAT(s.order, ElementsAre(4, 3));
}

TYPED_TEST(PeelSmall, EqualRowsNeverPeel) {
  const table_graph<3> graph{{{0, 1, 2}, {3, 4, 5}}};
  for (const unsigned copies : {2U, 3U, 4U, 127U}) {
    std::vector<equation> system(copies, {0, 5});
    system.push_back({1, 6});
    const auto s = solved<TypeParam>(graph, 6, system, 4);
    EXPECT_FALSE(s.crowded);
    EXPECT_THAT(s.order, ElementsAre(1)) << copies << " copies";
  }
}

TYPED_TEST(PeelSmall, EqualCellsWithOtherValuesNeverPeel) {
  const table_graph<3> graph{{{0, 1, 2}}};
  const equation system[] = {{0, 5}, {0, 6}};
  EXPECT_EQ(solved<TypeParam>(graph, 3, system, 4).removed, 0U);
}

}  // namespace
}  // namespace peel_small_test
