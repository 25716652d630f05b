// buckets.hpp - rows of a few small numbers each, compared with a number all at once.
// Idea       A row is one word. Its difference to a word that repeats a number has a zero where the number stands, and zeros
//            are found by arithmetic on the whole word: no loop, no slot's number, no branch.
// Layout     Row i occupies bits i*s*w .. of a little-endian bit string, slot j of it the w bits from j*w on; 0 is an empty
//            slot. A row is read with one unaligned load, of 8 bytes or of 16: one word of zeros follows the last row.
// Invariant  Bits past the last row are zero.
// Limits     s*w is at most 128, and even.
#pragma once

#include <bit>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <type_traits>
#include <utility>

#include <umbel/base/endian.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/base/prefetch.hpp>
#include <umbel/cells/words.hpp>

namespace umbel::cells {

class buckets {
 public:
  using narrow = std::uint64_t;
  using wide = detail::uint128;
  static constexpr unsigned most_row_bits = 128;

  buckets() = default;
  buckets(std::uint64_t rows, unsigned slots, unsigned width, std::pmr::memory_resource* memory = nullptr)
      : buckets(rows, slots, width, words<>(words_for(rows, slots, width), memory)) {}
  buckets(std::uint64_t rows, unsigned slots, unsigned width, words<> storage) noexcept
      : rows_(rows), slots_(slots), width_(width), row_bits_(slots * width), words_(std::move(storage)) {
    assert(row_bits_ <= most_row_bits && row_bits_ % 2 == 0 && words_.size() == words_for(rows, slots, width));
    for (unsigned j = 0; j < slots; ++j) ones_ |= wide{1} << (j * width);
    tops_ = ones_ << (width - 1);
    are_wide_ = row_bits_ + (row_bits_ % 8 == 0 ? 0 : 8 - (row_bits_ & -row_bits_)) > 64;
  }
  [[nodiscard]] static constexpr std::uint64_t words_for(std::uint64_t rows, unsigned slots, unsigned width) noexcept {
    return detail::ceil_div(rows * slots * width, 64) + 1;
  }
  // After loading: these words as rows of this shape, which they must fit exactly.
  void reshape(std::uint64_t rows, unsigned slots, unsigned width) {
    words_.require(words_for(rows, slots, width), rows * slots * width);
    *this = buckets(rows, slots, width, std::move(words_));
  }

  [[nodiscard]] std::uint64_t rows() const noexcept { return rows_; }
  [[nodiscard]] unsigned slots() const noexcept { return slots_; }
  [[nodiscard]] unsigned width() const noexcept { return width_; }
  // Whether rows, which may begin inside a byte, need more than 64 bits to be read.
  [[nodiscard]] bool are_wide() const noexcept { return are_wide_; }
  // Calls work with a zero of the word that rows of this shape are read into.
  template <class Work>
  [[gnu::always_inline]] decltype(auto) with_row(Work&& work) const {
    return are_wide() ? work(wide{}) : work(narrow{});
  }

  // The row, and above it what lies after it: the functions below do not look there.
  template <class Row>
  [[nodiscard]] Row load(std::uint64_t i) const noexcept {
    const std::uint64_t bit = i * row_bits_;
    Row row;
    std::memcpy(&row, bytes() + bit / 8, sizeof row);
    return row >> (bit % 8);
  }
  // Changes the bits of row i that are set in `change`.
  template <class Row>
  void flip(std::uint64_t i, Row change) noexcept {
    const std::uint64_t bit = i * row_bits_;
    unsigned char* const at = reinterpret_cast<unsigned char*>(words_.data()) + bit / 8;
    Row row;
    std::memcpy(&row, at, sizeof row);
    row ^= change << (bit % 8);
    std::memcpy(at, &row, sizeof row);
  }

  // The top bits of slots that are 0. The lowest set bit is right, and so is whether there is one; others may not be.
  template <class Row>
  [[nodiscard]] Row empty(Row row) const noexcept {
    return (row - static_cast<Row>(ones_)) & ~row & static_cast<Row>(tops_);
  }
  // The same of slots that hold `value`.
  template <class Row>
  [[nodiscard]] Row holding(Row row, std::uint64_t value) const noexcept {
    return empty<Row>(row ^ static_cast<Row>(ones_) * value);
  }
  // `value` moved to the slot whose top bit is the lowest set one.
  template <class Row>
  [[nodiscard]] Row in_slot(Row tops, std::uint64_t value) const noexcept {
    return Row{value} << (lowest(tops) + 1 - width_);
  }
  template <class Row>
  [[nodiscard]] std::uint64_t get(Row row, unsigned slot) const noexcept {
    return static_cast<std::uint64_t>(row >> (slot * width_)) & detail::low_mask(width_);
  }
  // How many slots are not empty, exactly.
  template <class Row>
  [[nodiscard]] unsigned taken(Row row) const noexcept {
    unsigned sum = 0;
    for (unsigned j = 0; j < slots_; ++j) sum += get(row, j) != 0;
    return sum;
  }
  void prefetch(std::uint64_t i) const noexcept { detail::prefetch_read(bytes() + i * row_bits_ / 8); }

  [[nodiscard]] const words<>& storage() const noexcept { return words_; }
  [[nodiscard]] words<>& storage() noexcept { return words_; }
  friend bool operator==(const buckets&, const buckets&) noexcept = default;

 private:
  [[nodiscard]] const unsigned char* bytes() const noexcept {
    return reinterpret_cast<const unsigned char*>(words_.data());
  }
  template <class Row>
  [[nodiscard]] static unsigned lowest(Row tops) noexcept {
    if constexpr (sizeof(Row) == 16)
      if (static_cast<std::uint64_t>(tops) == 0)
        return 64 + static_cast<unsigned>(std::countr_zero(static_cast<std::uint64_t>(tops >> 64)));
    return static_cast<unsigned>(std::countr_zero(static_cast<std::uint64_t>(tops)));
  }

  std::uint64_t rows_ = 0;
  unsigned slots_ = 1, width_ = 2, row_bits_ = 2;
  bool are_wide_ = false;
  wide ones_ = 0, tops_ = 0;  // the lowest bit of every slot, and the highest
  words<> words_;
};

}  // namespace umbel::cells
