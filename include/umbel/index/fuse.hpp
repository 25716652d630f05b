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
  fuse3(const sizing::fuse_shape& shape, std::uint64_t attempt) noexcept
      : starts_(shape.starts()),
        length_bits_(shape.length_bits),
        words_(detail::salt_of(detail::stage::fuse, attempt)) {}

  [[nodiscard]] unsigned place_bits() const noexcept {
    return static_cast<unsigned>(std::bit_width(starts_ - 1)) + 2 * length_bits_;
  }
  [[nodiscard]] std::uint64_t start(digest d) const noexcept { return detail::fastrange(words_.first(d), starts_); }
  [[nodiscard]] std::uint64_t place(digest d) const noexcept {
    return start(d) << (2 * length_bits_) | (words_.second(d) & detail::low_mask(2 * length_bits_));
  }
  [[nodiscard]] positions cells(std::uint64_t place) const noexcept {
    const std::uint64_t length = std::uint64_t{1} << length_bits_;
    const std::uint64_t first = place >> (2 * length_bits_);
    return {first, (first + length) ^ (place >> length_bits_ & (length - 1)),
            (first + 2 * length) ^ (place & (length - 1))};
  }

 private:
  std::uint64_t starts_ = 1;
  unsigned length_bits_ = 0;
  detail::remixer words_;
};

}  // namespace umbel::index
