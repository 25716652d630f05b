// pattern/pair.hpp - eight bits in two neighbouring cache lines: the load of blocks evens out, and no bit is far away.
// Idea       Eight groups of 128 bits: word i of the first line and word i of the second. A probe's seven bits choose the
//            line and the bit, so that a vector unit picks all words with a blend.
// Source     [PSS07] for the blocks; the groups are ours (doc/theory/blocked.md). Tried and lost: four groups of 256 bits
//            whose words are picked by permutation (0.2% fewer bits, a quarter slower inside the cache), and fetching
//            the second line for those keys alone that pass the first (twice the time: waiting keys must be kept).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <umbel/base/block_shape.hpp>
#include <umbel/cells/kernel/blocks.hpp>

namespace umbel::cells::pattern {

struct pair {
  using word = std::uint64_t;
  using key = std::uint64_t;
  static constexpr std::string_view kind = "two-line-bloom-filter";
  static constexpr std::size_t block_words = 16;
  static constexpr unsigned least_probes = 8, most_probes = 8;
  [[nodiscard]] static constexpr detail::block_shape shape(unsigned) noexcept { return {128, 8, 8, 1}; }
  [[nodiscard]] static constexpr unsigned word_of_group(unsigned group, unsigned i) noexcept { return group + 8 * i; }
  explicit pair(unsigned = 8) noexcept {}

  template <class Visit>
  void each(key k, Visit&& visit) const noexcept {
    for (std::size_t group = 0; group < 8; ++group, k >>= 7) visit(group + (k & 64) / 8, word{1} << (k & 63));
  }

#if defined(__x86_64__)
  [[nodiscard]] static constexpr bool prepared() noexcept { return true; }
  [[gnu::target("avx2")]] [[nodiscard]] static bool test(bool, const word* block, key k) noexcept {
    const auto missing =
        kernel::avx2::as<kernel::signed64>(clear(block, fields(k)) | clear(block + 4, fields(k >> 28)));
    return __builtin_ia32_ptestz256(missing, missing) != 0;
  }
  [[gnu::target("avx2")]] static void set(bool, word* block, key k) noexcept {
    add(block, fields(k));
    add(block + 4, fields(k >> 28));
  }

 private:
  // Seven bits of the key at the low end of each of four lanes, and the bit of a word that six of them choose.
  [[gnu::target("avx2")]] [[nodiscard]] static kernel::lanes64 fields(key k) noexcept {
    const kernel::lanes64 keys = {k, k, k, k}, at = {0, 7, 14, 21};
    return keys >> at;
  }
  [[gnu::target("avx2")]] [[nodiscard]] static kernel::lanes64 bit_of(const kernel::lanes64& field) noexcept {
    const kernel::lanes64 one = {1, 1, 1, 1}, low = {63, 63, 63, 63};
    return one << (field & low);
  }
  // Which of the four bits are not set. A blend takes from the second line where a lane's highest bit is set.
  [[gnu::target("avx2")]] [[nodiscard]] static kernel::lanes64 clear(const word* block,
                                                                     const kernel::lanes64& field) noexcept {
    using kernel::avx2::as;
    using doubles = double __attribute__((vector_size(32), may_alias));
    const auto cells = as<kernel::lanes64>(__builtin_ia32_blendvpd256(*reinterpret_cast<const doubles*>(block),
                                                                      *reinterpret_cast<const doubles*>(block + 8),
                                                                      as<doubles>(field << 57)));
    return ~cells & bit_of(field);
  }
  [[gnu::target("avx2")]] static void add(word* block, const kernel::lanes64& field) noexcept {
    using kernel::avx2::as;
    const auto second = as<kernel::lanes64>(as<kernel::signed64>(field << 57) < 0);  // all ones: the second line
    *reinterpret_cast<kernel::lanes64*>(block) |= bit_of(field) & ~second;
    *reinterpret_cast<kernel::lanes64*>(block + 8) |= bit_of(field) & second;
  }
#endif
};

}  // namespace umbel::cells::pattern
