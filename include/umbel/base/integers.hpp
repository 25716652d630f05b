// integers.hpp - the few integer operations everything else is made of.
// Idea       Range reduction by the high half of a product, never by `%`; mixing by multiplication.
// Invariant  Every function here is fixed for ever: stored files depend on their bits.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace umbel::detail {

__extension__ using uint128 = unsigned __int128;

// Both halves of a product. g++ keeps the halves of an unsigned __int128 together and copies each
// of them before use: 3 to 23 instructions of a query, by the structure. Hence one line of
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

// 2^64 / phi: odd, no pattern in its bits
inline constexpr std::uint64_t golden = 0x9E3779B97F4A7C15;

[[nodiscard]] constexpr std::uint64_t high_product(std::uint64_t a, std::uint64_t b) noexcept {
  return multiply(a, b).high;
}

// Both halves of the product, folded: every bit of the result depends on every bit of both factors.
[[nodiscard]] constexpr std::uint64_t fold_product(std::uint64_t a, std::uint64_t b) noexcept {
  const auto [high, low] = multiply(a, b);
  return high ^ low;
}

// Uniform 64-bit word to [0, range). Consumes the HIGH bits of the word: take no other field from
// them.
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

// The i-th of a family of words made from one: how seeds, salts and attempts are numbered.
[[nodiscard]] constexpr std::uint64_t remix(std::uint64_t x, std::uint64_t i) noexcept {
  return mix64(x + (i + 1) * golden);
}

[[nodiscard]] constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) noexcept {
  return a / b + (a % b != 0);
}

// How many bits are set, in every two, four and eight of them; and up to the end of every byte.
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
// Where the i-th set bit of a word lies, from 0 on, of which there are more than i. Bytes that end
// before it are counted; halves of the rest are passed over without a branch, which nobody could
// foresee.
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

// The low `bits` bits set; `bits` from 0 to 64.
[[nodiscard]] constexpr std::uint64_t low_mask(unsigned bits) noexcept {
  return bits == 0 ? 0 : ~std::uint64_t{0} >> (64 - bits);
}

}  // namespace umbel::detail
