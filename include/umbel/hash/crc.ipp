// crc.ipp - body of crc.hpp.
#pragma once

#include <array>
#include <cstdint>

#include <umbel/hash/crc.hpp>

namespace umbel::detail {

struct crc_table {
  std::array<std::uint32_t, 256> rows{};
  explicit constexpr crc_table(std::uint32_t polynomial) noexcept {
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t row = i;
      for (int bit = 0; bit < 8; ++bit) row = row >> 1 ^ (row % 2 != 0 ? polynomial : 0);
      rows[i] = row;
    }
  }
  [[nodiscard]] constexpr std::uint32_t step(std::uint32_t crc, unsigned char byte) const noexcept {
    return rows[(crc ^ byte) & 0xFF] ^ crc >> 8;
  }
};

UMBEL_INLINE digest crc_digest(const void* bytes, std::size_t size) noexcept {
  static constexpr crc_table ieee(0xEDB88320), castagnoli(0x82F63B78);
  std::uint32_t one = ~0U, two = ~0U;
  const auto* at = static_cast<const unsigned char*>(bytes);
  for (std::size_t i = 0; i < size; ++i) {
    one = ieee.step(one, at[i]);
    two = castagnoli.step(two, at[i]);
  }
  const std::uint64_t ieee_crc = ~one & 0xFFFFFFFF, castagnoli_crc = ~two & 0xFFFFFFFF;
  return {.hi = ieee_crc << 32 | castagnoli_crc, .lo = castagnoli_crc << 32 | ieee_crc};
}

}  // namespace umbel::detail
