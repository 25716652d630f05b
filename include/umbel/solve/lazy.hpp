// lazy.hpp - sparse linear systems over GF(2), solved by peeling and then lazy Gaussian elimination
// of the core [GOV20].
//
// Peeling leaves a core in which every unknown occurs in at least two equations. lazy_order.hpp
// decides which unknown of the core each equation solves, and which few unknowns are active and go
// to a dense system.
//
// Layout     The order depends on counts alone and is settled first, so the number of active
//            unknowns is known. A second pass turns every equation into a bit row over the active
//            unknowns and a word of right side. It is the sum of the equation's active unknowns and
//            of the rows that solve its other unknowns; those rows come earlier.
// Invariant  The solution depends on the equations and on their order. Callers use one fixed order
//            for a set of keys.
// Threads    One per object. Memory is kept from one system to the next.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <umbel/base/config.hpp>
#include <umbel/solve/dense.hpp>
#include <umbel/solve/lazy_order.hpp>
#include <umbel/solve/peel.hpp>
#include <umbel/solve/row.hpp>

namespace umbel::solve {

// The core alone: lazy Gaussian elimination of any system.
class lazy_system {
 public:
  // Clears the system.
  void reset(std::size_t unknowns);
  // Adds an equation: the XOR of these unknowns, each named once, is `right`. The list may be
  // empty.
  template <class Unknowns>
  void add(const Unknowns& unknowns, std::uint64_t right) {
    order_.add(unknowns);
    rights_.push_back(right);
  }
  // Writes every unknown named above to `out`, which must start as zeros. Returns false if
  // equations contradict each other.
  [[nodiscard]] bool solve(std::span<std::uint64_t> out);

  [[nodiscard]] std::size_t equations() const noexcept { return rights_.size(); }
  // of the last solve()
  [[nodiscard]] std::size_t active() const noexcept { return order_.active().size(); }

 private:
  [[nodiscard]] bool eliminate();
  void substitute(std::span<std::uint64_t> out);

  lazy_order<std::uint32_t> order_;
  std::vector<std::uint64_t> rights_, rows_, values_;
  dense_system dense_;
};

// Peeling, then lazy Gaussian elimination of the core.
class sparse_solver {
 public:
  // Solves for all cells of the graph; returns false if there is no solution. Rows keep their
  // order, and only the order of the core's rows matters.
  template <class Graph>
  [[nodiscard]] bool solve(const Graph& graph, std::span<const wide_row> rows) {
    cells_.assign(graph.size(), 0);
    sums_.assign(graph.size(), {});
    peeled_.resize(rows.size());
    if (!pile(graph, 0, rows, std::span(sums_))) return false;
    const std::size_t removed = peel(graph, 0, std::span(sums_), std::span(peeled_));
    if (removed < rows.size() && !solve_core(graph, rows)) return false;
    assign(graph, 0, std::span<const wide_row>(peeled_).first(removed), *this);
    return true;
  }
  [[nodiscard]] std::span<const std::uint64_t> cells() const noexcept { return cells_; }
  // of the last solve() that needed it
  [[nodiscard]] const lazy_system& core() const noexcept { return core_; }

  // For assign():
  [[nodiscard]] std::uint64_t get(std::uint64_t i) const noexcept { return cells_[i]; }
  void set(std::uint64_t i, std::uint64_t value) noexcept { cells_[i] = value; }

 private:
  template <class Graph>
  [[nodiscard]] bool solve_core(const Graph& graph, std::span<const wide_row> rows) {
    core_.reset(graph.size());
    for_each_left(
        graph, 0, rows, std::span<const wide_row>(sums_),
        [&](const wide_row& row, const auto& touched) { core_.add(touched, row.value(0)); });
    return core_.solve(cells_);
  }

  std::vector<std::uint64_t> cells_;
  std::vector<wide_row> sums_, peeled_;
  lazy_system core_;
};

}  // namespace umbel::solve

#if UMBEL_WITH_BODIES
#include <umbel/solve/lazy.ipp>
#endif
