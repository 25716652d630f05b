// tight.hpp - packed cells of w bits each, w from 1 to 64, without padding.
//
// As cells::packed, for structures that guarantee a size to the bit. No word follows the last cell,
// so reads near the end are assembled from the bytes that exist.
//
// Layout     Cell i occupies bits i*w .. i*w+w-1 of a little-endian bit string of size * w / 8
//            bytes, rounded up.
// Invariant  Bits past the last cell are zero.
#pragma once

#include <cassert>
#include <cstdint>
#include <cstring>
#include <memory_resource>

#include <umbel/base/endian.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/cells/words.hpp>

namespace umbel::cells {

class tight {
 public:
  tight() = default;
  tight(std::uint64_t size, unsigned width, std::pmr::memory_resource* memory = nullptr)
      : size_(size), width_(width), bytes_(bytes_for(size, width), memory) {}

  [[nodiscard]] static constexpr std::uint64_t bytes_for(std::uint64_t size,
                                                         unsigned width) noexcept {
    return detail::ceil_div(size * width, 8);
  }
  // After loading: uses these bytes as cells of this shape. Their number must match exactly.
  void reshape(std::uint64_t size, unsigned width) {
    bytes_.require(bytes_for(size, width), size * width);
    size_ = size;
    width_ = width;
  }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] unsigned width() const noexcept { return width_; }

  [[nodiscard]] std::uint64_t get(std::uint64_t i) const noexcept {
    const std::uint64_t bit = i * width_, at = bit / 8;
    const std::uint8_t* const from = bytes_.data() + at;
    if (at + reach > bytes_.size()) [[unlikely]] {
      std::uint8_t near_end[reach] = {};
      std::memcpy(near_end, from, bytes_.size() - at);
      return get(near_end, bit % 8);
    }
    return get(from, bit % 8);
  }
  // Sets a cell that is still zero.
  void set(std::uint64_t i, std::uint64_t value) noexcept {
    assert((value & ~detail::low_mask(width_)) == 0);
    for (std::uint64_t bit = i * width_; value != 0; ++bit, value >>= 1)
      bytes_[bit / 8] = static_cast<std::uint8_t>(bytes_[bit / 8] | (value & 1) << bit % 8);
  }

  [[nodiscard]] const words<std::uint8_t>& storage() const noexcept { return bytes_; }
  [[nodiscard]] words<std::uint8_t>& storage() noexcept { return bytes_; }
  friend bool operator==(const tight&, const tight&) noexcept = default;

 private:
  static constexpr std::uint64_t reach = 9;  // bytes that a cell can touch
  // bits that eight bytes contain from any bit of the first on
  static constexpr unsigned one_load = 57;

  [[nodiscard]] std::uint64_t get(const std::uint8_t* from, std::uint64_t shift) const noexcept {
    std::uint64_t word = detail::load_le<std::uint64_t>(from) >> shift;
    if (width_ > one_load && shift != 0) word |= std::uint64_t{from[8]} << (64 - shift);
    return word & detail::low_mask(width_);
  }

  std::uint64_t size_ = 0;
  unsigned width_ = 1;
  words<std::uint8_t> bytes_;
};

}  // namespace umbel::cells
