// siphash.ipp - body of siphash.hpp.
#pragma once

#include <bit>

#include <umbel/base/endian.hpp>
#include <umbel/hash/siphash.hpp>

namespace umbel::detail {

struct sip_state {
  std::uint64_t v0, v1, v2, v3;

  void rounds(int count) noexcept {
    for (int i = 0; i < count; ++i) {
      v0 += v1, v2 += v3;
      v1 = std::rotl(v1, 13) ^ v0, v3 = std::rotl(v3, 16) ^ v2;
      v0 = std::rotl(v0, 32);
      v2 += v1, v0 += v3;
      v1 = std::rotl(v1, 17) ^ v2, v3 = std::rotl(v3, 21) ^ v0;
      v2 = std::rotl(v2, 32);
    }
  }
  void absorb(std::uint64_t word) noexcept {
    v3 ^= word;
    rounds(2);
    v0 ^= word;
  }
  [[nodiscard]] std::uint64_t squeeze() noexcept {
    rounds(4);
    return v0 ^ v1 ^ v2 ^ v3;
  }
};

UMBEL_INLINE digest siphash128(const void* bytes, std::size_t size,
                               const secret_key& key) noexcept {
  const auto k0 = load_le<std::uint64_t>(key.data());
  const auto k1 = load_le<std::uint64_t>(key.data() + 8);
  sip_state state{k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d ^ 0xee, k0 ^ 0x6c7967656e657261,
                  k1 ^ 0x7465646279746573};
  const auto* at = static_cast<const unsigned char*>(bytes);
  const auto* const whole = at + size / 8 * 8;
  for (; at != whole; at += 8) state.absorb(load_le<std::uint64_t>(at));
  std::uint64_t last = static_cast<std::uint64_t>(size) << 56;
  for (std::size_t i = 0; i < size % 8; ++i) last |= static_cast<std::uint64_t>(at[i]) << (8 * i);
  state.absorb(last);
  state.v2 ^= 0xee;
  const std::uint64_t first = state.squeeze();  // bytes 0..7 of the published output
  state.v1 ^= 0xdd;
  return {.hi = state.squeeze(), .lo = first};
}

}  // namespace umbel::detail
