// split_block.ipp - bodies of split_block.hpp.
#pragma once

#include <umbel/cells/kernel/split_block.hpp>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace umbel::cells::kernel {

namespace portable {

UMBEL_INLINE void split_block_test(const std::uint32_t* lanes, const std::uint64_t* block, const std::uint32_t* key,
                                   std::size_t count, bool* out) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t* const at = lanes + block[i] * 8;
    std::uint32_t missing = 0;
    for (std::size_t lane = 0; lane < 8; ++lane) missing |= split_block_lane(key[i], lane) & ~at[lane];
    out[i] = missing == 0;
  }
}

UMBEL_INLINE void split_block_set(std::uint32_t* lanes, const std::uint64_t* block, const std::uint32_t* key,
                                  std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t lane = 0; lane < 8; ++lane) lanes[block[i] * 8 + lane] |= split_block_lane(key[i], lane);
}

}  // namespace portable

UMBEL_INLINE const split_block& portable_split_block() noexcept {
  static constexpr split_block table{portable::split_block_test, portable::split_block_set};
  return table;
}

#if defined(__x86_64__)

namespace avx2 {

[[gnu::target("avx2")]] inline __m256i split_block_mask(std::uint32_t key) noexcept {
  const __m256i salts = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(split_block_salts.data()));
  const __m256i product = _mm256_mullo_epi32(_mm256_set1_epi32(static_cast<int>(key)), salts);
  return _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_srli_epi32(product, 27));
}

[[gnu::target("avx2")]] UMBEL_INLINE void split_block_test(const std::uint32_t* lanes, const std::uint64_t* block,
                                                           const std::uint32_t* key, std::size_t count,
                                                           bool* out) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    const auto* at = reinterpret_cast<const __m256i*>(lanes + block[i] * 8);
    out[i] = _mm256_testc_si256(_mm256_load_si256(at), split_block_mask(key[i])) != 0;
  }
}

[[gnu::target("avx2")]] UMBEL_INLINE void split_block_set(std::uint32_t* lanes, const std::uint64_t* block,
                                                          const std::uint32_t* key, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    auto* at = reinterpret_cast<__m256i*>(lanes + block[i] * 8);
    _mm256_store_si256(at, _mm256_or_si256(_mm256_load_si256(at), split_block_mask(key[i])));
  }
}

}  // namespace avx2

UMBEL_INLINE const split_block& avx2_split_block() noexcept {
  static constexpr split_block table{avx2::split_block_test, avx2::split_block_set};
  return table;
}

#else

UMBEL_INLINE const split_block& avx2_split_block() noexcept { return portable_split_block(); }

#endif

}  // namespace umbel::cells::kernel
