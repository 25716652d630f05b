// dense.hpp - systems of XOR equations whose coefficients are bit rows, solved as the equations
// arrive.
// Idea       Every stored equation has a pivot, its lowest unknown, that no other stored one has. A
//            new equation is freed of pivots from the low end up; what is left is stored under its
//            own, or is nothing: then it follows from those before it, or contradicts them. Right
//            sides are whole words: one elimination for all bit planes.
// Layout     A row is its coefficients, 64 to a word, and then one word of right side.
// Invariant  Which unknowns are pivots and the solution, free unknowns being 0, depend on the set
//            of equations alone.
// Limits     n^2 / 2 additions of rows. Tables of row sums (the four Russians) do not pay at a few
//            hundred unknowns.
// Threads    One.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <umbel/base/config.hpp>

namespace umbel::solve {

// a ^= b, row by row; the same length.
inline void add_row(std::span<std::uint64_t> a, std::span<const std::uint64_t> b) noexcept {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] ^= b[i];
}

class dense_system {
 public:
  // Starts anew; memory is kept.
  void reset(std::size_t unknowns);
  [[nodiscard]] std::size_t unknowns() const noexcept { return has_pivot_.size(); }
  [[nodiscard]] std::size_t row_words() const noexcept {
    return unknowns() / 64 + (unknowns() % 64 != 0) + 1;
  }
  [[nodiscard]] std::size_t rank() const noexcept { return rank_; }

  // Takes in an equation of row_words() words, which is used up. False: it contradicts those
  // before.
  [[nodiscard]] bool add(std::span<std::uint64_t> row) noexcept;
  // One word for each unknown.
  void solve(std::span<std::uint64_t> out) const noexcept;

 private:
  [[nodiscard]] std::size_t at(std::size_t pivot) const noexcept { return pivot * row_words(); }

  std::vector<bool> has_pivot_;
  std::vector<std::uint64_t> rows_;  // by pivot
  std::size_t rank_ = 0;
};

}  // namespace umbel::solve

#if UMBEL_WITH_BODIES
#include <umbel/solve/dense.ipp>
#endif
