// split_block.hpp - the inner loops of split blocks, in portable code and in AVX2, with the same bits.
// Idea       One multiplication by eight salts puts one bit into each of eight 32-bit lanes of a 256-bit block. The loop
//            over keys is part of the kernel, with the placing of keys inlined into it: calling a kernel per group cost
//            a fifth of the speed inside the cache.
// Layout     A block is 32 bytes, aligned to 32: it never crosses a cache line.
// Source     The Parquet format's Bloom filter page: salts and shift are part of that format.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <umbel/base/ring.hpp>
#include <umbel/cells/kernel/level.hpp>

namespace umbel::cells::kernel {

alignas(32) inline constexpr std::array<std::uint32_t, 8> split_block_salts = {
    0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};

[[nodiscard]] constexpr std::uint32_t split_block_lane(std::uint32_t key, std::size_t lane) noexcept {
  return std::uint32_t{1} << (key * split_block_salts[lane] >> 27);
}

// A key's block, and the 32 bits that choose its cells inside.
struct split_block_spot {
  std::uint32_t* block;
  std::uint32_t key;
};

namespace portable {

struct split_block_test {
  bool* out;
  void operator()(std::size_t i, const split_block_spot& spot) const noexcept {
    std::uint32_t missing = 0;
    for (std::size_t lane = 0; lane < 8; ++lane) missing |= split_block_lane(spot.key, lane) & ~spot.block[lane];
    out[i] = missing == 0;
  }
};

struct split_block_set {
  void operator()(std::size_t, const split_block_spot& spot) const noexcept {
    for (std::size_t lane = 0; lane < 8; ++lane) spot.block[lane] |= split_block_lane(spot.key, lane);
  }
};

template <class Place, class Work>
[[gnu::flatten]] void split_block_loop(std::size_t total, Place&& place, Work&& work) noexcept {
  detail::ring<split_block_spot>(total, place, work);
}

}  // namespace portable

#if defined(__x86_64__)

// Vector types of the compiler instead of <immintrin.h>: reading that header takes longer than the rest of a program.
namespace avx2 {

using lanes = std::uint32_t __attribute__((vector_size(32)));
using words = long long __attribute__((vector_size(32)));

[[gnu::target("avx2")]] inline lanes split_block_mask(std::uint32_t key) noexcept {
  const lanes salts = *reinterpret_cast<const lanes*>(split_block_salts.data());
  const lanes one = {1, 1, 1, 1, 1, 1, 1, 1};
  return one << ((salts * key) >> 27);
}

struct split_block_test {
  bool* out;
  [[gnu::target("avx2")]] void operator()(std::size_t i, const split_block_spot& spot) const noexcept {
    const auto cells = *reinterpret_cast<const lanes*>(spot.block);
    out[i] = __builtin_ia32_ptestc256(reinterpret_cast<words>(cells),
                                      reinterpret_cast<words>(split_block_mask(spot.key))) != 0;
  }
};

struct split_block_set {
  [[gnu::target("avx2")]] void operator()(std::size_t, const split_block_spot& spot) const noexcept {
    *reinterpret_cast<lanes*>(spot.block) |= split_block_mask(spot.key);
  }
};

template <class Place, class Work>
[[gnu::target("avx2,bmi2"), gnu::flatten]] void split_block_loop(std::size_t total, Place&& place,
                                                                 Work&& work) noexcept {
  detail::ring<split_block_spot>(total, place, work);
}

}  // namespace avx2

#endif

// place(i, spot) says where key i goes and fetches it; keys are then tested, or set, in order.
template <class Place>
void split_block_query(std::size_t total, Place&& place, bool* out) noexcept {
#if defined(__x86_64__)
  if (in_use() == level::avx2) return avx2::split_block_loop(total, place, avx2::split_block_test{out});
#endif
  portable::split_block_loop(total, place, portable::split_block_test{out});
}

template <class Place>
void split_block_insert(std::size_t total, Place&& place) noexcept {
#if defined(__x86_64__)
  if (in_use() == level::avx2) return avx2::split_block_loop(total, place, avx2::split_block_set{});
#endif
  portable::split_block_loop(total, place, portable::split_block_set{});
}

}  // namespace umbel::cells::kernel
