// md5.ipp - body of md5.hpp.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include <umbel/base/endian.hpp>
#include <umbel/hash/md5.hpp>

namespace umbel::detail {

// floor(2^32 |sin(i + 1)|), from the definition.
inline constexpr std::array<std::uint32_t, 64> md5_sines{
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};

struct md5_state {
  std::uint32_t a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;

  void absorb(const std::byte* block) noexcept {
    static constexpr unsigned turns[4][4] = {
        {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    // the word that step i uses: s * i + t
    static constexpr unsigned strides[4][2] = {{1, 0}, {5, 1}, {3, 5}, {7, 0}};
    const md5_state before = *this;
    for (unsigned i = 0; i < 64; ++i) {
      const unsigned round = i / 16;
      const std::uint32_t f = round == 0   ? (b & c) | (~b & d)
                              : round == 1 ? (d & b) | (~d & c)
                              : round == 2 ? b ^ c ^ d
                                           : c ^ (b | ~d);
      const auto word =
          load_le<std::uint32_t>(block + 4 * ((strides[round][0] * i + strides[round][1]) % 16));
      const std::uint32_t sum = a + f + md5_sines[i] + word;
      a = d, d = c, c = b;
      b += std::rotl(sum, static_cast<int>(turns[round][i % 4]));
    }
    a += before.a, b += before.b, c += before.c, d += before.d;
  }
};

UMBEL_INLINE digest md5_digest(const void* bytes, std::size_t size) noexcept {
  md5_state state;
  const auto* at = static_cast<const std::byte*>(bytes);
  std::size_t left = size;
  for (; left >= 64; left -= 64, at += 64) state.absorb(at);
  std::byte tail[128]{};  // the rest, one set bit, zeros, and the length in bits
  if (left != 0) std::memcpy(tail, at, left);
  tail[left] = std::byte{0x80};
  const std::size_t end = left < 56 ? 64 : 128;
  store_le<std::uint64_t>(tail + end - 8, std::uint64_t{size} * 8);
  for (std::size_t i = 0; i < end; i += 64) state.absorb(tail + i);
  const auto word = [](std::uint32_t first, std::uint32_t second) {
    return std::uint64_t{__builtin_bswap32(first)} << 32 | __builtin_bswap32(second);
  };
  return {.hi = word(state.a, state.b), .lo = word(state.c, state.d)};
}

}  // namespace umbel::detail
