// kernel/word_bits.hpp - rank and select in a word, and the place where two words have equally many
// ones; portable and for AVX2 with BMI2.
//
// A loop that needs these operations takes one of the types below as a parameter and is compiled
// once for each, so the operations are inlined. `pdep` moves the bit at position i to the i-th set
// bit. For `level`, the differences of the words' prefix counts are computed in 64 bytes at once; a
// walk would have to wait for each step.
//
// Layout     nth(word, i) counts from 0; 64 if the word has at most i set bits, in both
//            implementations. neighbours(word, i) keeps only the i-th set bit and the next one.
//            level(a, b, from) is the first position >= `from` up to which, inclusive, both have
//            equally many set bits; 64 if there is none.
// Limits     The BMI2 type is for functions compiled for BMI2 and marked UMBEL_FLAT. In others each
//            operation is a call.
#pragma once

#include <bit>
#include <cstdint>

#include <umbel/base/integers.hpp>
#include <umbel/cells/kernel/bytes.hpp>
#include <umbel/cells/kernel/level.hpp>

namespace umbel::cells::kernel {

namespace portable {

struct word_bits {
  // Not std::popcount: without a target attribute for popcnt it is a call.
  [[nodiscard]] static constexpr unsigned ones(std::uint64_t word) noexcept {
    return detail::bit_counts(word).all();
  }
  [[nodiscard]] static constexpr unsigned nth(std::uint64_t word, unsigned i) noexcept {
    const detail::bit_counts set(word);
    return i < set.all() ? detail::nth_one(word, set, i) : 64;
  }
  [[nodiscard]] static constexpr std::uint64_t neighbours(std::uint64_t word, unsigned i) noexcept {
    const detail::bit_counts set(word);
    if (i >= set.all()) return 0;
    const std::uint64_t rest = word & ~std::uint64_t{0} << detail::nth_one(word, set, i),
                        after = rest & (rest - 1);
    return rest ^ (after & (after - 1));
  }
  // While one word is ahead by some ones, skip to where the other has caught up.
  [[nodiscard]] static constexpr unsigned level(std::uint64_t a, std::uint64_t b,
                                                unsigned from) noexcept {
    for (unsigned at = from; at < 64;) {
      const std::uint64_t passed = detail::low_mask(at + 1);
      const unsigned ones_a = ones(a & passed), ones_b = ones(b & passed);
      if (ones_a == ones_b) return at;
      at = ones_a > ones_b ? nth(b & ~passed, ones_a - ones_b - 1)
                           : nth(a & ~passed, ones_b - ones_a - 1);
    }
    return 64;
  }
};

}  // namespace portable

#if defined(__x86_64__)
namespace avx2 {

struct word_bits {
  [[nodiscard, gnu::target("bmi,bmi2,popcnt")]] static unsigned ones(std::uint64_t word) noexcept {
    return static_cast<unsigned>(__builtin_popcountll(word));
  }
  [[nodiscard, gnu::target("bmi,bmi2,popcnt")]] static unsigned nth(std::uint64_t word,
                                                                    unsigned i) noexcept {
    return static_cast<unsigned>(
        std::countr_zero(__builtin_ia32_pdep_di(i < 64 ? std::uint64_t{1} << i : 0, word)));
  }
  [[nodiscard, gnu::target("bmi,bmi2,popcnt")]] static std::uint64_t neighbours(
      std::uint64_t word, unsigned i) noexcept {
    return __builtin_ia32_pdep_di(i < 64 ? std::uint64_t{3} << i : 0, word);
  }
  [[nodiscard, gnu::target("avx2,bmi,bmi2,popcnt")]] static unsigned level(std::uint64_t a,
                                                                           std::uint64_t b,
                                                                           unsigned from) noexcept {
    const auto low_a = static_cast<std::uint32_t>(a), low_b = static_cast<std::uint32_t>(b);
    const std::uint64_t high =
        level_places(static_cast<std::uint32_t>(a >> 32), static_cast<std::uint32_t>(b >> 32),
                     ones(low_a) - ones(low_b));
    const std::uint64_t all = level_places(low_a, low_b, 0) | high << 32;
    return static_cast<unsigned>(std::countr_zero(all & ~detail::low_mask(from)));
  }

 private:
  // One bit per position of a half word up to which both have equally many ones; `a` had `more`
  // ones before.
  [[nodiscard, gnu::target("avx2,bmi,bmi2,popcnt")]] static std::uint32_t level_places(
      std::uint32_t a, std::uint32_t b, unsigned more) noexcept {
    using chars = char __attribute__((vector_size(32)));
    using quads = std::uint64_t __attribute__((vector_size(32)));
    constexpr chars before = {-1, -1, -1, -1, -1, -1, -1, -1, 7, 7, 7, 7, 7, 7, 7, 7,
                              -1, -1, -1, -1, -1, -1, -1, -1, 7, 7, 7, 7, 7, 7, 7, 7};
    const auto difference = [](unsigned of) { return std::uint64_t{of & 0xFF}; };
    bytes sums = bytes_of(b) - bytes_of(a);
    sums += reinterpret_cast<bytes>(
        quads{difference(more), 0, difference(more + ones(a & 0xFFFF) - ones(b & 0xFFFF)), 0});
    // Prefix sums of 2, 4 and 8 bytes, then of the 16 of a lane: the last of its lower half is
    // added to all of its upper half.
    sums += reinterpret_cast<bytes>(reinterpret_cast<quads>(sums) << 8);
    sums += reinterpret_cast<bytes>(reinterpret_cast<quads>(sums) << 16);
    sums += reinterpret_cast<bytes>(reinterpret_cast<quads>(sums) << 32);
    sums +=
        reinterpret_cast<bytes>(__builtin_ia32_pshufb256(reinterpret_cast<chars>(sums), before));
    return true_bytes(sums == 0);
  }
};

}  // namespace avx2
#endif

#if defined(__x86_64__)
using fast_word_bits = avx2::word_bits;
#else
using fast_word_bits = portable::word_bits;
#endif
template <class Work, class... Given>
auto with_word_bits(Work&& work, Given... given) noexcept {
  return with_spelling<portable::word_bits, fast_word_bits>(work, given...);
}

}  // namespace umbel::cells::kernel
