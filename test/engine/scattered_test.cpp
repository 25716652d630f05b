// scattered_test.cpp - cells in blocks or anywhere: ranges, evenness, cancelling, and one place for
// one key.
#include <umbel/engine/retrieval/scattered.hpp>

#include <cstdint>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/engine/retrieval/fuse.hpp>
#include <umbel/hash/hasher.hpp>

#include "support/statistics_gate.hpp"

namespace umbel::core::scattered_test {
namespace {

digest random_digest(std::uint64_t i) {
  return {statistics::scatter(2 * i), statistics::scatter(2 * i + 1)};
}
std::uint64_t word_of(std::uint64_t i) {
  return detail::drawn(random_digest(i), graph_salt(i % 3)).place;
}

static_assert(peelable<fuse<3>> && peelable<fuse<4>> && peelable<xor_graph<3>> &&
              peelable<scattered>);
static_assert(!peelable<int>);

TEST(ScatteredIndex, APlaceNamesTheCellsOfItsWords) {
  for (const std::uint64_t block : {1U, 2U, 1000U, 700'000U, 500'000'000U}) {
    const xor_graph<3> thirds(sizing::block_row_shape{block});
    const scattered five(sizing::scattered_shape{.arity = 5, .blocks = 1, .block = block});
    const fuse<4> segments({.length_bits = 6, .segments = block / 64 + 1});
    for (std::uint64_t i = 0; i < 2000; ++i) {
      const std::uint64_t word = word_of(i);
      const auto check = [&](const auto& graph) {
        const std::uint64_t place = graph.place(word);
        ASSERT_LT(place >> graph.place_bits(), 1U);
        ASSERT_EQ(graph.cells(place), graph.cells(word, 0));
        ASSERT_LT(graph.region(word), graph.regions());
        for (const std::uint64_t cell : graph.cells(place)) ASSERT_LT(cell, graph.size());
        const auto at = graph.cells(word, 0), moved = graph.cells(word, 1 << 20);
        for (std::size_t j = 0; j < at.size(); ++j) ASSERT_EQ(moved[j], at[j] + (1 << 20));
      };
      check(thirds);
      check(five);
      check(segments);
    }
  }
}

TEST(ScatteredIndex, EveryBlockIsFilledEvenly) {
  constexpr std::uint64_t block = 50, draws = 100'000;
  const scattered graph(sizing::scattered_shape{.arity = 8, .blocks = 8, .block = block});
  std::vector<std::uint64_t> hits(8 * block);
  for (std::uint64_t i = 0; i < draws; ++i) {
    const auto at = graph.cells(word_of(i), 0);
    ASSERT_EQ(at.size(), 8U);
    for (std::size_t j = 0; j < 8; ++j) {
      ASSERT_EQ(at[j] / block, j);
      ++hits[at[j]];
    }
  }
  EXPECT_TRUE(statistics::uniform(hits));
}

// The cells of an xor graph come from one word: each is even, and so is every pair of them, 16 x 16
// cells.
TEST(ScatteredIndex, CellsOfAnXorGraphAreEvenAndIndependent) {
  for (const std::uint64_t block : {16U, 400U, 4096U, 100'000U}) {
    const xor_graph<3> graph(sizing::block_row_shape{block});
    std::vector<std::uint64_t> pairs[3] = {std::vector<std::uint64_t>(256),
                                           std::vector<std::uint64_t>(256),
                                           std::vector<std::uint64_t>(256)};
    for (std::uint64_t i = 0; i < 200'000; ++i) {
      const auto at = graph.cells(detail::drawn(hasher()(i), graph_salt(i % 3)).place, 0);
      std::uint64_t part[3];
      for (std::uint64_t j = 0; j < 3; ++j) part[j] = (at[j] - j * block) * 16 / block;
      for (unsigned j = 0; j < 3; ++j) ++pairs[j][part[j] * 16 + part[(j + 1) % 3]];
    }
    for (const auto& hits : pairs) EXPECT_TRUE(statistics::uniform(hits)) << block;
  }
}

// Of k draws among m cells those that come an even number of times are gone, in pairs.
TEST(ScatteredIndex, DoublesCancel) {
  const scattered graph(sizing::scattered_shape{.arity = 2, .blocks = 1, .block = 10});
  std::uint64_t empty = 0;
  constexpr std::uint64_t draws = 100'000;
  for (std::uint64_t i = 0; i < draws; ++i) {
    const auto at = graph.cells(word_of(i), 0);
    ASSERT_TRUE(at.size() == 0 || at.size() == 2);
    empty += at.size() == 0;
  }
  EXPECT_TRUE(statistics::binomial_gate(empty, draws, 0.1, 0));
  cell_list list;
  for (const std::uint64_t cell : {5U, 6U, 5U, 7U, 6U, 6U}) list.toggle(cell);
  EXPECT_EQ(std::vector(list.begin(), list.end()), (std::vector<std::uint64_t>{7, 6}));
}

// Up to 2^22 cells a place leaves room for a count and a value of 8 bits; it never outgrows a row.
TEST(ScatteredIndex, PlacesFitARow) {
  for (std::uint64_t cells = 3; cells < std::uint64_t{1} << 31; cells = cells * 5 / 4 + 1) {
    const xor_graph<3> graph(sizing::block_row_shape{cells / 3});
    EXPECT_LE(graph.place_bits(), graph.size() < 1 << 22 ? 48U : 56U) << cells;
    EXPECT_GE(graph.place_bits(),
              std::min(48, 2 * static_cast<int>(std::bit_width(graph.size())) + 8))
        << cells;
  }
}

}  // namespace
}  // namespace umbel::core::scattered_test
