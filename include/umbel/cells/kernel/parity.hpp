// kernel/parity.hpp - parities of a band of coefficients over many bit columns: portable, AVX2 and
// AVX-512.
//
// Works on eight columns at a time: AND the words of each block with its part of the band, XOR the
// blocks, then fold eight words to eight bits in one register. AVX-512 counts the bits of eight
// words in one instruction.
//
// Layout     The words of a band are in 2 or 3 blocks of `width` words; part[i] holds the
//            coefficients in block i.
#pragma once

#include <cstdint>

#include <umbel/cells/kernel/lanes.hpp>
#include <umbel/cells/kernel/level.hpp>

namespace umbel::cells::kernel {

template <unsigned Blocks>
struct run {
  const std::uint64_t* first;  // word 0 of the first block
  const std::uint64_t* last;   // word 0 of the last block; it exists even if its part is 0
  std::uint64_t part[Blocks];

  [[nodiscard]] std::uint64_t word(unsigned column, unsigned width) const noexcept {
    std::uint64_t out = (first[column] & part[0]) ^ (last[column] & part[Blocks - 1]);
    if constexpr (Blocks == 3) out ^= first[width + column] & part[1];
    return out;
  }
};

namespace portable {

template <unsigned Blocks>
[[nodiscard]] inline std::uint64_t parities(const run<Blocks>& r, unsigned width,
                                            unsigned column = 0) noexcept {
  std::uint64_t out = 0;
  for (; column < width; ++column)
    out |= static_cast<std::uint64_t>(__builtin_parityll(r.word(column, width))) << column;
  return out;
}

}  // namespace portable

#if defined(__x86_64__)
namespace avx2 {

using words4 [[gnu::aligned(8)]] = std::uint64_t __attribute__((vector_size(32), may_alias));
// clang ignores the attribute after the type, and would then use aligned loads
static_assert(alignof(words4) == 8);
using words8 = std::uint32_t __attribute__((vector_size(32), may_alias));

using floats8 = float __attribute__((vector_size(32), may_alias));

// An unaligned load: through a pointer deduced by a template, g++ forgets the alignment of words4
// and uses aligned loads.
[[nodiscard, gnu::target("avx2,bmi,bmi2,popcnt"), gnu::always_inline]] inline words4 load(
    const std::uint64_t* from) noexcept {
  words4 out;
  __builtin_memcpy(&out, from, sizeof out);
  return out;
}

// One bit per word: the parities of eight words. Halves are interleaved by a float shuffle, since
// integers have no such instruction. It works inside 128-bit lanes, so the words are reordered
// afterwards.
[[nodiscard, gnu::target("avx2,bmi,bmi2,popcnt"), gnu::always_inline]] inline unsigned parities_of(
    words4 a, words4 b) noexcept {
  const auto low = reinterpret_cast<floats8>(a), high = reinterpret_cast<floats8>(b);
  const words4 mixed =
      reinterpret_cast<words4>(__builtin_shufflevector(low, high, 0, 2, 8, 10, 4, 6, 12, 14)) ^
      reinterpret_cast<words4>(__builtin_shufflevector(low, high, 1, 3, 9, 11, 5, 7, 13, 15));
  words8 x = reinterpret_cast<words8>(__builtin_shufflevector(mixed, mixed, 0, 2, 1, 3));
  x ^= x << 16;
  x ^= x << 8;
  x ^= x << 4;
  x ^= x << 2;
  x ^= x << 1;
  return static_cast<unsigned>(__builtin_ia32_movmskps256(reinterpret_cast<floats8>(x)));
}
// Parities of eight columns from `column` on.
template <unsigned Blocks>
[[nodiscard, gnu::target("avx2,bmi,bmi2,popcnt"), gnu::always_inline]] inline unsigned
eight_parities(const run<Blocks>& r, unsigned width = 8, unsigned column = 0) noexcept {
  const std::uint64_t *const first = r.first + column, *const last = r.last + column;
  words4 a = (load(first) & r.part[0]) ^ (load(last) & r.part[Blocks - 1]);
  words4 b = (load(first + 4) & r.part[0]) ^ (load(last + 4) & r.part[Blocks - 1]);
  if constexpr (Blocks == 3) {
    const std::uint64_t* const middle = first + width;
    a ^= load(middle) & r.part[1];
    b ^= load(middle + 4) & r.part[1];
  }
  return parities_of(a, b);
}
template <unsigned Blocks>
[[nodiscard, gnu::target("avx2,bmi,bmi2,popcnt")]] inline std::uint64_t parities(
    const run<Blocks>& r, unsigned width) noexcept {
  std::uint64_t out = 0;
  unsigned column = 0;
  for (; column + 8 <= width; column += 8)
    out |= std::uint64_t{eight_parities(r, width, column)} << column;
  for (; column < width; ++column)
    out |= static_cast<std::uint64_t>(__builtin_parityll(r.word(column, width))) << column;
  return out;
}

}  // namespace avx2

namespace avx512 {

// Parities of up to eight columns from `column` on.
template <unsigned Blocks>
[[nodiscard, UMBEL_LANES, gnu::always_inline]] inline unsigned eight_parities(
    const run<Blocks>& r, unsigned width = 8, unsigned column = 0) noexcept {
  const unsigned left = width - column;
  lanes sum = (load_most(r.first + column, left) & r.part[0]) ^
              (load_most(r.last + column, left) & r.part[Blocks - 1]);
  if constexpr (Blocks == 3) sum ^= load_most(r.first + width + column, left) & r.part[1];
  return odd(sum);
}
template <unsigned Blocks>
[[nodiscard, UMBEL_LANES]] inline std::uint64_t parities(const run<Blocks>& r,
                                                         unsigned width) noexcept {
  std::uint64_t out = 0;
  for (unsigned column = 0; column < width; column += lane_count)
    out |= std::uint64_t{eight_parities(r, width, column)} << column;
  return out;
}

}  // namespace avx512
#endif

}  // namespace umbel::cells::kernel
