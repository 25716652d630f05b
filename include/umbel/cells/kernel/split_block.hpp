// split_block.hpp - the inner loop of split blocks, in portable code and in AVX2, with the same bits.
// Idea       One multiplication by eight salts puts one bit into each of eight 32-bit lanes of a 256-bit block.
// Layout     A block is 32 bytes, aligned to 32: it never crosses a cache line.
// Source     The Parquet format's Bloom filter page: salts and shift are part of that format.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <umbel/base/config.hpp>

namespace umbel::cells::kernel {

inline constexpr std::array<std::uint32_t, 8> split_block_salts = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
                                                                   0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};

[[nodiscard]] constexpr std::uint32_t split_block_lane(std::uint32_t key, std::size_t lane) noexcept {
  return std::uint32_t{1} << (key * split_block_salts[lane] >> 27);
}

// Queries and inserts of `count` keys whose blocks are block[i] * 8 lanes into `lanes`.
struct split_block {
  void (*test)(const std::uint32_t* lanes, const std::uint64_t* block, const std::uint32_t* key, std::size_t count,
               bool* out) noexcept;
  void (*set)(std::uint32_t* lanes, const std::uint64_t* block, const std::uint32_t* key, std::size_t count) noexcept;
};

[[nodiscard]] const split_block& portable_split_block() noexcept;
[[nodiscard]] const split_block& avx2_split_block() noexcept;  // portable where the compiler knows no AVX2

}  // namespace umbel::cells::kernel

#if UMBEL_WITH_BODIES
#include <umbel/cells/kernel/split_block.ipp>
#endif
