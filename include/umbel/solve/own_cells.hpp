// own_cells.hpp - BDZ-style minimal perfect hashing on 1.10 cells per key [BPZ07], [GOV20]: assigns
// each row one of its three cells.
//
// The cells hold numbers modulo 3. Their sum over a row's cells tells which of the three is the
// row's own. A row that peels gets the cell in which it was alone. For the core, elimination over
// GF(3) (thirds.hpp) picks one cell per row such that the equations in these cells have one
// solution for any right sides. A matching then gives each row one of the picked cells that it
// touches. It exists: without it, every term of the determinant would be zero. The right side of a
// row is the index of its own cell among its three, and the equations are solved.
//
// Layout     Cells hold 0 to 3. 0 marks a cell that no row owns. Owned cells hold 1, 2 or 3; 3
//            counts as 0.
// Invariant  The cells depend on the rows and on their order. Callers use one fixed order for a set
//            of keys.
// Limits     Graphs of three cells per row. Rows that are dependent modulo 3 have no solution: one
//            system in seven at 1500 rows and 1.10 cells per row.
// Threads    One per object. Memory is kept from one system to the next.
// Differs    [GOV20] match first and draw a new seed if the equations in the matched cells are
//            dependent. That succeeds for four systems in ten only (doc/theory/perfect.md).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <umbel/solve/peel.hpp>
#include <umbel/solve/row.hpp>
#include <umbel/solve/thirds.hpp>

namespace umbel::solve {

// A template, so that only builders compile it.
template <class Graph, class Row = slim_row, class Unknown = std::uint32_t>
class own_cells {
 public:
  // Returns false if there is no solution.
  [[nodiscard]] bool solve(const Graph& graph, std::span<const Row> rows) {
    cells_.assign(graph.size(), 0);
    sums_.assign(graph.size(), {});
    peeled_.resize(rows.size());
    if (!pile(graph, 0, rows, std::span(sums_))) return false;
    const std::size_t removed = peel(graph, 0, std::span(sums_), std::span(peeled_));
    if (removed < rows.size() && !solve_core(graph, rows)) return false;
    assign_thirds(graph, 0, std::span<const Row>(peeled_).first(removed), *this);
    return true;
  }
  [[nodiscard]] std::span<const Unknown> cells() const noexcept { return cells_; }

  // For assign_thirds():
  [[nodiscard]] std::uint64_t get(std::uint64_t i) const noexcept { return cells_[i]; }
  void set(std::uint64_t i, std::uint64_t value) noexcept {
    cells_[i] = static_cast<Unknown>(value == 0 ? 3 : value);
  }

 private:
  static constexpr Unknown none = ~Unknown{0};  // equal to lazy_order::idle

  [[nodiscard]] bool solve_core(const Graph& graph, std::span<const Row> rows) {
    core_.reset(graph.size());
    for_each_left(graph, 0, rows, std::span<const Row>(sums_),
                  [&](const Row&, const auto& touched) { core_.add(touched); });
    if (!core_.reduce()) return false;
    give_away();
    rights_.resize(own_.size());
    for (std::size_t e = 0; e < own_.size(); ++e) {
      const auto touched = core_.order().members(e);
      rights_[e] = static_cast<Unknown>(std::find(touched.begin(), touched.end(), own_[e]) -
                                        touched.begin());
    }
    core_.solve(rights_, cells_);
    for (const Unknown cell : own_) set(cell, cells_[cell]);
    return true;
  }

  // An equation that solves a cell owns it. The equations of the dense system get cells by
  // augmenting paths.
  void give_away() {
    own_.assign(core_.order().equations(), none);
    owner_.assign(cells_.size(), none);
    from_.assign(cells_.size(), none);
    for (const auto& s : core_.order().steps())
      if (s.solves != none) own(s.equation, s.solves);
    for (const auto& s : core_.order().steps())
      if (s.solves == none) find_cell(s.equation);
  }
  void own(Unknown equation, Unknown cell) noexcept {
    own_[equation] = cell;
    owner_[cell] = equation;
  }
  // Finds the shortest augmenting path by breadth-first search: the equations that would have to
  // move, nearest first, up to a cell without owner.
  void find_cell(Unknown first) {
    chain_.assign(1, first);
    reached_.clear();
    for (std::size_t next = 0; next < chain_.size(); ++next) {
      for (const Unknown cell : core_.order().members(chain_[next])) {
        if (from_[cell] != none || core_.is_free(cell)) continue;
        from_[cell] = chain_[next];
        reached_.push_back(cell);
        if (owner_[cell] != none) {
          chain_.push_back(owner_[cell]);
          continue;
        }
        for (Unknown to = cell; to != none;) {
          const Unknown mover = from_[to];
          const Unknown left = own_[mover];
          own(mover, to);
          to = left;
        }
        for (const Unknown seen : reached_) from_[seen] = none;
        return;
      }
    }
  }

  std::vector<Unknown> cells_, rights_;
  std::vector<Row> sums_, peeled_;
  thirds_system<Unknown> core_;
  std::vector<Unknown> own_, owner_;  // of equations; of cells
  // of the search: its equations, its cells, and the equation that led to each cell
  std::vector<Unknown> chain_, reached_, from_;
};

}  // namespace umbel::solve
