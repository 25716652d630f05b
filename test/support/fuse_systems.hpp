// fuse_systems.hpp - small systems of equations for solve/: hand-made graphs, a complete peel, and
// two independent reference implementations.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <umbel/solve/peel.hpp>
#include <umbel/solve/row.hpp>

namespace fuse_test {

// A graph given as a table: place p touches the cells table[p].
template <unsigned Arity>
struct table_graph {
  using positions = std::array<std::uint64_t, Arity>;
  std::vector<positions> table;
  [[nodiscard]] static constexpr unsigned arity() noexcept { return Arity; }
  [[nodiscard]] const positions& cells(std::uint64_t place) const noexcept { return table[place]; }
};

struct equation {
  std::uint64_t place, value;
};

struct solution {
  bool crowded = false;
  std::size_t removed = 0;
  std::vector<std::uint64_t> order;  // places, as they were removed
  std::vector<std::uint64_t> cells;  // empty unless all rows were removed
};

struct plain_cells {
  std::vector<std::uint64_t>& at;
  [[nodiscard]] std::uint64_t get(std::uint64_t i) const noexcept { return at[i]; }
  void set(std::uint64_t i, std::uint64_t value) const noexcept { at[i] = value; }
};

// Pile, peel, assign. `bits` is the width with which the rows were made.
template <class Row, class Graph>
[[nodiscard]] solution solved(const Graph& graph, std::uint64_t cells,
                              std::span<const equation> system, unsigned bits) {
  namespace solve = umbel::solve;
  std::vector<Row> rows;
  for (const auto& [place, value] : system) rows.push_back(Row::make(place, value, bits));
  std::vector<Row> sums(cells), order(rows.size());
  solution out;
  out.crowded = !solve::pile(graph, bits, std::span<const Row>(rows), std::span(sums));
  if (out.crowded) return out;
  out.removed = solve::peel(graph, bits, std::span(sums), std::span(order));
  for (std::size_t i = 0; i < std::min(out.removed, order.size()); ++i)
    out.order.push_back(order[i].place(bits));
  if (out.removed != rows.size()) return out;
  out.cells.resize(cells);
  solve::assign(graph, bits, std::span<const Row>(order), plain_cells{out.cells});
  return out;
}

template <class Graph>
[[nodiscard]] std::uint64_t answer(const Graph& graph, std::span<const std::uint64_t> cells,
                                   std::uint64_t place) {
  std::uint64_t out = 0;
  for (const std::uint64_t at : graph.cells(place)) out ^= cells[at];
  return out;
}

// Reference 1: the rows left when rows with a cell that no other row uses are removed repeatedly,
// by scanning all of them.
template <class Graph>
[[nodiscard]] std::size_t core_size(const Graph& graph, std::uint64_t cells,
                                    std::span<const equation> system) {
  std::vector<std::uint64_t> left;
  for (const auto& e : system) left.push_back(e.place);
  for (;;) {
    std::vector<unsigned> degree(cells);
    for (const auto place : left)
      for (const auto at : graph.cells(place)) ++degree[at];
    const auto alone = [&](std::uint64_t place) {
      const auto& touched = graph.cells(place);
      return std::any_of(touched.begin(), touched.end(),
                         [&](std::uint64_t at) { return degree[at] == 1; });
    };
    if (std::erase_if(left, alone) == 0) return left.size();
  }
}

// Reference 2: Gaussian elimination over GF(2), up to 64 cells: the rank of the system, or none if
// it has no solution.
template <class Graph>
[[nodiscard]] std::optional<std::size_t> dense_rank(const Graph& graph,
                                                    std::span<const equation> system) {
  struct dense_row {
    std::uint64_t cells, value;
  };
  std::vector<dense_row> pivots;
  for (const auto& [place, value] : system) {
    dense_row row{0, value};
    for (const std::uint64_t at : graph.cells(place)) row.cells ^= std::uint64_t{1} << at;
    for (const auto& pivot : pivots)
      if ((row.cells & std::bit_floor(pivot.cells)) != 0)
        row.cells ^= pivot.cells, row.value ^= pivot.value;
    if (row.cells != 0)
      pivots.push_back(row);
    else if (row.value != 0)
      return std::nullopt;
  }
  return pivots.size();
}

}  // namespace fuse_test
