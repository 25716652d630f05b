// peel_crowd_test.cpp - peeling counts the rows of a cell in seven bits: behaviour before, at and
// after the limit.
// Idea       127 rows are counted exactly and 128 end the attempt. No larger number wraps to a
//            small one, the multiples of 256 and their neighbours included.
#include <vector>

#include <gtest/gtest.h>

#include "support/fuse_systems.hpp"

namespace peel_crowd_test {
namespace {

using namespace fuse_test;
using umbel::solve::slim_row;
using umbel::solve::wide_row;

template <class Row>
class PeelCrowd : public testing::Test {};
using Rows = testing::Types<slim_row, wide_row>;
TYPED_TEST_SUITE(PeelCrowd, Rows);

// `rows` rows that share cell 0 and have one further cell each.
table_graph<2> star(std::uint64_t rows) {
  table_graph<2> graph;
  for (std::uint64_t i = 0; i < rows; ++i) graph.table.push_back({0, i + 1});
  return graph;
}
std::vector<equation> all_of(std::uint64_t rows, std::uint64_t value_mask) {
  std::vector<equation> out;
  for (std::uint64_t i = 0; i < rows; ++i) out.push_back({i, (i * 37 + 1) & value_mask});
  return out;
}

TYPED_TEST(PeelCrowd, UpTo127RowsInACellAreCounted) {
  for (const std::uint64_t rows : {1U, 2U, 63U, 64U, 126U, 127U}) {
    const auto graph = star(rows);
    const auto system = all_of(rows, 0xFF);
    const auto s = solved<TypeParam>(graph, rows + 1, system, 8);
    ASSERT_FALSE(s.crowded) << rows;
    ASSERT_EQ(s.removed, rows);
    for (const auto& [place, value] : system) EXPECT_EQ(answer(graph, s.cells, place), value);
  }
}

TYPED_TEST(PeelCrowd, From128RowsOnTheAttemptEnds) {
  for (const std::uint64_t rows :
       {128U, 129U, 255U, 256U, 257U, 258U, 511U, 512U, 513U, 65536U, 65537U})
    EXPECT_TRUE(solved<TypeParam>(star(rows), rows + 1, all_of(rows, 0xFF), 8).crowded) << rows;
}

// The sum of many copies runs through every bit of the word; the count must stay right and no cell
// may be out of range.
TYPED_TEST(PeelCrowd, AHundredThousandCopiesOfOneRow) {
  table_graph<3> graph;
  graph.table.assign(1024, {0, 1, 2});
  graph.table[1023] = {9, 10, 11};
  for (const std::uint64_t copies : {100'000U, 99'841U /* = 1 mod 256 */, 99'840U}) {
    const std::vector<equation> system(copies, {1023, 0xFFF});
    EXPECT_TRUE(solved<TypeParam>(graph, 12, system, 12).crowded) << copies;
  }
}

TYPED_TEST(PeelCrowd, ACrowdAmongHonestRowsIsSeen) {
  table_graph<3> graph;
  std::vector<equation> system;
  for (std::uint64_t i = 0; i < 100; ++i) {
    graph.table.push_back({3 * i, 3 * i + 1, 3 * i + 2});
    system.push_back({i, i});
  }
  EXPECT_EQ(solved<TypeParam>(graph, 300, system, 8).removed, 100U);
  system.insert(system.end(), 257, {99, 99});
  EXPECT_TRUE(solved<TypeParam>(graph, 300, system, 8).crowded);
}

}  // namespace
}  // namespace peel_crowd_test
