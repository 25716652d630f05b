// dense.hpp - dense linear systems over GF(2), solved by incremental Gaussian elimination.
//
// Each stored equation has a pivot: its lowest unknown, which is the pivot of no other stored
// equation. A new equation is reduced by the stored ones from its lowest unknown up. What remains
// is stored under its own pivot. If nothing remains, the equation follows from the earlier ones or
// contradicts them. A right side is one word, so one elimination serves all bit planes.
//
// Layout     A row is its coefficients, 64 to a word, then one word of right side.
// Invariant  The set of pivots and the solution, with free unknowns 0, depend only on the set of
//            equations.
// Limits     n^2 / 2 row additions. The method of four Russians (four_russians.hpp) does not pay at
//            a few hundred unknowns.
// Threads    One.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <umbel/base/config.hpp>

namespace umbel::solve {

// a ^= b, word by word; both have the same length.
inline void add_row(std::span<std::uint64_t> a, std::span<const std::uint64_t> b) noexcept {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] ^= b[i];
}

class dense_system {
 public:
  // Clears the system and keeps its memory.
  void reset(std::size_t unknowns);
  [[nodiscard]] std::size_t unknowns() const noexcept { return has_pivot_.size(); }
  [[nodiscard]] std::size_t row_words() const noexcept {
    return unknowns() / 64 + (unknowns() % 64 != 0) + 1;
  }
  [[nodiscard]] std::size_t rank() const noexcept { return rank_; }

  // Adds an equation of row_words() words and overwrites it. Returns false if it contradicts the
  // earlier equations.
  [[nodiscard]] bool add(std::span<std::uint64_t> row) noexcept;
  // Back-substitution: writes one word per unknown.
  void solve(std::span<std::uint64_t> out) const noexcept;

 private:
  [[nodiscard]] std::size_t at(std::size_t pivot) const noexcept { return pivot * row_words(); }

  std::vector<bool> has_pivot_;
  std::vector<std::uint64_t> rows_;  // indexed by pivot
  std::size_t rank_ = 0;
};

}  // namespace umbel::solve

#if UMBEL_WITH_BODIES
#include <umbel/solve/dense.ipp>
#endif
