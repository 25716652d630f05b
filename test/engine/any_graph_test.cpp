// any_graph_test.cpp - graphs chosen at run time equal those chosen at compile time, and options
// that no graph can satisfy are refused.
#include <umbel/engine/retrieval/any_graph.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include "support/keys.hpp"

namespace umbel::core::any_graph_test {
namespace {

using sizing::graph_form;
using sizing::graph_shape;

static_assert(peelable<any_graph>);

template <class Graph>
void expect_alike(const graph_shape& shape, const Graph& known) {
  const any_graph graph(shape);
  EXPECT_EQ(graph.arity(), known.arity());
  EXPECT_EQ(graph.size(), known.size());
  EXPECT_EQ(shape.cells(), known.size());
  EXPECT_EQ(graph.regions(), known.regions());
  EXPECT_EQ(graph.place_bits(), known.place_bits());
  for (const digest& d : test::members(1000, 1)) {
    const std::uint64_t word = detail::drawn(d, graph_salt(1)).place;
    const auto expected = known.cells(word, 4096);
    const auto cells = graph.cells(word, 4096), placed = graph.cells(graph.place(word));
    ASSERT_TRUE(std::equal(cells.begin(), cells.end(), expected.begin(), expected.end()));
    ASSERT_EQ(placed, graph.cells(word, 0));
    ASSERT_EQ(graph.place(word), known.place(word));
    ASSERT_EQ(graph.region(word), known.region(word));
  }
}

TEST(ChosenGraph, IsTheOneTheCompilerKnows) {
  for (const std::uint64_t block : {4U, 64U, 4096U}) {
    expect_alike({2, 3, 7, block},
                 fuse<3>({static_cast<std::uint64_t>(std::countr_zero(block)), 7}));
    expect_alike({2, 4, 7, block},
                 fuse<4>({static_cast<std::uint64_t>(std::countr_zero(block)), 7}));
    expect_alike({1, 3, 3, block}, scattered({3, 3, block}));
    expect_alike({0, 5, 1, block}, scattered({5, 1, block}));
    expect_alike({1, 2, 2, block}, scattered({2, 2, block}));
  }
}

TEST(ChosenGraph, RefusesWishesThatNoGraphGrants) {
  const auto refused = [](const any_graph::options_type& options) {
    EXPECT_THROW(any_graph::check(options), bad_parameter)
        << static_cast<int>(options.form) << " " << options.arity << " " << options.cells_per_key;
  };
  for (const unsigned arity : {0U, 1U, 9U, ~0U})
    refused({.form = graph_form::partitioned, .arity = arity});
  for (const unsigned arity : {0U, 2U, 5U}) refused({.form = graph_form::fuse, .arity = arity});
  for (const double cells : {-1.0, 0.5, 101.0, std::nan(""), HUGE_VAL})
    refused({.cells_per_key = cells});
  refused({.form = static_cast<graph_form>(7)});
  for (unsigned arity = 2; arity <= 8; ++arity) EXPECT_NO_THROW(any_graph::check({.arity = arity}));
  EXPECT_NO_THROW(any_graph::check(sizing::two_probe));
}

}  // namespace
}  // namespace umbel::core::any_graph_test
