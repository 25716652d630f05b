// tabled.hpp - systems of at most five equations, solved by tabulated inverses [Por09].
//
// Each row is a fixed vector given by the key's id (dense_rows.hpp), so a system is a set of ids.
// The inverse of a set is computed at first use and kept. Systems are collected and sorted by their
// set. One inverse then solves all systems of a set, 64 at a time, and the compiler vectorizes the
// additions of their right sides.
//
// Layout     A set is a mask of ids. The table for sets of k ids is indexed by the set's rank among
//            all such sets, so it has at most (25 choose k) entries. Column i of an inverse, 5
//            bits, says to which unknowns the i-th right side is added. Equations are in the order
//            of their ids.
// Threads    One.
// Source     [Por09] sections 4 and 5.
// Differs    [Por09] packs one bit of 64 systems into a word. Here a lane is a whole right side of
//            up to 64 bits: the same number of additions, and no transposition.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <umbel/base/config.hpp>
#include <umbel/solve/dense_rows.hpp>

namespace umbel::solve {

class tabled_systems {
 public:
  static constexpr unsigned most = solve::dense_rows::max_tabled;
  struct solved {
    std::uint64_t where;  // the caller's tag
    std::array<std::uint64_t, most> values;
    std::uint32_t set;
  };

  // Whether the rows of these ids are independent.
  [[nodiscard]] bool is_regular(std::uint32_t set) { return inverse(set) != singular; }
  // Adds a system of independent rows; right sides in the order of the ids.
  void add(std::uint32_t set, std::span<const std::uint64_t> rights, std::uint64_t where);
  // Solves all systems added since the last clear().
  [[nodiscard]] std::span<const solved> solve();
  void clear() noexcept { waiting_.clear(); }

  [[nodiscard]] std::uint32_t inverse(std::uint32_t set);
  // number of sets of this size whose inverse was computed
  [[nodiscard]] std::size_t known(unsigned size) const noexcept { return known_[size]; }

  static constexpr std::uint32_t singular = 0;

 private:
  static constexpr std::uint32_t unknown = ~std::uint32_t{0};
  static constexpr std::size_t lanes = 64;

  std::array<std::vector<std::uint32_t>, most + 1> inverses_;
  std::array<std::size_t, most + 1> known_{};
  std::vector<solved> waiting_;
};

}  // namespace umbel::solve

#if UMBEL_WITH_BODIES
#include <umbel/solve/tabled.ipp>
#endif
