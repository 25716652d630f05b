// rows.hpp - bit matrix: rows of w bits each, read a row at a time.
//
// Bit-sliced filters store bit i of all filters side by side, so one read serves all. A table of
// sets stores one row per set. Both need whole rows of any width.
//
// Layout     Row i occupies bits i*w .. i*w+w-1 of a little-endian bit string. One word of zeros
//            follows the last row, so reading a row by words never passes the end.
// Invariant  Bits past the last row are zero.
#pragma once

#include <cassert>
#include <cstdint>
#include <memory_resource>

#include <umbel/base/integers.hpp>
#include <umbel/base/prefetch.hpp>
#include <umbel/cells/words.hpp>

namespace umbel::cells {

class rows {
 public:
  rows() = default;
  rows(std::uint64_t size, unsigned width, std::pmr::memory_resource* memory = nullptr)
      : size_(size), width_(width), words_(words_for(size, width), memory) {}

  [[nodiscard]] static constexpr std::uint64_t words_for(std::uint64_t size,
                                                         unsigned width) noexcept {
    return size == 0 ? 0 : detail::ceil_div(size * width, 64) + 1;
  }
  // After loading: uses these words as rows of this shape. Their number must match exactly.
  void reshape(std::uint64_t size, unsigned width) {
    words_.require(words_for(size, width), size * width);
    size_ = size;
    width_ = width;
  }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] unsigned width() const noexcept { return width_; }
  [[nodiscard]] unsigned words_per_row() const noexcept { return (width_ + 63) / 64; }

  // out[j] = bits 64j to 64j + 63 of row i, for all words of the row.
  void copy(std::uint64_t i, std::uint64_t* out) const noexcept {
    each_word(i, [out](unsigned j, std::uint64_t word) { out[j] = word; });
  }
  // out &= row i. Returns false if the result is zero.
  bool keep_common(std::uint64_t i, std::uint64_t* out) const noexcept {
    std::uint64_t left = 0;
    each_word(i, [&](unsigned j, std::uint64_t word) { left |= out[j] &= word; });
    return left != 0;
  }
  // Returns true if the bit changed.
  bool set(std::uint64_t i, unsigned column, bool value = true) noexcept {
    assert(i < size_ && column < width_);
    const std::uint64_t bit = i * width_ + column, mask = std::uint64_t{1} << (bit % 64);
    std::uint64_t& word = words_[bit / 64];
    const std::uint64_t before = word;
    word = value ? word | mask : word & ~mask;
    return word != before;
  }
  // Prefetches the first cache line of the row: rows of up to 512 bits seldom have a second.
  void prefetch(std::uint64_t i) const noexcept {
    detail::prefetch_read(words_.data() + i * width_ / 64);
  }

  [[nodiscard]] const words<>& storage() const noexcept { return words_; }
  [[nodiscard]] words<>& storage() noexcept { return words_; }
  friend bool operator==(const rows&, const rows&) noexcept = default;

 private:
  template <class Use>
  void each_word(std::uint64_t i, Use&& use) const noexcept {
    const std::uint64_t bit = i * width_;
    const std::uint64_t* at = words_.data() + bit / 64;
    const unsigned shift = bit % 64, last = (width_ - 1) / 64;
    const auto word = [&](unsigned j) {
      return shift == 0 ? at[j] : at[j] >> shift | at[j + 1] << (64 - shift);
    };
    for (unsigned j = 0; j < last; ++j) use(j, word(j));
    use(last, word(last) & detail::low_mask(width_ - 64 * last));
  }

  std::uint64_t size_ = 0;
  unsigned width_ = 1;
  words<> words_;
};

}  // namespace umbel::cells
