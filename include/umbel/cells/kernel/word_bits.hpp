// kernel/word_bits.hpp - how many bits of a word are set, and where the i-th of them lies; portable and for BMI2.
// Idea       A loop that ranks and selects takes one of these as a type, and is compiled once for each: the word operations then
//            are inlined into it. `pdep` moves the bit that is i places up onto the i-th set one.
// Layout     nth(word, i) counts from 0; 64 if the word has no more than i bits set, whatever the spelling.
// Limits     The second is for functions compiled for BMI2 and marked UMBEL_FLAT; in others each operation is a call.
#pragma once

#include <bit>
#include <cstdint>

#include <umbel/base/config.hpp>
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
};

}  // namespace avx2
#endif

// work(bits, given...) with the spelling that is in use, all that it calls being inlined into it; `work` takes `auto bits`. What a
// single call needs is given beside a lambda that captures nothing: it then comes in registers.
template <class Work, class... Given>
[[UMBEL_FLAT]] auto with_portable_bits(Work&& work, Given... given) noexcept {
  return work(portable::word_bits{}, given...);
}
#if defined(__x86_64__)
template <class Work, class... Given>
[[gnu::target("avx2,bmi,bmi2,popcnt"), UMBEL_FLAT]] auto with_bmi2_bits(Work&& work, Given... given) noexcept {
  return work(avx2::word_bits{}, given...);
}
#endif
template <class Work, class... Given>
auto with_word_bits(Work&& work, Given... given) noexcept {
#if defined(__x86_64__)
  if (in_use() == level::avx2) return with_bmi2_bits(work, given...);
#endif
  return with_portable_bits(work, given...);
}

}  // namespace umbel::cells::kernel
