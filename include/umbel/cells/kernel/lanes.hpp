// kernel/lanes.hpp - AVX-512 operations on eight 64-bit words that compiler vector types lack.
//
// Eight keys are hashed and placed with the instructions of one and a half. Whole loops are
// compiled for UMBEL_LANES, and these functions are inlined into them. A 128-bit product is four
// 32-bit products and some additions.
//
// Limits     The two compilers name some builtins differently. <immintrin.h>, which hides that,
//            takes longer to compile than the rest of a program.
#pragma once

#include <cstdint>

// Only the features that are used: g++ needs a megabyte of memory for each feature's builtins.
#define UMBEL_LANES gnu::target("avx512f,avx512dq,avx512vpopcntdq,avx2,bmi,bmi2,popcnt")

#if defined(__x86_64__)
namespace umbel::cells::kernel::avx512 {

using lanes = std::uint64_t __attribute__((vector_size(64), may_alias));
using loose_lanes [[gnu::aligned(8)]] = std::uint64_t __attribute__((vector_size(64), may_alias));
// clang ignores the attribute after the type
static_assert(alignof(loose_lanes) == 8);
using signed_lanes = long long __attribute__((vector_size(64)));  // the type the builtins take
inline constexpr unsigned lane_count = 8;

[[nodiscard, UMBEL_LANES, gnu::always_inline]] inline lanes load(
    const std::uint64_t* from) noexcept {
  return *reinterpret_cast<const loose_lanes*>(from);
}
// Loads the first `count` words. The others are 0 and are not read.
[[nodiscard, UMBEL_LANES, gnu::always_inline]] inline lanes load_most(const std::uint64_t* from,
                                                                      unsigned count) noexcept {
  if (count >= lane_count) return load(from);
  return reinterpret_cast<lanes>(
      __builtin_ia32_loaddqudi512_mask(reinterpret_cast<const long long*>(from), signed_lanes{},
                                       static_cast<std::uint8_t>((1U << count) - 1)));
}
[[UMBEL_LANES, gnu::always_inline]] inline void store(std::uint64_t* to, lanes a) noexcept {
  *reinterpret_cast<loose_lanes*>(to) = a;
}
// Stores words below 256 as bytes.
[[UMBEL_LANES, gnu::always_inline]] inline void store_bytes(std::uint8_t* to, lanes a) noexcept {
  using bytes [[gnu::aligned(1)]] = std::uint8_t __attribute__((vector_size(8), may_alias));
  *reinterpret_cast<bytes*>(to) = __builtin_convertvector(a, bytes);
}
[[nodiscard, UMBEL_LANES, gnu::always_inline]] inline lanes all(std::uint64_t word) noexcept {
  return lanes{word, word, word, word, word, word, word, word};
}

// Products of the low halves of words.
[[nodiscard, UMBEL_LANES, gnu::always_inline]] inline lanes product_of_halves(lanes a,
                                                                              lanes b) noexcept {
#if defined(__clang__)
  return (a & 0xFFFFFFFF) * (b & 0xFFFFFFFF);  // clang turns this into the instruction
#else
  using halves = int __attribute__((vector_size(64)));
  return reinterpret_cast<lanes>(__builtin_ia32_pmuludq512_mask(
      reinterpret_cast<halves>(a), reinterpret_cast<halves>(b), signed_lanes{}, 0xFF));
#endif
}
struct products {
  lanes high, low;
};
[[nodiscard, UMBEL_LANES, gnu::always_inline]] inline products full_product(lanes a,
                                                                            lanes b) noexcept {
  const lanes upper_a = a >> 32, upper_b = b >> 32;
  const lanes once = product_of_halves(upper_a, b) + (product_of_halves(a, b) >> 32);
  const lanes twice = product_of_halves(a, upper_b) + (once & 0xFFFFFFFF);
  return {product_of_halves(upper_a, upper_b) + (once >> 32) + (twice >> 32), a * b};
}
// detail::fastrange by a range below 2^32.
[[nodiscard, UMBEL_LANES, gnu::always_inline]] inline lanes scaled(lanes word,
                                                                   lanes range) noexcept {
  return (product_of_halves(word >> 32, range) + (product_of_halves(word, range) >> 32)) >> 32;
}

// One bit per lane: a < b; a == b.
[[nodiscard, UMBEL_LANES, gnu::always_inline]] inline unsigned below(lanes a, lanes b) noexcept {
  return static_cast<std::uint8_t>(__builtin_ia32_ucmpq512_mask(
      reinterpret_cast<signed_lanes>(a), reinterpret_cast<signed_lanes>(b), 1, 0xFF));
}
[[nodiscard, UMBEL_LANES, gnu::always_inline]] inline unsigned equal(lanes a, lanes b) noexcept {
  return static_cast<std::uint8_t>(__builtin_ia32_ucmpq512_mask(
      reinterpret_cast<signed_lanes>(a), reinterpret_cast<signed_lanes>(b), 0, 0xFF));
}
// One bit per lane: the parity of the word.
[[nodiscard, UMBEL_LANES, gnu::always_inline]] inline unsigned odd(lanes a) noexcept {
#if defined(__clang__)
  const lanes counts =
      reinterpret_cast<lanes>(__builtin_ia32_vpopcntq_512(reinterpret_cast<signed_lanes>(a)));
  return equal(counts & 1, all(1));
#else
  const signed_lanes counts = __builtin_ia32_vpopcountq_v8di(reinterpret_cast<signed_lanes>(a));
  return static_cast<std::uint8_t>(
      __builtin_ia32_ptestmq512(counts, reinterpret_cast<signed_lanes>(all(1)), 0xFF));
#endif
}

// Joins eight 8-bit masks into the bytes of a word, the first lowest. Pairs are joined in mask
// registers: with integer registers alone it takes twice as many instructions.
[[nodiscard, UMBEL_LANES, gnu::always_inline]] inline std::uint64_t joined(
    const unsigned (&bits)[8]) noexcept {
  std::uint64_t out = 0;
#pragma GCC unroll 4
  for (unsigned i = 0; i < 8; i += 2) {
    const auto low = static_cast<std::uint16_t>(bits[i]),
               high = static_cast<std::uint16_t>(bits[i + 1]);
    out |= std::uint64_t{static_cast<std::uint16_t>(__builtin_ia32_kunpckhi(high, low))} << (8 * i);
  }
  return out;
}

// For each lane, the word of `from` selected by the low three bits of `at`.
[[nodiscard, UMBEL_LANES, gnu::always_inline]] inline lanes pick(lanes from, lanes at) noexcept {
#if defined(__clang__)
  return reinterpret_cast<lanes>(__builtin_ia32_permvardi512(reinterpret_cast<signed_lanes>(from),
                                                             reinterpret_cast<signed_lanes>(at)));
#else
  return __builtin_shuffle(from, at);
#endif
}
// Moves the lanes whose bit is set to the front; zeros follow.
[[nodiscard, UMBEL_LANES, gnu::always_inline]] inline lanes compress(lanes a,
                                                                     unsigned chosen) noexcept {
  return reinterpret_cast<lanes>(__builtin_ia32_compressdi512_mask(
      reinterpret_cast<signed_lanes>(a), signed_lanes{}, static_cast<std::uint8_t>(chosen)));
}

}  // namespace umbel::cells::kernel::avx512
#endif
