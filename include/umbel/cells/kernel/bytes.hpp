// kernel/bytes.hpp - 32 bytes in an AVX2 register: operations shared by the tag kernels.
//
// Limits     For functions compiled for AVX2 and marked UMBEL_FLAT. In others each operation is a
//            call.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
namespace umbel::cells::kernel::avx2 {

using bytes = signed char __attribute__((vector_size(32)));

// Unaligned. With memcpy, a storing function would align its stack for a variable that is never
// there.
using loose_bytes [[gnu::aligned(1)]] = signed char __attribute__((vector_size(32), may_alias));
static_assert(alignof(loose_bytes) == 1);  // clang ignores the attribute after the type

[[nodiscard, gnu::target("avx2")]] inline bytes load(const unsigned char* from) noexcept {
  return *reinterpret_cast<const loose_bytes*>(from);
}
[[gnu::target("avx2")]] inline void store(unsigned char* to, bytes some) noexcept {
  *reinterpret_cast<loose_bytes*>(to) = some;
}
// One bit per byte of a comparison result.
[[nodiscard, gnu::target("avx2")]] inline std::uint32_t true_bytes(bytes compared) noexcept {
  using chars = char __attribute__((vector_size(32)));
  return static_cast<std::uint32_t>(__builtin_ia32_pmovmskb256(reinterpret_cast<chars>(compared)));
}
// The inverse: 0xFF for every set bit.
[[nodiscard, gnu::target("avx2"), gnu::always_inline]] inline bytes bytes_of(
    std::uint32_t bits) noexcept {
  using chars = char __attribute__((vector_size(32)));
  using spread8 = std::uint32_t __attribute__((vector_size(32)));
  constexpr chars own_byte = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1,
                              2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3};
  constexpr bytes own_bit = {1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128,
                             1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128};
  const auto all = reinterpret_cast<chars>(spread8{bits, bits, bits, bits, bits, bits, bits, bits});
  return (reinterpret_cast<bytes>(__builtin_ia32_pshufb256(all, own_byte)) & own_bit) == own_bit;
}
[[nodiscard, gnu::target("avx2")]] inline bytes byte_numbers() noexcept {
  return bytes{0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
               16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
}
// Moves every byte up by one or two places; the lowest bytes become undefined. In two shuffles,
// since g++ would need four instructions for one.
template <unsigned Places>
[[nodiscard, gnu::target("avx2")]] bytes moved_up(bytes some) noexcept {
  static_assert(Places == 1 || Places == 2);
  const bytes low =
      __builtin_shufflevector(some, some, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0,
                              1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  if constexpr (Places == 1)
    return __builtin_shufflevector(low, some, 15, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
                                   44, 45, 46, 31, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59,
                                   60, 61, 62);
  else
    return __builtin_shufflevector(low, some, 14, 15, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42,
                                   43, 44, 45, 30, 31, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58,
                                   59, 60, 61);
}

}  // namespace umbel::cells::kernel::avx2
#endif
