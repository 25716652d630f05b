// own_cells.hpp - a cell for each row alone, and numbers in the cells that say which of a row's
// cells it is.
// Idea       Rows that peel own the cell they were alone in. Of the core, elimination modulo 3
//            picks cells, one for each row, such that its equations in these alone have one
//            solution whatever they shall add up to. So every row can be given one of them that it
//            touches: were there no such matching, all terms of the determinant were zero. Now what
//            the rows shall add up to is known, the number of the own cell among the row's, and the
//            equations are solved.
// Layout     Cells of 0 to 3: 0 that nobody owns; the owned hold 1, 2 or 3, which counts as 0.
// Invariant  The cells depend on the rows and on their order: callers have one order for a set of
//            keys.
// Limits     Graphs of three cells per row. Rows that depend on each other modulo 3 have no
//            solution: one system of seven at 1500 rows and 1.10 cells for each.
// Threads    One for each object; memory is kept from one system to the next.
// Source     [GOV20], who give the cells away first and draw again if the equations in these alone
//            are dependent. That leaves four systems of ten (doc/theory/perfect.md).
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

// so that only who builds compiles it
template <class Graph, class Row = slim_row, class Unknown = std::uint32_t>
class own_cells {
 public:
  // False if there is no solution.
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

  // What assign_thirds() sees.
  [[nodiscard]] std::uint64_t get(std::uint64_t i) const noexcept { return cells_[i]; }
  void set(std::uint64_t i, std::uint64_t value) noexcept {
    cells_[i] = static_cast<Unknown>(value == 0 ? 3 : value);
  }

 private:
  static constexpr Unknown none = ~Unknown{0};  // as lazy_order has it

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

  // An equation that solves a cell gets it; those of the dense system get theirs along chains of
  // others that move on.
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
  // The shortest chain: equations that would have to move, the nearest first, until one has a cell
  // that nobody owns.
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
  std::vector<Unknown> own_, owner_;  // of equations, and of cells
  // of a search: equations, cells, and which led to a cell
  std::vector<Unknown> chain_, reached_, from_;
};

}  // namespace umbel::solve
