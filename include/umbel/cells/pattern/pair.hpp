// pattern/pair.hpp - eight bits in two neighbouring cache lines: the load of blocks evens out, and no bit is far away.
// Idea       Eight groups of 128 bits: word i of each quarter of the two lines. Products with odd salts, as in a split block,
//            give each group its bit and its quarter, and a vector unit picks all words with three blends.
// Source     [PSS07] for the blocks; the groups are ours (doc/theory/blocked.md). Tried and lost: four groups of 256 bits
//            whose words are picked by permutation (0.2% fewer bits, a quarter slower inside the cache); words of 64
//            bits (a seventh slower); looking at the second line for those keys alone that pass the first, whether
//            they wait in a queue or not (1.5 to 2 times the time: one key in 17 is mispredicted, and all behind it
//            begin anew); picking the words by one permutation of AVX-512 (no gain), of two keys at a time (a sixth
//            slower), and bytes of eight keys at a time as kernel/byte_lanes.hpp does (an eleventh faster to a
//            tenth slower, as g++ lays out the loop: the products take what the permutations save); fetching both lines once more, from the second cache into the first (a third slower inside the
//            cache, no gain outside); 32, 48 or 96 keys in flight (a fifth slower, a fifteenth slower, no gain).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <umbel/base/block_shape.hpp>
#include <umbel/cells/kernel/blocks.hpp>
#include <umbel/cells/pattern/split.hpp>

namespace umbel::cells::pattern {

struct pair {
  using word = std::uint32_t;
  using key = std::uint32_t;
  static constexpr std::string_view kind = "two-line-bloom-filter";
  static constexpr std::size_t block_words = 32;
  static constexpr unsigned least_probes = 8, most_probes = 8;
  [[nodiscard]] static constexpr detail::block_shape shape(unsigned) noexcept { return {128, 8, 8, 1}; }
  [[nodiscard]] static constexpr unsigned word_of_group(unsigned group, unsigned i) noexcept { return group + 8 * i; }
  explicit pair(unsigned = 8) noexcept {}

  template <class Visit>
  void each(key k, Visit&& visit) const noexcept {
    for (unsigned group = 0; group < 8; ++group) {
      const std::uint32_t product = k * split_salts[group];
      visit(word_of_group(group, product >> 25 & 3), word{1} << (product >> 27));
    }
  }

#if defined(__x86_64__)
  [[gnu::target("avx2")]] [[nodiscard]] static kernel::lanes32 prepared() noexcept { return split32::prepared(); }
  [[gnu::target("avx2")]] [[nodiscard]] static bool test(const kernel::lanes32& salts, const word* block,
                                                         const key& k) noexcept {
    const kernel::lanes32 products = salts * k;
    const auto odd = kernel::avx2::as<floats>(products << 6), late = kernel::avx2::as<floats>(products << 5);
    const auto* const quarter = reinterpret_cast<const floats*>(block);
    const floats cells = picked(picked(quarter[0], quarter[1], odd), picked(quarter[2], quarter[3], odd), late);
    return kernel::avx2::covers(kernel::avx2::as<kernel::lanes32>(cells), bit_of(products));
  }
  [[gnu::target("avx2")]] static void set(const kernel::lanes32& salts, word* block, const key& k) noexcept {
    const kernel::lanes32 products = salts * k, of = products >> 25 & 3, bit = bit_of(products);
    auto* const quarter = reinterpret_cast<kernel::lanes32*>(block);
    for (std::uint32_t i = 0; i < 4; ++i) quarter[i] |= bit & kernel::avx2::as<kernel::lanes32>(of == i);
  }

 private:
  using floats = float __attribute__((vector_size(32), may_alias));
  [[gnu::target("avx2")]] [[nodiscard]] static kernel::lanes32 bit_of(const kernel::lanes32& products) noexcept {
    const kernel::lanes32 one = {1, 1, 1, 1, 1, 1, 1, 1};
    return one << (products >> 27);
  }
  // The second where a lane of `by` has its highest bit set, else the first.
  [[gnu::target("avx2")]] [[nodiscard]] static floats picked(const floats& first, const floats& second,
                                                             const floats& by) noexcept {
    return __builtin_ia32_blendvps256(first, second, by);
  }
#endif
};

}  // namespace umbel::cells::pattern
