// fuse.hpp - digest -> three cells in three consecutive segments of a binary fuse graph.
// Idea       A row's place is three small numbers (start cell, two offsets), so it packs into one word that a peel can
//            add up instead of keys. A salt per attempt draws a new graph from the same digests.
// Layout     place = start << 2a | offset1 << a | offset2 with segments of 2^a cells; cell i lies in segment
//            start/2^a + i, at the start's own offset xor offset_i.
// Source     [GL22], [Wal21]; words are remixed from all 128 bits instead of cut from one 64-bit hash.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include <umbel/base/integers.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/sizing/fuse.hpp>

namespace umbel::index {

class fuse3 {
 public:
  static constexpr unsigned arity = 3;
  using positions = std::array<std::uint64_t, arity>;

  fuse3() = default;
  explicit fuse3(const sizing::fuse_shape& shape) noexcept
      : starts_(shape.starts()), length_(std::uint64_t{1} << shape.length_bits), length_bits_(shape.length_bits) {}

  // The salt of one attempt.
  [[nodiscard]] static constexpr detail::remixer attempt(std::uint64_t number) noexcept {
    return detail::remixer(detail::salt_of(detail::stage::fuse, number));
  }

  [[nodiscard]] unsigned place_bits() const noexcept {
    return static_cast<unsigned>(std::bit_width(starts_ - 1)) + 2 * length_bits_;
  }
  [[nodiscard]] std::uint64_t segment(const detail::remixed& words) const noexcept {
    return detail::fastrange(words.first(), starts_) >> length_bits_;
  }
  [[nodiscard]] std::uint64_t place(const detail::remixed& words) const noexcept {
    return detail::fastrange(words.first(), starts_) << (2 * length_bits_) | words.second() >> (64 - 2 * length_bits_);
  }
  // The cells of a place, and the same straight from the words, for queries.
  [[nodiscard]] positions cells(std::uint64_t place) const noexcept {
    return cells(place >> (2 * length_bits_), place >> length_bits_, place);
  }
  // `base` moves all three; it is a multiple of the segment length, which the offsets never leave.
  [[nodiscard]] positions cells(const detail::remixed& words, std::uint64_t base = 0) const noexcept {
    const std::uint64_t second = words.second();
    return cells(base + detail::fastrange(words.first(), starts_), second >> (64 - length_bits_),
                 second >> (64 - 2 * length_bits_));
  }

 private:
  [[nodiscard]] positions cells(std::uint64_t start, std::uint64_t one, std::uint64_t two) const noexcept {
    return {start, (start + length_) ^ (one & (length_ - 1)), (start + 2 * length_) ^ (two & (length_ - 1))};
  }

  std::uint64_t starts_ = 1;
  std::uint64_t length_ = 2;
  unsigned length_bits_ = 1;
};

}  // namespace umbel::index
