// bit_stream.hpp - writer and readers of bit strings: fixed-width fields and Golomb-Rice codes
// [Gol66].
//
// Layout     Little-endian: the first bit written is bit 0 of word 0. One word of zeros follows the
//            last bit, so a reader may load eight bytes at any position.
// Invariant  A reader never reads past the words it was given, whatever their content: it stops at
//            the end.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include <umbel/base/endian.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/base/prefetch.hpp>
#include <umbel/cells/words.hpp>

namespace umbel::cells {

class bit_writer {
 public:
  void reserve(std::uint64_t bits) { words_.reserve(words_for(bits)); }
  void put(std::uint64_t value, unsigned width) {
    if (width == 0) return;
    const unsigned shift = size_ % 64;
    if (shift == 0) words_.push_back(0);
    words_.back() |= value << shift;
    if (shift + width > 64) words_.push_back(value >> (64 - shift));
    size_ += width;
  }
  // Golomb-Rice code: the quotient in unary (ones ended by a zero), then the remainder.
  void put_rice(std::uint64_t value, unsigned remainder_bits) {
    std::uint64_t quotient = value >> remainder_bits;
    for (; quotient >= 63; quotient -= 63) put(detail::low_mask(63), 63);
    put(detail::low_mask(static_cast<unsigned>(quotient)), static_cast<unsigned>(quotient) + 1);
    put(value & detail::low_mask(remainder_bits), remainder_bits);
  }
  void append(const bit_writer& other) {
    for (std::uint64_t i = 0; i * 64 < other.size_; ++i) {
      const std::uint64_t left = other.size_ - i * 64;
      put(other.words_[i], left < 64 ? static_cast<unsigned>(left) : 64);
    }
  }
  void clear() noexcept {
    words_.clear();
    size_ = 0;
  }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] const std::vector<std::uint64_t>& bits() const noexcept { return words_; }
  // Words that a stream of this many bits occupies, including the closing word of zeros.
  [[nodiscard]] static constexpr std::uint64_t words_for(std::uint64_t count) noexcept {
    return detail::ceil_div(count, 64) + 1;
  }

 private:
  std::vector<std::uint64_t> words_;
  std::uint64_t size_ = 0;
};

class bit_reader {
 public:
  // Reads bits [at, end) of the words. `end` must be before the closing word of zeros.
  bit_reader(const words<>& stream, std::uint64_t at, std::uint64_t end) noexcept
      : bytes_(reinterpret_cast<const unsigned char*>(stream.data())),
        position_(at < end ? at : end),
        end_(end) {}

  [[nodiscard]] bool at_end() const noexcept { return position_ >= end_; }
  // Requires remainder_bits <= 56.
  [[nodiscard]] std::uint64_t get_rice(unsigned remainder_bits) noexcept {
    std::uint64_t quotient = 0;
    unsigned ones = 0;
    for (;;) {
      ones = static_cast<unsigned>(std::countr_one(window()));
      if (ones < 56) break;
      quotient += 56, skip(56);
      if (at_end()) return ~std::uint64_t{0};  // damaged bits only: larger than any value
    }
    skip(ones + 1);
    const std::uint64_t remainder = window() & detail::low_mask(remainder_bits);
    skip(remainder_bits);
    return (quotient + ones) << remainder_bits | remainder;
  }

 private:
  // At least 57 bits from the current position on.
  [[nodiscard]] std::uint64_t window() const noexcept {
    return detail::load_le<std::uint64_t>(bytes_ + position_ / 8) >> (position_ % 8);
  }
  void skip(unsigned count) noexcept {
    position_ = end_ - position_ > count ? position_ + count : end_;
  }

  const unsigned char* bytes_;
  std::uint64_t position_;
  std::uint64_t end_;
};

// Random access to the same bits: fields, and positions after set bits.
class bit_view {
 public:
  // `end` must be before the closing word of zeros.
  bit_view(const words<>& stream, std::uint64_t end) noexcept
      : bytes_(reinterpret_cast<const unsigned char*>(stream.data())), end_(end) {}

  // `count` bits from `at` on, at most 56.
  [[nodiscard]] std::uint64_t bits(std::uint64_t at, unsigned count) const noexcept {
    return window(at < end_ ? at : end_) & detail::low_mask(count);
  }
  // The position after the first set bit from `at` on; the end if there is none.
  [[nodiscard]] std::uint64_t after_one(std::uint64_t at) const noexcept {
    for (; at < end_; at += 64 - at % 8)
      if (const std::uint64_t next = window(at); next != 0)
        return at + static_cast<unsigned>(std::countr_zero(next)) + 1;
    return end_;
  }
  // The position after the ones-th set bit from `at` on; the end if there are fewer.
  [[nodiscard]] std::uint64_t after(std::uint64_t at, unsigned ones) const noexcept {
    for (; at < end_ && ones != 0; at += 64 - at % 8) {
      const std::uint64_t next = window(at);
      const detail::bit_counts set(next);
      if (set.all() >= ones) return at + detail::nth_one(next, set, ones - 1) + 1;
      ones -= set.all();
    }
    return at < end_ ? at : end_;
  }
  void prefetch(std::uint64_t at) const noexcept {
    detail::prefetch_read(bytes_ + (at < end_ ? at : end_) / 8);
  }

 private:
  [[nodiscard]] std::uint64_t window(std::uint64_t at) const noexcept {
    return detail::load_le<std::uint64_t>(bytes_ + at / 8) >> (at % 8);
  }

  const unsigned char* bytes_;
  std::uint64_t end_;
};

}  // namespace umbel::cells
