// fuse.hpp - digest -> K cells in K consecutive segments of a binary fuse graph, K = 3 or 4.
// Idea       A row's place is its start cell and its offsets in the segments that follow, in one word that a peel can add
//            up instead of keys. A salt per attempt draws a new graph from the same digests.
// Layout     Segments of 2^a cells; cell i lies in segment start/2^a + i, at the start's own offset xor offset_i.
//            K = 3: place = start << 2a | offset1 << a | offset2. K = 4: three offsets do not fit beside a value, and
//            are drawn from the place (place.hpp).
// Source     [GL22], [Wal21]; words are remixed from all 128 bits instead of cut from one 64-bit hash.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include <umbel/base/integers.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/engine/retrieval/place.hpp>
#include <umbel/sizing/fuse.hpp>

namespace umbel::core {

template <unsigned K>
requires(K == 3 || K == 4) class fuse {
 public:
  static constexpr std::string_view name = "fuse";
  using shape = sizing::fuse_shape;
  using positions = std::array<std::uint64_t, K>;
  struct wish {};  // nothing to choose

  fuse() = default;
  explicit fuse(const shape& s) noexcept
      : starts_(s.starts()),
        length_(std::uint64_t{1} << s.length_bits),
        length_bits_(static_cast<unsigned>(s.length_bits)),
        rest_bits_(K == 3 ? 2 * length_bits_ : drawn_bits(s.cells(K), s.starts())) {}

  [[nodiscard]] static shape plan(std::uint64_t keys, wish = {}) { return sizing::plan_fuse(K, keys); }
  static void check(const shape& s, auto&& require) {
    require(s.length_bits >= 1 && s.length_bits <= 20, "length_bits", s.length_bits);
    require(s.segments >= 1 && s.segments <= (std::uint64_t{1} << 31 >> s.length_bits), "segments", s.segments);
  }

  [[nodiscard]] static constexpr unsigned arity() noexcept { return K; }
  [[nodiscard]] std::uint64_t size() const noexcept { return starts_ + (K - 1) * length_; }
  [[nodiscard]] std::uint64_t regions() const noexcept { return starts_ >> length_bits_; }
  [[nodiscard]] std::uint64_t region(const detail::remixed& words) const noexcept {
    return detail::fastrange(words.first(), starts_) >> length_bits_;
  }
  [[nodiscard]] unsigned place_bits() const noexcept {
    return static_cast<unsigned>(std::bit_width(starts_ - 1)) + rest_bits_;
  }
  [[nodiscard]] std::uint64_t place(const detail::remixed& words) const noexcept {
    return detail::fastrange(words.first(), starts_) << rest_bits_ | words.second() >> (64 - rest_bits_);
  }
  // The cells of a place, and the same straight from the words, for queries.
  [[nodiscard]] positions cells(std::uint64_t place) const noexcept {
    return cells(place >> rest_bits_, K == 3 ? place : drawn_word(place, 0));
  }
  // `base` moves all of them; it is a multiple of the segment length, which the offsets never leave.
  [[nodiscard]] positions cells(const detail::remixed& words, std::uint64_t base = 0) const noexcept {
    const std::uint64_t start = detail::fastrange(words.first(), starts_);
    const std::uint64_t rest = words.second() >> (64 - rest_bits_);
    return cells(base + start, K == 3 ? rest : drawn_word(start << rest_bits_ | rest, 0));
  }

 private:
  // The last offset lies in the low bits.
  [[nodiscard]] positions cells(std::uint64_t start, std::uint64_t offsets) const noexcept {
    positions at{start};
    for (unsigned i = 1; i < K; ++i)
      at[i] = (start + i * length_) ^ (offsets >> ((K - 1 - i) * length_bits_) & (length_ - 1));
    return at;
  }

  std::uint64_t starts_ = 1;
  std::uint64_t length_ = 2;
  unsigned length_bits_ = 1;
  unsigned rest_bits_ = 2;
};

}  // namespace umbel::core
