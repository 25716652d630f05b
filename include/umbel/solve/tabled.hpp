// tabled.hpp - systems of at most five equations whose rows are looked up, many of them solved in
// one pass.
// Idea       Where a row is a fixed vector of its key's id, a system is a set of ids. Its inverse
//            is computed at the first asking and kept. Systems wait until they can be sorted by
//            their set; then one inverse serves all that share it, 64 at a time, and the compiler
//            adds whole vectors of their right sides.
// Layout     A set is a mask of ids; the table of sets of k ids is indexed by their number among
//            all such sets, so it has at most (25 choose k) entries. Column i of an inverse, 5
//            bits, says which unknowns the i-th right side is added to, equations in the order of
//            their ids.
// Limits     [Por09] packs one bit of 64 systems into a word. Here a lane is a whole right side of
//            up to 64 bits: as many additions, and nothing to transpose.
// Threads    One.
// Source     [Por09] sections 4 and 5.
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
    std::uint64_t where;  // as the caller gave it
    std::array<std::uint64_t, most> values;
    std::uint32_t set;
  };

  // Whether the rows of these ids are independent.
  [[nodiscard]] bool is_regular(std::uint32_t set) { return inverse(set) != singular; }
  // A system of independent rows; right sides in the order of the ids.
  void add(std::uint32_t set, std::span<const std::uint64_t> rights, std::uint64_t where);
  // Solves all that were added since the last time.
  [[nodiscard]] std::span<const solved> solve();
  void clear() noexcept { waiting_.clear(); }

  [[nodiscard]] std::uint32_t inverse(std::uint32_t set);
  // sets of this size looked at
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
