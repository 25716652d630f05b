// lazy.hpp - systems of XOR equations with few unknowns each: peeling, then elimination of as little as can be.
// Idea       Peeling leaves a core in which every unknown has two equations or more. All its unknowns are *idle* at first.
//            An equation with one idle unknown left *solves* it: the unknown is known once the others are. If there is no
//            such equation, the idle unknown with the most equations becomes *active*, which is to say that its value is
//            asked of a dense system later. An equation without idle unknowns goes into that system. Few become active
//            (one in fifteen at three unknowns per equation), so the dense system is small.
// Layout     Which unknown takes which part follows from counts alone, so that is settled first. Then the number of active
//            ones is known, and in a second pass every equation becomes a bit row over them and a word of right side: its
//            active unknowns, plus the rows of the equations that solve its others, which come earlier.
// Invariant  The solution depends on the equations and on their order: callers have one order for a set of keys.
// Threads    One for each object; memory is kept from one system to the next.
// Source     [GOV20].
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <umbel/base/config.hpp>
#include <umbel/solve/dense.hpp>
#include <umbel/solve/peel.hpp>
#include <umbel/solve/row.hpp>

namespace umbel::solve {

// The core: lazy elimination alone, for any system.
class lazy_system {
 public:
  // Starts anew.
  void reset(std::size_t unknowns);
  // An equation: the XOR of these unknowns, each named once, is `right`. There may be none.
  template <class Unknowns>
  void add(const Unknowns& unknowns, std::uint64_t right) {
    for (const std::uint64_t u : unknowns) members_.push_back(static_cast<std::uint32_t>(u));
    ends_.push_back(static_cast<std::uint32_t>(members_.size()));
    rights_.push_back(right);
  }
  // Writes every unknown named above to `out`, which starts at zero. False: the equations contradict each other.
  [[nodiscard]] bool solve(std::span<std::uint64_t> out);

  [[nodiscard]] std::size_t equations() const noexcept { return rights_.size(); }
  [[nodiscard]] std::size_t active() const noexcept { return active_.size(); }  // of the last solve

 private:
  static constexpr std::uint32_t idle = ~std::uint32_t{0};
  struct step {
    std::uint32_t equation;
    std::uint32_t solves;  // an unknown; `idle`: none, the equation goes into the dense system
  };
  [[nodiscard]] std::span<const std::uint32_t> members(std::size_t equation) const noexcept {
    const std::size_t first = equation == 0 ? 0 : ends_[equation - 1];
    return {members_.data() + first, ends_[equation] - first};
  }
  [[nodiscard]] std::span<const std::uint32_t> equations_of(std::size_t unknown) const noexcept {
    return {incident_.data() + begins_[unknown], begins_[unknown + 1] - begins_[unknown]};
  }
  void index_unknowns();
  void settle_order();
  void leave_idle(std::size_t unknown, std::uint32_t part);
  [[nodiscard]] bool eliminate();
  void substitute(std::span<std::uint64_t> out);

  std::size_t unknowns_ = 0;
  std::vector<std::uint32_t> members_, ends_;  // of equations, one after another
  std::vector<std::uint64_t> rights_;
  std::vector<std::uint32_t> begins_, incident_;  // the equations of each unknown
  std::vector<std::uint32_t> heaviest_;           // unknowns by number of equations
  std::vector<std::uint32_t> left_;               // idle unknowns of each equation
  std::vector<std::uint32_t> ready_;              // equations with one or none, in the order they became so
  std::vector<std::uint32_t> part_;               // of an unknown: idle, its active number, or where its row is
  std::vector<std::uint32_t> active_;             // unknowns
  std::vector<bool> is_active_;
  std::vector<step> steps_;
  std::vector<std::uint64_t> rows_, values_;
  dense_system dense_;
};

// Peeling, and lazy elimination of what it leaves.
class sparse_solver {
 public:
  // Solves for all cells of the graph; false if there is no solution. Rows keep their order, and only that of the core
  // matters.
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
  [[nodiscard]] const lazy_system& core() const noexcept { return core_; }  // of the last solve that needed it

  // What assign() sees.
  [[nodiscard]] std::uint64_t get(std::uint64_t i) const noexcept { return cells_[i]; }
  void set(std::uint64_t i, std::uint64_t value) noexcept { cells_[i] = value; }

 private:
  template <class Graph>
  [[nodiscard]] bool solve_core(const Graph& graph, std::span<const wide_row> rows) {
    core_.reset(graph.size());
    for (const wide_row& row : rows) {
      const auto touched = graph.cells(row.place(0));
      // A removed row left the cell it was alone in empty; those of a row that stayed are all taken.
      const bool stayed =
          std::all_of(touched.begin(), touched.end(), [&](auto cell) { return sums_[cell].token != 0; });
      if (stayed) core_.add(touched, row.value(0));
    }
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
