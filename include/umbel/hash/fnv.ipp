// fnv.ipp - body of fnv.hpp.
#pragma once

#include <cstdint>

#include <umbel/base/integers.hpp>
#include <umbel/hash/fnv.hpp>

namespace umbel::detail {

UMBEL_INLINE digest fnv_digest(const void* bytes, std::size_t size) noexcept {
  std::uint64_t h = 0xCBF29CE484222325;
  const auto* at = static_cast<const unsigned char*>(bytes);
  for (std::size_t i = 0; i < size; ++i) h = (h * 0x100000001B3) ^ at[i];
  return {.hi = h, .lo = mix64(h)};
}

}  // namespace umbel::detail
