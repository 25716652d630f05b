// kernel/carryless.hpp - arithmetic in GF(2^64): products, dot products and scaled additions,
// portable and with PCLMUL.
//
// Elements are polynomials over GF(2) with 64 coefficients in a word; addition is XOR. A product
// has 127 coefficients and is reduced by x^64 = x^4 + x^3 + x + 1. A sum of products is reduced
// once.
//
// Limits     The vector code is used if level.hpp allows vectors and the processor has PCLMUL.
#pragma once

#include <cstddef>
#include <cstdint>

#include <umbel/base/integers.hpp>
#include <umbel/cells/kernel/level.hpp>

namespace umbel::cells::kernel {

namespace portable {

[[nodiscard]] constexpr detail::uint128 carryless(std::uint64_t a, std::uint64_t b) noexcept {
  detail::uint128 out = 0;
  for (unsigned i = 0; i < 64; ++i)
    out ^= (detail::uint128{a} << i) & (detail::uint128{0} - (b >> i & 1));
  return out;
}
// Adds the high half times x^4 + x^3 + x + 1 to the low half, and once more for the bits that
// exceed it.
[[nodiscard]] constexpr std::uint64_t reduced(detail::uint128 product) noexcept {
  const auto high = static_cast<std::uint64_t>(product >> 64);
  const std::uint64_t out = high >> 60 ^ high >> 61 ^ high >> 63;
  const std::uint64_t all = high ^ out;
  return static_cast<std::uint64_t>(product) ^ all ^ all << 1 ^ all << 3 ^ all << 4;
}
[[nodiscard]] constexpr std::uint64_t field_product(std::uint64_t a, std::uint64_t b) noexcept {
  return reduced(carryless(a, b));
}
// The sum of a[i] b[i].
[[nodiscard]] inline std::uint64_t field_dot(const std::uint64_t* a, const std::uint64_t* b,
                                             std::size_t n) noexcept {
  detail::uint128 sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum ^= carryless(a[i], b[i]);
  return reduced(sum);
}
// The sum of a[i] b[-i], as used by linear recurrences.
[[nodiscard]] inline std::uint64_t field_back_dot(const std::uint64_t* a, const std::uint64_t* b,
                                                  std::size_t n) noexcept {
  detail::uint128 sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum ^= carryless(a[i], *(b - i));
  return reduced(sum);
}
// to[i] += factor * from[i].
inline void field_add(std::uint64_t* to, std::uint64_t factor, const std::uint64_t* from,
                      std::size_t n) noexcept {
  for (std::size_t i = 0; i < n; ++i) to[i] ^= field_product(factor, from[i]);
}

}  // namespace portable

#if defined(__x86_64__)
namespace pclmul {

using pair = long long __attribute__((vector_size(16)));

[[nodiscard, gnu::target("pclmul"), gnu::always_inline]] inline detail::uint128 carryless(
    std::uint64_t a, std::uint64_t b) noexcept {
  const auto product = __builtin_ia32_pclmulqdq128(pair{static_cast<long long>(a), 0},
                                                   pair{static_cast<long long>(b), 0}, 0);
  return detail::uint128{static_cast<std::uint64_t>(product[1])} << 64 |
         static_cast<std::uint64_t>(product[0]);
}
[[nodiscard, gnu::target("pclmul")]] inline std::uint64_t field_dot(const std::uint64_t* a,
                                                                    const std::uint64_t* b,
                                                                    std::size_t n) noexcept {
  detail::uint128 sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum ^= carryless(a[i], b[i]);
  return portable::reduced(sum);
}
[[nodiscard, gnu::target("pclmul")]] inline std::uint64_t field_back_dot(const std::uint64_t* a,
                                                                         const std::uint64_t* b,
                                                                         std::size_t n) noexcept {
  detail::uint128 sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum ^= carryless(a[i], *(b - i));
  return portable::reduced(sum);
}
[[gnu::target("pclmul")]] inline void field_add(std::uint64_t* to, std::uint64_t factor,
                                                const std::uint64_t* from, std::size_t n) noexcept {
  for (std::size_t i = 0; i < n; ++i) to[i] ^= portable::reduced(carryless(factor, from[i]));
}

}  // namespace pclmul

[[nodiscard]] inline bool has_carryless() noexcept {
  static const bool able = __builtin_cpu_supports("pclmul");
  return able && in_use() != level::portable;
}
#endif

// ---- the implementation in use ----

[[nodiscard]] inline std::uint64_t field_dot(const std::uint64_t* a, const std::uint64_t* b,
                                             std::size_t n) noexcept {
#if defined(__x86_64__)
  if (has_carryless()) return pclmul::field_dot(a, b, n);
#endif
  return portable::field_dot(a, b, n);
}
[[nodiscard]] inline std::uint64_t field_back_dot(const std::uint64_t* a, const std::uint64_t* b,
                                                  std::size_t n) noexcept {
#if defined(__x86_64__)
  if (has_carryless()) return pclmul::field_back_dot(a, b, n);
#endif
  return portable::field_back_dot(a, b, n);
}
inline void field_add(std::uint64_t* to, std::uint64_t factor, const std::uint64_t* from,
                      std::size_t n) noexcept {
#if defined(__x86_64__)
  if (has_carryless()) return pclmul::field_add(to, factor, from, n);
#endif
  portable::field_add(to, factor, from, n);
}
[[nodiscard]] inline std::uint64_t field_product(std::uint64_t a, std::uint64_t b) noexcept {
  return field_dot(&a, &b, 1);
}
// a^(2^64 - 2); 0 for a = 0, which has no inverse.
[[nodiscard]] inline std::uint64_t field_inverse(std::uint64_t a) noexcept {
  std::uint64_t square = a, out = 1;
  for (unsigned i = 1; i < 64; ++i) {
    square = field_product(square, square);
    out = field_product(out, square);
  }
  return out;
}

}  // namespace umbel::cells::kernel
