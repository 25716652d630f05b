// pattern/split.hpp - split block Bloom filter: one bit in each of eight lanes of 32 bits (Parquet)
// or 64 bits (a whole cache line).
//
// Eight products with odd salts, or eight fields of a hash, select the bit of each lane. Probes
// never collide, and a vector unit computes all of them at once.
//
// Source     The Bloom filter page of the Parquet format: salts and shift of split32 are part of
//            that format.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <umbel/base/block_shape.hpp>
#include <umbel/cells/kernel/blocks.hpp>

namespace umbel::cells::pattern {

alignas(32) inline constexpr std::array<std::uint32_t, 8> split_salts = {
    0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};
alignas(32) inline constexpr std::array<std::uint32_t, 8> split_ones = {1, 1, 1, 1, 1, 1, 1, 1};

struct split32 {
  using word = std::uint32_t;
  using key = std::uint32_t;
  static constexpr std::size_t block_words = 8;
  static constexpr unsigned min_probes = 8, max_probes = 8;
  [[nodiscard]] static constexpr detail::block_shape shape(unsigned) noexcept {
    return {32, 8, 8, 1};
  }

  [[nodiscard]] static constexpr word mask(key k, std::size_t lane) noexcept {
    return word{1} << (k * split_salts[lane] >> 27);
  }
  template <class Visit>
  void each(key k, Visit&& visit) const noexcept {
    for (std::size_t lane = 0; lane < 8; ++lane) visit(lane, mask(k, lane));
  }

#if defined(__x86_64__)
  [[gnu::target("avx2")]] [[nodiscard]] static kernel::lanes32 prepared() noexcept {
    return *reinterpret_cast<const kernel::lanes32*>(split_salts.data());
  }
  [[gnu::target("avx2")]] [[nodiscard]] static kernel::lanes32 masks(const kernel::lanes32& salts,
                                                                     key k) noexcept {
    return kernel::avx2::loaded<kernel::lanes32>(split_ones) << ((salts * k) >> 27);
  }
  [[gnu::target("avx2")]] [[nodiscard]] static bool test(const kernel::lanes32& salts,
                                                         const word* block, key k) noexcept {
    return kernel::avx2::covers(*reinterpret_cast<const kernel::lanes32*>(block), masks(salts, k));
  }
  [[gnu::target("avx2")]] static void set(const kernel::lanes32& salts, word* block,
                                          key k) noexcept {
    *reinterpret_cast<kernel::lanes32*>(block) |= masks(salts, k);
  }
#endif
};

// Six bits of the hash for each of eight words: one cache line of 64 bytes, exactly eight distinct
// bits.
struct split64 {
  using word = std::uint64_t;
  using key = std::uint64_t;
  static constexpr std::string_view kind = "multiblock-bloom-filter";
  static constexpr std::size_t block_words = 8;
  static constexpr unsigned min_probes = 8, max_probes = 8;
  [[nodiscard]] static constexpr detail::block_shape shape(unsigned) noexcept {
    return {64, 8, 8, 1};
  }
  explicit split64(unsigned = 8) noexcept {}

  template <class Visit>
  void each(key k, Visit&& visit) const noexcept {
    for (std::size_t lane = 0; lane < 8; ++lane) visit(lane, word{1} << (k >> (6 * lane) & 63));
  }

#if defined(__x86_64__)
  [[nodiscard]] static constexpr bool prepared() noexcept { return true; }
  [[gnu::target("avx2")]] [[nodiscard]] static kernel::lanes64 masks(key k,
                                                                     std::uint64_t first) noexcept {
    const kernel::lanes64 one = {1, 1, 1, 1}, low = {63, 63, 63, 63};
    const kernel::lanes64 at = {first, first + 6, first + 12, first + 18};
    const kernel::lanes64 keys = {k, k, k, k};
    return one << (keys >> at & low);
  }
  [[gnu::target("avx2")]] [[nodiscard]] static bool test(bool, const word* block, key k) noexcept {
    const auto* const cells = reinterpret_cast<const kernel::lanes64*>(block);
    const kernel::lanes64 missing = (~cells[0] & masks(k, 0)) | (~cells[1] & masks(k, 24));
    return __builtin_ia32_ptestz256(kernel::avx2::as<kernel::signed64>(missing),
                                    kernel::avx2::as<kernel::signed64>(missing)) != 0;
  }
  [[gnu::target("avx2")]] static void set(bool, word* block, key k) noexcept {
    auto* const cells = reinterpret_cast<kernel::lanes64*>(block);
    cells[0] |= masks(k, 0);
    cells[1] |= masks(k, 24);
  }
#endif
};

}  // namespace umbel::cells::pattern
