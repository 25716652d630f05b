// packed.hpp - packed cells of w bits each, w from 1 to 64.
//
// Layout     Cell i occupies bits i*w .. i*w+w-1 of a little-endian bit string, so widths 8, 16 and
//            32 are plain arrays. One word of zeros follows the last cell: a cell is read with one
//            unaligned load and never past the end.
// Invariant  Bits past the last cell are zero.
#pragma once

#include <cassert>
#include <cstdint>
#include <memory_resource>

#include <umbel/base/endian.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/base/prefetch.hpp>
#include <umbel/cells/access.hpp>
#include <umbel/cells/words.hpp>

namespace umbel::cells {

class packed {
 public:
  packed() = default;
  packed(std::uint64_t size, unsigned width, std::pmr::memory_resource* memory = nullptr)
      : packed(size, width, words<>(words_for(size, width), memory)) {}
  packed(std::uint64_t size, unsigned width, words<> storage) noexcept
      : size_(size), width_(width), mask_(detail::low_mask(width)), words_(std::move(storage)) {
    assert(width >= 1 && width <= 64 && words_.size() == words_for(size, width));
  }

  [[nodiscard]] static constexpr std::uint64_t words_for(std::uint64_t size,
                                                         unsigned width) noexcept {
    return detail::ceil_div(size * width, 64) + 1;
  }
  // After loading: uses these words as cells of this shape. Their number must match exactly.
  void reshape(std::uint64_t size, unsigned width) {
    words_.require(words_for(size, width), size * width);
    *this = packed(size, width, std::move(words_));
  }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] unsigned width() const noexcept { return static_cast<unsigned>(width_); }

  [[nodiscard]] std::uint64_t get(std::uint64_t i) const noexcept {
    const std::uint64_t bit = i * width_;
    const auto* at = bytes() + bit / 8;
    std::uint64_t word = detail::load_le<std::uint64_t>(at) >> (bit % 8);
    // Only widths above 57 can span nine bytes. The ninth byte exists because of the closing word
    // of zeros.
    if (width_ > 57 && bit % 8 != 0) word |= std::uint64_t{at[8]} << (64 - bit % 8);
    return word & mask_;
  }
  // For callers who know that a range of cells begins at this byte. peek() gives cell i of the
  // range with the following bits above it, for widths up to 57.
  [[nodiscard]] const unsigned char* at_byte(std::uint64_t i) const noexcept { return bytes() + i; }
  [[nodiscard, gnu::always_inline]] std::uint64_t peek(const unsigned char* from,
                                                       std::uint64_t i) const noexcept {
    const std::uint64_t bit = i * width_;
    return detail::load_le<std::uint64_t>(from + bit / 8) >> (bit % 8);
  }
  [[nodiscard]] std::uint64_t mask() const noexcept { return mask_; }
  // For 1-bit cells: `count` cells from `first` on, at most 57, as one number.
  [[nodiscard]] std::uint64_t bits(std::uint64_t first, unsigned count) const noexcept {
    assert(width_ == 1 && count <= 57 && first + count <= size_);
    return detail::load_le<std::uint64_t>(bytes() + first / 8) >> (first % 8) &
           detail::low_mask(count);
  }
  // get() that reads only the words of the cell, because other threads may be writing neighbouring
  // words.
  [[nodiscard]] std::uint64_t get_alone(std::uint64_t i) const noexcept {
    const std::uint64_t bit = i * width_;
    const unsigned shift = bit % 64;
    const std::uint64_t* const at = words_.data() + bit / 64;
    std::uint64_t word = at[0] >> shift;
    if (shift + width_ > 64) word |= at[1] << (64 - shift);
    return word & mask_;
  }
  void set(std::uint64_t i, std::uint64_t value) noexcept {
    assert((value & ~mask_) == 0);
    const std::uint64_t bit = i * width_;
    const unsigned shift = bit % 64;
    std::uint64_t* at = words_.data() + bit / 64;
    at[0] = (at[0] & ~(mask_ << shift)) | value << shift;
    if (shift + width_ > 64) at[1] = (at[1] & ~(mask_ >> (64 - shift))) | value >> (64 - shift);
  }
  // Sets a cell that is still zero. Other threads may set other cells in the same words at the same
  // time.
  void set_shared(std::uint64_t i, std::uint64_t value) noexcept {
    assert((value & ~mask_) == 0);
    const std::uint64_t bit = i * width_;
    const unsigned shift = bit % 64;
    std::uint64_t* const at = words_.data() + bit / 64;
    relaxed::set(at[0], value << shift);
    if (shift + width_ > 64) relaxed::set(at[1], value >> (64 - shift));
  }
  // computed as an integer: a pointer past the cells would be undefined
  void prefetch(std::uint64_t i) const noexcept {
    detail::prefetch_read(
        reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(bytes()) + i * width_ / 8));
  }

  // The cells as a plain array, for widths of an integer type.
  template <std::unsigned_integral Cell>
  [[nodiscard]] const Cell* as() const noexcept {
    assert(width_ == 8 * sizeof(Cell));
    return reinterpret_cast<const Cell*>(words_.data());
  }

  [[nodiscard]] const words<>& storage() const noexcept { return words_; }
  [[nodiscard]] words<>& storage() noexcept { return words_; }
  friend bool operator==(const packed&, const packed&) noexcept = default;

 private:
  [[nodiscard]] const unsigned char* bytes() const noexcept {
    return reinterpret_cast<const unsigned char*>(words_.data());
  }

  std::uint64_t size_ = 0;
  std::uint64_t width_ = 1;  // as wide as a number of bits: a product takes it from memory
  std::uint64_t mask_ = 1;
  words<> words_;
};

}  // namespace umbel::cells
