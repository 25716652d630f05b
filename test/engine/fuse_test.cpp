// fuse_test.cpp - three cells in three consecutive segments, packed into one word and back.
#include <umbel/engine/retrieval/fuse.hpp>

#include <array>
#include <cstdint>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/hash/hasher.hpp>

#include "support/statistics_gate.hpp"

namespace umbel::core::fuse_test {
namespace {

constexpr digest example{0x0123456789abcdef, 0xfedcba9876543210};
std::uint64_t word_of(digest d, std::uint64_t attempt) {
  return detail::drawn(d, graph_salt(attempt)).place;
}
digest random_digest(std::uint64_t i) {
  return {statistics::scatter(2 * i), statistics::scatter(2 * i + 1)};
}

const std::vector<sizing::fuse_shape> shapes = {{.length_bits = 2, .segments = 1},
                                                {.length_bits = 5, .segments = 3},
                                                {.length_bits = 10, .segments = 37},
                                                {.length_bits = 18, .segments = 100}};

TEST(FuseIndex, PlacesAreFixedForEver) {
  struct golden {
    std::uint64_t attempt;
    std::size_t shape;
    std::uint64_t place;
    fuse<3>::positions cells;
  };
  for (const auto& [attempt, shape, place, cells] :
       {golden{0, 0, 31, {1, 6, 10}}, golden{0, 1, 30189, {29, 50, 80}},
        golden{0, 2, 12037250913, {11479, 12960, 14262}},
        golden{0, 3, 545823874214962836, {7942782, 8376158, 8623338}},
        golden{1, 1, 27113, {26, 53, 83}}, golden{99, 2, 14533129351, {13859, 14686, 16036}}}) {
    const fuse<3> graph(shapes[shape]);
    const auto words = word_of(example, attempt);
    EXPECT_EQ(graph.place(words), place);
    EXPECT_EQ(graph.cells(words, 0), cells);
  }
}

// Cell i lies in the i-th segment from the start's own; a place is a round trip of the words that
// made it.
TEST(FuseIndex, CellsLieInThreeConsecutiveSegments) {
  for (const auto& shape : shapes) {
    const fuse<3> graph(shape);
    for (std::uint64_t i = 0; i < 5'000; ++i) {
      const auto words = word_of(random_digest(i), i % 3);
      const std::uint64_t place = graph.place(words);
      const auto cells = graph.cells(words, 0);
      ASSERT_EQ(graph.cells(place), cells) << "packed and unpacked";
      ASSERT_LT(place >> (graph.place_bits() - 1) >> 1, 1U) << "fits the bits it says";
      ASSERT_EQ(cells[0] >> shape.length_bits, graph.region(words));
      ASSERT_LT(graph.region(words), shape.segments);
      for (std::uint64_t p = 0; p < 3; ++p) {
        ASSERT_EQ(cells[p] >> shape.length_bits, graph.region(words) + p);
        ASSERT_LT(cells[p], shape.cells(3));
      }
    }
  }
}

TEST(FuseIndex, AttemptsDrawOtherGraphs) {
  const fuse<3> graph(shapes[2]);
  unsigned same = 0;
  for (std::uint64_t i = 0; i < 1'000; ++i)
    same += graph.cells(word_of(random_digest(i), 0), 0) ==
            graph.cells(word_of(random_digest(i), 1), 0);
  EXPECT_EQ(same, 0U);
}

// Each of the three cells is uniform where it may fall, and the two offsets are independent of each
// other and of the start: counters as keys, 16 x 16 cells, 5 sigmas.
TEST(FuseIndex, StartsAndOffsetsAreUniformAndIndependent) {
  const sizing::fuse_shape shape{.length_bits = 8, .segments = 25};
  const fuse<3> graph(shape);
  for (const std::uint64_t attempt : {0U, 1U, 2U}) {
    std::vector<std::uint64_t> starts(shape.starts()), with_one(256), with_two(256), offsets(256);
    for (std::uint64_t i = 0; i < 200'000; ++i) {
      const std::uint64_t place = graph.place(word_of(hasher()(i), attempt));
      const std::uint64_t start = place >> 16, one = place >> 8 & 255, two = place & 255;
      ++starts[start];
      ++with_one[(start & 15) << 4 | one >> 4];
      ++with_two[(start & 15) << 4 | two >> 4];
      ++offsets[(one & 15) << 4 | (two & 15)];
    }
    EXPECT_TRUE(statistics::uniform(starts)) << attempt;
    EXPECT_TRUE(statistics::uniform(with_one)) << attempt;
    EXPECT_TRUE(statistics::uniform(with_two)) << attempt;
    EXPECT_TRUE(statistics::uniform(offsets)) << attempt;
  }
}

}  // namespace
}  // namespace umbel::core::fuse_test
