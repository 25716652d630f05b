// peel.hpp - the one peeling loop: solves sparse XOR systems whose rows touch few cells.
// Idea       A cell touched by one row can be set last, to whatever that row needs. Remove the row, look for the next
//            such cell; if every row goes, set the cells in reverse order of removal.
// Invariant  The sums, the order of removal and the solution depend on the set of rows alone, never on input order:
//            additions commute and cells are visited in index order.
// Limits     Sees rows and places, never keys. Equal rows never peel: callers look for duplicates after a failure.
// Source     [GL22] for the sums; [CKRT04] sec. 3 for the greedy matching it computes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <umbel/solve/row.hpp>

namespace umbel::solve {

// Adds rows into the cells they touch; false if a cell got crowded.
template <class Graph, class Row>
[[nodiscard]] bool pile(const Graph& graph, unsigned value_bits, std::span<const Row> rows,
                        std::span<Row> cells) noexcept {
  std::uint64_t seen = 0;
  for (const Row& row : rows) {
    for (const std::uint64_t at : graph.cells(row.place(value_bits))) {
      cells[at] += row;
      seen |= cells[at].token;
    }
  }
  return (seen & crowded) == 0;  // a count passes through 128 before it can wrap
}

// Removes rows until none is alone in a cell. Writes them to `order`, the probe that was alone in place of the count.
// Returns how many were removed; `order` has room for all rows, `cells` are left in pieces.
template <class Graph, class Row>
[[nodiscard]] std::size_t peel(const Graph& graph, unsigned value_bits, std::span<Row> cells, std::span<Row> order,
                               std::vector<std::uint32_t>& stack) {
  constexpr std::uint64_t count_mask = (std::uint64_t{1} << count_bits) - 1;
  std::size_t removed = 0;
  for (std::size_t first = 0; first < cells.size(); ++first) {
    if ((cells[first].token & count_mask) != 1) continue;
    if (stack.size() < 64) stack.resize(64);
    stack[0] = static_cast<std::uint32_t>(first);
    for (std::size_t top = 1; top > 0;) {
      const std::uint64_t at = stack[--top];
      Row row = cells[at];
      if ((row.token & count_mask) != 1) continue;
      if (removed == order.size()) return removed + 1;  // more rows than were given: damaged sums
      if (top + Graph::arity > stack.size()) stack.resize(2 * stack.size());
      const auto touched = graph.cells(row.place(value_bits));
      std::uint64_t probe = 0;
      for (unsigned i = 0; i < Graph::arity; ++i) {
        cells[touched[i]] -= row;
        stack[top] = static_cast<std::uint32_t>(touched[i]);
        top += (cells[touched[i]].token & count_mask) == 1;
        probe = touched[i] == at ? i : probe;
      }
      row.token ^= 1 ^ probe;
      order[removed++] = row;
    }
  }
  return removed;
}

// Sets the cells so that every removed row comes out right. `Cells` has get(i) and set(i, value), and starts at zero.
template <class Graph, class Row, class Cells>
void assign(const Graph& graph, unsigned value_bits, std::span<const Row> order, Cells&& cells) noexcept {
  for (std::size_t i = order.size(); i-- > 0;) {
    const Row& row = order[i];
    const auto touched = graph.cells(row.place(value_bits));
    std::uint64_t value = row.value(value_bits);
    for (const std::uint64_t at : touched) value ^= cells.get(at);  // the cell itself is still zero
    cells.set(touched[row.token & 3], value);
  }
}

}  // namespace umbel::solve
