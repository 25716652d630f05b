// four_russians.ipp - bodies of four_russians.hpp.
#pragma once

#include <algorithm>
#include <bit>

#include <umbel/base/integers.hpp>
#include <umbel/solve/four_russians.hpp>

namespace umbel::solve {

UMBEL_INLINE void four_russians::reset(std::size_t rows, std::size_t unknowns) {
  count_ = rows;
  unknowns_ = unknowns;
  words_ = detail::ceil_div(unknowns, 64);
  stride_ = detail::ceil_div(words_ + 1, line_words) * line_words;
  rank_ = 0;
  rows_ = buffer(rows * stride_ * sizeof(std::uint64_t));
  pivots_ = buffer(rows * sizeof(std::uint64_t));
  sums_ = buffer::raw((stride_ << panel_bits) * sizeof(std::uint64_t));
}

// Adds whole cache lines, so the compiler needs no code for the ends.
UMBEL_INLINE void four_russians::add(std::uint64_t* to, const std::uint64_t* from,
                                     std::size_t first) const noexcept {
  using line = std::uint64_t __attribute__((vector_size(buffer::line), may_alias));
  for (std::size_t i = first; i < stride_; i += line_words)
    *reinterpret_cast<line*>(to + i) ^= *reinterpret_cast<const line*>(from + i);
}

// Finds up to eight pivots in one byte of columns. A candidate row is reduced by the panel's
// earlier pivots in its byte only; a chosen row is reduced in full. Returns a byte with the pivots'
// bits set.
UMBEL_INLINE unsigned four_russians::settle_pivots(std::size_t panel) {
  const std::size_t first = line_of(panel), first_row = rank_;
  unsigned pivots = 0;
  unsigned owner[panel_bits] = {};    // for a pivot bit: its row, counted from first_row
  unsigned byte_of[panel_bits] = {};  // the byte of that row in the panel
  for (unsigned bit = 0; bit < panel_bits && panel * panel_bits + bit < unknowns_; ++bit) {
    const auto reduced = [&](std::size_t i) {
      unsigned byte = panel_of(i, panel);
      for (unsigned left = byte & pivots; left != 0; left &= left - 1)
        byte ^= byte_of[std::countr_zero(left)];
      return byte;
    };
    std::size_t i = rank_;
    while (i < count_ && (reduced(i) >> bit & 1) == 0) ++i;
    if (i == count_) continue;
    std::uint64_t* const chosen = row(i);
    for (unsigned left = panel_of(i, panel) & pivots; left != 0; left &= left - 1)
      add(chosen, row(first_row + owner[std::countr_zero(left)]), first);
    if (i != rank_) std::swap_ranges(chosen, chosen + stride_, row(rank_));
    const unsigned byte = panel_of(rank_, panel);
    for (unsigned left = pivots; left != 0; left &= left - 1) {
      const auto other = static_cast<unsigned>(std::countr_zero(left));
      if ((byte_of[other] >> bit & 1) == 0) continue;
      add(row(first_row + owner[other]), row(rank_), first);
      byte_of[other] ^= byte;
    }
    owner[bit] = static_cast<unsigned>(rank_ - first_row);
    byte_of[bit] = byte;
    pivots |= 1U << bit;
    reinterpret_cast<std::uint64_t*>(pivots_.data())[rank_++] = panel * panel_bits + bit;
  }
  return pivots;
}

UMBEL_INLINE void four_russians::eliminate_below(std::size_t panel, unsigned pivots,
                                                 std::size_t first_row) {
  const std::size_t first = line_of(panel);
  auto* const sums = reinterpret_cast<std::uint64_t*>(sums_.data());
  std::fill_n(sums, stride_, 0);
  // Pivot rows are ordered by their bits, so the sums of the first k pivots exist when the next
  // pivot comes.
  std::size_t next = first_row;
  for (unsigned bit = 0; bit < panel_bits; ++bit) {
    if ((pivots >> bit & 1) == 0) continue;
    const unsigned below = pivots & ((1U << bit) - 1);
    for (unsigned sum = below;; sum = (sum - 1) & below) {
      const std::uint64_t* const from = sums + sum * stride_;
      std::copy(from + first, from + stride_, sums + (sum | 1U << bit) * stride_ + first);
      add(sums + (sum | 1U << bit) * stride_, row(next), first);
      if (sum == 0) break;
    }
    ++next;
  }
  for (std::size_t i = next; i < count_; ++i)
    if (const unsigned which = panel_of(i, panel) & pivots; which != 0)
      add(row(i), sums + which * stride_, first);
}

UMBEL_INLINE bool four_russians::solve(std::span<std::uint64_t> out) {
  for (std::size_t panel = 0; panel * panel_bits < unknowns_ && rank_ < count_; ++panel) {
    const std::size_t first_row = rank_;
    if (const unsigned pivots = settle_pivots(panel); pivots != 0)
      eliminate_below(panel, pivots, first_row);
  }
  for (std::size_t i = rank_; i < count_; ++i)  // their coefficients are all zero now
    if (right(i) != 0) return false;
  std::fill_n(out.begin(), unknowns_, 0);
  for (std::size_t i = rank_; i-- > 0;) {
    const std::uint64_t pivot = reinterpret_cast<const std::uint64_t*>(pivots_.data())[i];
    std::uint64_t value = right(i);
    for (std::size_t word = pivot / 64; word < words_; ++word)
      for (std::uint64_t left = row(i)[word]; left != 0; left &= left - 1)
        value ^= out[64 * word + static_cast<unsigned>(std::countr_zero(left))];
    out[pivot] = value;  // its own coefficient contributed 0
  }
  return true;
}

}  // namespace umbel::solve
