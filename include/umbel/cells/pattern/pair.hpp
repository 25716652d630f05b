// pattern/pair.hpp - blocked Bloom filter [PSS07] on pairs of cache lines: eight bits in two
// adjacent lines.
//
// The larger block evens out the load, and both lines are adjacent. A pair of lines is four groups
// of 256 bits. A key has four bits in each of two groups (pattern/bytes.hpp). In a third of all
// cases both groups are in one line, and the other line is not fetched. Fetched lines determine the
// query time: with one bit in each of eight groups of 128 bits, a batch took a tenth longer, for
// 0.1 % fewer bits.
//
// Source     [PSS07] for the blocks; the groups are new here (doc/theory/blocked.md).
// Tried      and lost: one bit in each of eight groups of 128 bits, whose words AVX2 blends or
//            AVX-512 permutes; four groups of 256 bits with two bits in each; testing the second
//            line only for keys that pass the first (1.5 to 2 times the time: one key in 17 is
//            mispredicted, and all later work restarts); prefetching lines again from L2 into L1 (a
//            third slower in the cache, no gain outside).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <umbel/base/block_shape.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/cells/kernel/blocks.hpp>
#include <umbel/cells/pattern/bytes.hpp>

namespace umbel::cells::pattern {

struct pair {
  using word = std::uint32_t;
  using key = std::uint64_t;
  static constexpr std::string_view kind = "two-line-bloom-filter";
  static constexpr std::uint32_t format_version = 2;
  static constexpr std::size_t block_words = 4 * bytes::group_words;
  static constexpr unsigned min_probes = 8, max_probes = 8;
  [[nodiscard]] static constexpr detail::block_shape shape(unsigned) noexcept {
    return {.group_bits = 256, .groups = 4, .probes = 8, .round = 4, .patterns = 0, .in_two = true};
  }
  explicit pair(unsigned = 8) noexcept {}

  // Where a key's two groups begin, in words of the block.
  struct groups {
    std::size_t left, right;
  };
  [[nodiscard]] static constexpr groups groups_of(key k) noexcept {
    const key choice = k * detail::golden;
    constexpr std::size_t words = bytes::group_words;
    const std::size_t left = choice >> 59 & 3 * words;
    return {left, left ^ (words + ((choice << 2 >> 32) * 3 >> 32) * words)};
  }
  template <class Visit>
  void each(key k, Visit&& visit) const noexcept {
    const groups at = groups_of(k);
    for (unsigned lane = 0; lane < 8; ++lane) {
      const std::uint32_t bit = bytes::bit(k, lane);
      visit((lane < 4 ? at.left : at.right) + bit / 32, word{1} << (bit % 32));
    }
  }

#if defined(__x86_64__)
  [[gnu::target("avx2")]] [[nodiscard]] static kernel::lanes32 prepared() noexcept {
    return bytes::each_asked();
  }
  [[gnu::target("avx2")]] [[nodiscard]] static bool test(const kernel::lanes32& ask,
                                                         const word* block, const key& k) noexcept {
    const groups at = groups_of(k);
    return kernel::avx2::covers(
        bytes::looked_up(block + at.left, block + at.right, bytes::refined_spread(k)), ask);
  }
  [[gnu::target("avx2")]] static void set(const kernel::lanes32& ask, word* block,
                                          const key& k) noexcept {
    const groups at = groups_of(k);
    bytes::add(ask, block + at.left, block + at.right, bytes::refined(k));
  }
  // The same for eight keys, in bytes.
  [[nodiscard]] static bool takes_eight() noexcept { return true; }
  struct eight_groups {
    kernel::avx512::lanes left, right;
  };
  [[nodiscard, UMBEL_BYTE_LANES, gnu::always_inline]] static eight_groups groups_of(
      kernel::avx512::lanes keys) noexcept {
    using kernel::avx512::all, kernel::avx512::lanes;
    constexpr std::uint64_t group_bytes = bytes::group_words * sizeof(word);
    const lanes choice = keys * detail::golden, left = choice >> 62;
    const lanes right =
        left ^ (1 + (kernel::avx512::product_of_halves(choice >> 30, all(3)) >> 32));
    return {left * group_bytes, right * group_bytes};
  }
  [[nodiscard, UMBEL_BYTE_LANES]] static kernel::avx512::marks marks_of(
      kernel::avx512::lanes keys) noexcept {
    return bytes::marks_of(keys, ~std::uint64_t{0});
  }
#endif
};

}  // namespace umbel::cells::pattern
