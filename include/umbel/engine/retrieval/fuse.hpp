// fuse.hpp - binary fuse graph [GL22]: digest -> K cells in K consecutive segments, K = 3 or 4.
//
// A key starts at a cell of one segment and has one cell in each of the K - 1 segments that follow.
// One product gives all of them: `word * starts` has the start in its high half and the offsets in
// fields of its low half. A salt per attempt draws a new graph from the same digests.
//
// Layout     Segments of 2^a cells, a at most 18. Cell i is in segment start / 2^a + i, at the
//            start's offset xor offset_i. place = start | offset1 | offset2 | spare (solve/row.hpp
//            adds places, so a place is one word).
// K = 4      The fourth offset does not fit into the place. It is the top of the product of the
//            other offsets and an odd number. From the offsets alone, keys that agree in two of
//            them would collide: 519 of 1500 graphs failed at 1000 keys. Hence `spare`, more bits
//            of the word, as many as the place has room for.
// Source     [GL22], [Wal21].
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include <umbel/base/integers.hpp>
#include <umbel/engine/retrieval/place.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/sizing/fuse.hpp>

namespace umbel::core {

template <unsigned K>
requires(K == 3 || K == 4) class fuse {
 public:
  static constexpr std::string_view name = "fuse";
  using shape = sizing::fuse_shape;
  using positions = std::array<std::uint64_t, K>;
  struct options_type {};  // nothing to choose

  fuse() = default;
  explicit fuse(const shape& s) noexcept
      : starts_(s.starts()),
        length_(std::uint64_t{1} << s.length_bits),
        mask_(length_ - 1),
        length_bits_(static_cast<unsigned>(s.length_bits)),
        spare_bits_(K == 3 ? 0 : spare_bits(s)),
        fields_(mask_ << first_field | mask_ << second_field |
                detail::low_mask(spare_bits_) << spare_field) {}

  [[nodiscard]] static shape plan(std::uint64_t keys, options_type = {}) {
    return sizing::plan_fuse(K, keys);
  }
  static void check(const shape& s, auto&& require) {
    require(s.length_bits >= 1 && s.length_bits <= field_bits, "length_bits", s.length_bits);
    require(s.segments >= 1 && s.segments <= (std::uint64_t{1} << 31 >> s.length_bits), "segments",
            s.segments);
  }

  [[nodiscard]] static constexpr unsigned arity() noexcept { return K; }
  [[nodiscard]] std::uint64_t size() const noexcept { return starts_ + (K - 1) * length_; }
  [[nodiscard]] std::uint64_t regions() const noexcept { return starts_ >> length_bits_; }
  [[nodiscard]] std::uint64_t region(std::uint64_t word) const noexcept {
    return detail::fastrange(word, starts_) >> length_bits_;
  }
  [[nodiscard]] unsigned place_bits() const noexcept {
    return static_cast<unsigned>(std::bit_width(starts_ - 1)) + 2 * length_bits_ + spare_bits_;
  }
  [[nodiscard]] std::uint64_t place(std::uint64_t word) const noexcept {
    const auto [start, fields] = detail::multiply(word, starts_);
    const std::uint64_t first = fields >> first_field & mask_,
                        second = fields >> second_field & mask_;
    const std::uint64_t spare = fields >> spare_field & detail::low_mask(spare_bits_);
    return ((start << length_bits_ | first) << length_bits_ | second) << spare_bits_ | spare;
  }
  // The cells of a place; below, the same directly from the word, for queries.
  [[nodiscard, gnu::always_inline]] positions cells(std::uint64_t place) const noexcept {
    const std::uint64_t offsets = place >> spare_bits_;
    return from(offsets >> 2 * length_bits_, (offsets >> length_bits_ & mask_) << first_field |
                                                 (offsets & mask_) << second_field |
                                                 (place & detail::low_mask(spare_bits_))
                                                     << spare_field);
  }
  // `base` is added to all cells. It is a multiple of the segment length, so it does not change the
  // offsets.
  [[nodiscard, gnu::always_inline]] positions cells(std::uint64_t word,
                                                    std::uint64_t base) const noexcept {
    const auto [start, fields] = detail::multiply(word, starts_);
    return from(base + start, fields & fields_);
  }

 private:
  // Fields of the product's low half. Its lowest bits are not used, because `starts` contains a
  // power of two.
  static constexpr unsigned field_bits = 18, spare_most = 14;
  static constexpr unsigned first_field = 46, second_field = 28, spare_field = 14;
  // Bit 32 moves `spare` below the first field, so that in short segments all fourth offsets are
  // equally likely given the others. Few bits below it are set; more would carry into it. (With a
  // random odd 64-bit number a third of the fourth offsets did not occur: 8.2 % of graphs of 1000
  // keys failed instead of 5.8 %.)
  static constexpr std::uint64_t mixer = 0x9E3779B900037C15;

  // Up to 2^22 cells a row must fit into one word with a count and a value of 8 bits.
  [[nodiscard]] static unsigned spare_bits(const shape& s) noexcept {
    const auto length_bits = static_cast<unsigned>(s.length_bits);
    const unsigned taken = static_cast<unsigned>(std::bit_width(s.starts() - 1)) + 2 * length_bits;
    const unsigned room = std::bit_width(s.cells(K)) <= 22 ? 48 : 56;
    return std::min({length_bits, spare_most, room - std::min(room, taken)});
  }
  // Bits of `fields` outside the fields in use must be 0.
  [[nodiscard, gnu::always_inline]] positions from(std::uint64_t start,
                                                   std::uint64_t fields) const noexcept {
    positions at;
    at[0] = start;
    at[1] = (start + length_) ^ fields >> first_field;
    at[2] = (start + 2 * length_) ^ (fields >> second_field & mask_);
    if constexpr (K == 4) at[3] = (start + 3 * length_) ^ (fields * mixer >> first_field & mask_);
    return at;
  }

  std::uint64_t starts_ = 1;
  std::uint64_t length_ = 2, mask_ = 1;
  unsigned length_bits_ = 1;
  unsigned spare_bits_ = 0;
  std::uint64_t fields_ = std::uint64_t{1} << first_field | std::uint64_t{1} << second_field;
};

}  // namespace umbel::core
