// kernel/word_bits.hpp - how many bits of a word are set, and where the i-th of them lies; portable and for BMI2.
// Idea       A loop that ranks and selects takes one of these as a type, and is compiled once for each: the word operations then
//            are inlined into it. `pdep` moves the bit that is i places up onto the i-th set one.
// Layout     nth(word, i) counts from 0; 64 if the word has no more than i bits set, whatever the spelling. neighbours(word, i) is
//            the word without all but its i-th set bit and the next.
// Limits     The second is for functions compiled for BMI2 and marked UMBEL_FLAT; in others each operation is a call.
#pragma once

#include <bit>
#include <cstdint>

#include <umbel/base/integers.hpp>
#include <umbel/cells/kernel/level.hpp>

namespace umbel::cells::kernel {

namespace portable {

struct word_bits {
  // Not std::popcount: where the processor's own is not asked for, that is a call.
  [[nodiscard]] static constexpr unsigned ones(std::uint64_t word) noexcept { return detail::bit_counts(word).all(); }
  [[nodiscard]] static constexpr unsigned nth(std::uint64_t word, unsigned i) noexcept {
    const detail::bit_counts set(word);
    return i < set.all() ? detail::nth_one(word, set, i) : 64;
  }
  [[nodiscard]] static constexpr std::uint64_t neighbours(std::uint64_t word, unsigned i) noexcept {
    const detail::bit_counts set(word);
    if (i >= set.all()) return 0;
    const std::uint64_t rest = word & ~std::uint64_t{0} << detail::nth_one(word, set, i), after = rest & (rest - 1);
    return rest ^ (after & (after - 1));
  }
};

}  // namespace portable

#if defined(__x86_64__)
namespace avx2 {

struct word_bits {
  [[nodiscard, gnu::target("bmi,bmi2,popcnt")]] static unsigned ones(std::uint64_t word) noexcept {
    return static_cast<unsigned>(__builtin_popcountll(word));
  }
  [[nodiscard, gnu::target("bmi,bmi2,popcnt")]] static unsigned nth(std::uint64_t word, unsigned i) noexcept {
    return static_cast<unsigned>(std::countr_zero(__builtin_ia32_pdep_di(i < 64 ? std::uint64_t{1} << i : 0, word)));
  }
  [[nodiscard, gnu::target("bmi,bmi2,popcnt")]] static std::uint64_t neighbours(std::uint64_t word,
                                                                                unsigned i) noexcept {
    return __builtin_ia32_pdep_di(i < 64 ? std::uint64_t{3} << i : 0, word);
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
