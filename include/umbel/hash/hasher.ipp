// hasher.ipp - bodies of hasher.hpp; the only file that includes xxHash.
#pragma once

#include <cassert>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <umbel/hash/hasher.hpp>

namespace umbel::detail {

UMBEL_INLINE digest xxh3_digest(const void* bytes, std::size_t size, std::uint64_t seed) noexcept {
  const XXH128_hash_t h = XXH3_128bits_withSeed(bytes, size, seed);
  return {.hi = h.high64, .lo = h.low64};
}

template <class Text>
[[gnu::flatten]] void xxh3_each(std::span<const Text> texts, std::uint64_t seed, digest* out) noexcept {
  for (const Text& text : texts) {
    const XXH128_hash_t h = XXH3_128bits_withSeed(text.data(), text.size(), seed);
    *out++ = {.hi = h.high64, .lo = h.low64};
  }
}
UMBEL_INLINE void xxh3_digests(std::span<const std::string_view> texts, std::uint64_t seed, digest* out) noexcept {
  xxh3_each(texts, seed, out);
}
UMBEL_INLINE void xxh3_digests(std::span<const std::string> texts, std::uint64_t seed, digest* out) noexcept {
  xxh3_each(texts, seed, out);
}

// XXH64 fills `hi`, which is all that format looks at; `lo` follows from it.
UMBEL_INLINE digest parquet_digest(const void* bytes, std::size_t size) noexcept {
  const std::uint64_t h = XXH64(bytes, size, 0);
  return {.hi = h, .lo = mix64(h)};
}

UMBEL_INLINE std::uint64_t checksum(const void* bytes, std::size_t size) noexcept { return XXH3_64bits(bytes, size); }

}  // namespace umbel::detail
