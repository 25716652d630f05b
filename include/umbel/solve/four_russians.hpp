// four_russians.hpp - large dense systems over GF(2), solved by the method of four Russians
// [ABH10].
//
// Eight pivot rows have 256 sums. With a table of them, one addition clears eight unknowns of any
// other row; one byte of the row selects the sum. Plain elimination needs four additions on
// average.
//
// Layout     A row is its coefficients, 64 to a word, then one word of right side, then zeros up to
//            a whole cache line. A panel is one byte of the coefficients. The pivot rows of a panel
//            are reduced by each other. So the byte of a row, masked to the pivots, is the index of
//            the sum it needs.
// Invariant  Pivots and solution equal those of dense_system: the leading unknowns depend only on
//            the row space, and free unknowns are 0. The order of rows does not matter.
// Limits     n^3 / 1536 word additions, of which a vector unit does four at once. Faster than
//            dense_system from about 500 unknowns on. Memory: all rows, n^2 / 8 bytes.
// Threads    One.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <umbel/base/buffer.hpp>
#include <umbel/base/config.hpp>

namespace umbel::solve {

class four_russians {
 public:
  // Clears the system; all rows become zero.
  void reset(std::size_t rows, std::size_t unknowns);
  [[nodiscard]] std::size_t unknowns() const noexcept { return unknowns_; }
  [[nodiscard]] std::size_t rank() const noexcept { return rank_; }

  // Row i, for the caller to fill in: unknown u is bit u % 64 of word u / 64.
  [[nodiscard]] std::span<std::uint64_t> coefficients(std::size_t i) noexcept {
    return {row(i), words_};
  }
  [[nodiscard]] std::uint64_t& right(std::size_t i) noexcept { return row(i)[words_]; }

  // Solves the system and overwrites its rows: one word per unknown. Returns false if equations
  // contradict each other.
  [[nodiscard]] bool solve(std::span<std::uint64_t> out);

 private:
  static constexpr std::size_t panel_bits = 8;
  static constexpr std::size_t line_words = buffer::line / sizeof(std::uint64_t);

  [[nodiscard]] std::uint64_t* row(std::size_t i) noexcept {
    return reinterpret_cast<std::uint64_t*>(rows_.data()) + i * stride_;
  }
  [[nodiscard]] unsigned panel_of(std::size_t i, std::size_t panel) noexcept {
    return static_cast<unsigned>(row(i)[panel / 8] >> (panel % 8 * 8) & 0xFF);
  }
  // Rows are added from the cache line of this panel on; before it they are zero.
  [[nodiscard]] static std::size_t line_of(std::size_t panel) noexcept {
    return panel / 8 / line_words * line_words;
  }
  void add(std::uint64_t* to, const std::uint64_t* from, std::size_t first) const noexcept;

  [[nodiscard]] unsigned settle_pivots(std::size_t panel);
  void eliminate_below(std::size_t panel, unsigned pivots, std::size_t first_row);

  std::size_t count_ = 0, unknowns_ = 0, words_ = 0, stride_ = 0, rank_ = 0;
  buffer rows_, sums_;
  buffer pivots_;  // for row i < rank: its pivot
};

}  // namespace umbel::solve

#if UMBEL_WITH_BODIES
#include <umbel/solve/four_russians.ipp>
#endif
