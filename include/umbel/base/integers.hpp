// integers.hpp - integer operations that hash functions, indexes and codes share.
//
// Range reduction uses the high half of a product, never `%`; mixing uses multiplication.
//
// Invariant  No function here ever changes: stored files depend on their results.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace umbel::detail {

__extension__ using uint128 = unsigned __int128;

// Both halves of a product. g++ keeps the halves of an unsigned __int128 together and copies them
// before use: 3 to 23 instructions per query, depending on the structure. Hence one line of
// assembly.
struct product {
  std::uint64_t high, low;
};
[[nodiscard, gnu::always_inline]] constexpr product multiply(std::uint64_t a,
                                                             std::uint64_t b) noexcept {
#if defined(__x86_64__) && !defined(__clang__)
  if (!std::is_constant_evaluated()) {
    product out;
    asm("mulq %3" : "=a"(out.low), "=d"(out.high) : "%a"(a), "rm"(b) : "cc");
    return out;
  }
#endif
  const uint128 both = static_cast<uint128>(a) * b;
  return {static_cast<std::uint64_t>(both >> 64), static_cast<std::uint64_t>(both)};
}

// 2^64 / phi: odd, without pattern in its bits
inline constexpr std::uint64_t golden = 0x9E3779B97F4A7C15;

[[nodiscard]] constexpr std::uint64_t high_product(std::uint64_t a, std::uint64_t b) noexcept {
  return multiply(a, b).high;
}

// XOR of both halves of the product: every bit of the result depends on every bit of both factors.
[[nodiscard]] constexpr std::uint64_t fold_product(std::uint64_t a, std::uint64_t b) noexcept {
  const auto [high, low] = multiply(a, b);
  return high ^ low;
}

// Maps a uniform 64-bit word to [0, range). Uses the HIGH bits of the word: take no other field
// from them.
[[nodiscard]] constexpr std::uint64_t fastrange(std::uint64_t word, std::uint64_t range) noexcept {
  return high_product(word, range);
}

// A bijection of 64-bit words in which every input bit flips about half of the output bits.
[[nodiscard]] constexpr std::uint64_t mix64(std::uint64_t x) noexcept {
  x ^= x >> 32;
  x *= 0xE9846AF9B1A615D5;
  x ^= x >> 29;
  x *= 0xA0761D6478BD642F;
  x ^= x >> 32;
  return x;
}

// The i-th word of a family derived from x: used to number seeds, salts and attempts.
[[nodiscard]] constexpr std::uint64_t remix(std::uint64_t x, std::uint64_t i) noexcept {
  return mix64(x + (i + 1) * golden);
}

[[nodiscard]] constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) noexcept {
  return a / b + (a % b != 0);
}

// Number of set bits in every group of two, four and eight bits; and prefix sums over the bytes.
struct bit_counts {
  explicit constexpr bit_counts(std::uint64_t word) noexcept
      : twos(word - (word >> 1 & 0x5555555555555555)),
        fours((twos & 0x3333333333333333) + (twos >> 2 & 0x3333333333333333)),
        up_to(((fours + (fours >> 4)) & 0x0F0F0F0F0F0F0F0F) * 0x0101010101010101) {}
  std::uint64_t twos, fours, up_to;
  [[nodiscard]] constexpr unsigned all() const noexcept {
    return static_cast<unsigned>(up_to >> 56);
  }
};
// Select: the position of the i-th set bit, from 0. Requires more than i set bits. Bytes that end
// before it are counted; inside its byte, halves are skipped without a branch, which would be
// unpredictable.
[[nodiscard]] constexpr unsigned nth_one(std::uint64_t word, const bit_counts& set,
                                         unsigned i) noexcept {
  constexpr std::uint64_t ones = 0x0101010101010101, tops = 0x8080808080808080;
  const std::uint64_t ended = (((i * ones | tops) - set.up_to) & tops) >> 7;
  unsigned at = static_cast<unsigned>(ended * ones >> 56) * 8;
  unsigned left = i - static_cast<unsigned>((set.up_to << 8) >> at & 0xFF);
  const auto pass = [&](unsigned count, unsigned width) {
    const unsigned beyond = left >= count ? 1 : 0;
    at += beyond * width;
    left -= beyond * count;
  };
  pass(static_cast<unsigned>(set.fours >> at & 0xF), 4);
  pass(static_cast<unsigned>(set.twos >> at & 3), 2);
  pass(static_cast<unsigned>(word >> at & 1), 1);
  return at;
}

// A mask of the low `bits` bits, 0 to 64.
[[nodiscard]] constexpr std::uint64_t low_mask(unsigned bits) noexcept {
  return bits == 0 ? 0 : ~std::uint64_t{0} >> (64 - bits);
}

}  // namespace umbel::detail
