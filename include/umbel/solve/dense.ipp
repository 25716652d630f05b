// dense.ipp - bodies of dense.hpp.
#pragma once

#include <algorithm>
#include <bit>

#include <umbel/solve/dense.hpp>

namespace umbel::solve {

UMBEL_INLINE void dense_system::reset(std::size_t unknowns) {
  has_pivot_.assign(unknowns, false);
  rank_ = 0;
  if (rows_.size() < at(unknowns)) rows_.resize(at(unknowns));
}

UMBEL_INLINE bool dense_system::add(std::span<std::uint64_t> row) noexcept {
  for (std::size_t word = 0; word + 1 < row.size(); ++word) {
    while (row[word] != 0) {
      const std::size_t pivot = 64 * word + static_cast<unsigned>(std::countr_zero(row[word]));
      const std::span stored(rows_.data() + at(pivot), row.size());
      if (!has_pivot_[pivot]) {
        std::copy(row.begin(), row.end(), stored.begin());
        has_pivot_[pivot] = true;
        ++rank_;
        return true;
      }
      add_row(row.subspan(word), stored.subspan(word));  // a stored row is zero before its pivot
    }
  }
  return row.back() == 0;
}

UMBEL_INLINE void dense_system::solve(std::span<std::uint64_t> out) const noexcept {
  const std::size_t words = row_words();
  for (std::size_t pivot = unknowns(); pivot-- > 0;) {
    out[pivot] = 0;  // so that its own coefficient contributes nothing
    if (!has_pivot_[pivot]) continue;
    const std::uint64_t* const row = rows_.data() + at(pivot);
    std::uint64_t value = row[words - 1];
    for (std::size_t word = pivot / 64; word + 1 < words; ++word)
      for (std::uint64_t left = row[word]; left != 0; left &= left - 1)
        value ^= out[64 * word + static_cast<unsigned>(std::countr_zero(left))];
    out[pivot] = value;
  }
}

}  // namespace umbel::solve
