// kernel/pilots.hpp - pilot search [PT21], [GK25]: the next pilots under which all keys of a bucket
// fall on free slots, portable and for AVX2.
//
// Eight pilots are tried at a time: the eight slots of a key are looked up in the bitmap of taken
// slots together. The first few keys of a bucket are looked up without a branch in between. Whether
// one key alone excludes all eight pilots is unpredictable; whether three do is predictable.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include <umbel/base/pilot_slot.hpp>
#include <umbel/cells/kernel/level.hpp>

namespace umbel::cells::kernel {

inline constexpr std::uint32_t pilots_at_once = 8;

namespace portable {

// Bit i of the result: under pilot first + i every key's slot is free. Bit s of `taken` is bit s %
// 32 of word s / 32.
[[nodiscard]] inline unsigned free_pilots(std::span<const std::uint32_t> hashes,
                                          std::uint32_t slots, const std::uint32_t* taken,
                                          std::uint32_t first) noexcept {
  unsigned out = 0;
  for (std::uint32_t i = 0; i < pilots_at_once; ++i) {
    const std::uint32_t word = detail::pilot_word(first + i);
    bool free = true;
    for (std::size_t k = 0; k < hashes.size() && free; ++k) {
      const std::uint32_t slot = detail::pilot_slot(hashes[k], word, slots);
      free = (taken[slot / 32] >> slot % 32 & 1) == 0;
    }
    out |= unsigned{free} << i;
  }
  return out;
}

// The next group of eight pilots below `limit` of which some fit; sets `first` to its first pilot.
// Returns 0 if there is none.
[[nodiscard]] inline unsigned next_free(std::span<const std::uint32_t> hashes, std::uint32_t slots,
                                        const std::uint32_t* taken, std::uint32_t& first,
                                        std::uint32_t limit) noexcept {
  for (; first < limit; first += pilots_at_once)
    if (const unsigned some = free_pilots(hashes, slots, taken, first); some != 0) return some;
  return 0;
}

}  // namespace portable

#if defined(__x86_64__)
namespace avx2 {

using lanes8 = std::uint32_t __attribute__((vector_size(32)));

// The top bit of each lane: whether that lane's slot is taken.
[[nodiscard, gnu::target("avx2"), gnu::always_inline]] inline lanes8 taken_under(
    std::uint32_t hash, lanes8 words, lanes8 slots, const std::uint32_t* taken) noexcept {
  using ints8 = int __attribute__((vector_size(32)));
  using longs4 = std::uint64_t __attribute__((vector_size(32)));
  const lanes8 mixed = (words ^ hash) * detail::slot_factor;
  const auto range = reinterpret_cast<ints8>(slots);
  const auto even =
      reinterpret_cast<longs4>(__builtin_ia32_pmuludq256(reinterpret_cast<ints8>(mixed), range)) >>
      32;
  const auto odd = reinterpret_cast<longs4>(__builtin_ia32_pmuludq256(
      reinterpret_cast<ints8>(reinterpret_cast<longs4>(mixed) >> 32), range));
  const auto at = reinterpret_cast<lanes8>(even | (odd >> 32 << 32));
  const ints8 none{}, all = ~none;
  const auto word = reinterpret_cast<ints8>(at >> 5);
  const auto* const base = reinterpret_cast<const int*>(taken);
#if defined(__clang__)
  const ints8 found = __builtin_ia32_gatherd_d256(none, base, word, all, 4);
#else
  const ints8 found = __builtin_ia32_gathersiv8si(none, base, word, all, 4);
#endif
  return reinterpret_cast<lanes8>(found) << (~at & 31);
}
[[nodiscard, gnu::target("avx2"), gnu::always_inline]] inline unsigned top_bits(
    lanes8 lanes) noexcept {
  using floats = float __attribute__((vector_size(32)));
  return static_cast<unsigned>(__builtin_ia32_movmskps256(reinterpret_cast<floats>(lanes)));
}

template <unsigned Lead>
[[nodiscard, gnu::target("avx2")]] inline unsigned next_free(std::span<const std::uint32_t> hashes,
                                                             std::uint32_t slots,
                                                             const std::uint32_t* taken,
                                                             std::uint32_t& first,
                                                             std::uint32_t limit) noexcept {
  constexpr unsigned everyone = 0xFF;
  const lanes8 range = lanes8{} + slots;
  const lanes8 numbers{0, 1, 2, 3, 4, 5, 6, 7};
  lanes8 words = (numbers + first) * detail::pilot_factor;
  for (; first < limit; first += pilots_at_once, words += pilots_at_once * detail::pilot_factor) {
    lanes8 bad = taken_under(hashes[0], words, range, taken);
    for (unsigned k = 1; k < Lead; ++k) bad |= taken_under(hashes[k], words, range, taken);
    unsigned out = top_bits(bad);
    for (std::size_t k = Lead; k < hashes.size() && out != everyone; ++k)
      out = top_bits(bad |= taken_under(hashes[k], words, range, taken));
    if (out != everyone) return out ^ everyone;
  }
  return 0;
}
[[nodiscard]] inline unsigned next_free(std::span<const std::uint32_t> hashes, std::uint32_t slots,
                                        const std::uint32_t* taken, std::uint32_t& first,
                                        std::uint32_t limit) noexcept {
  switch (hashes.size()) {
    case 1: return next_free<1>(hashes, slots, taken, first, limit);
    case 2: return next_free<2>(hashes, slots, taken, first, limit);
    default: return next_free<3>(hashes, slots, taken, first, limit);
  }
}

}  // namespace avx2
#endif

[[nodiscard]] inline unsigned next_free(std::span<const std::uint32_t> hashes, std::uint32_t slots,
                                        const std::uint32_t* taken, std::uint32_t& first,
                                        std::uint32_t limit) noexcept {
#if defined(__x86_64__)
  if (in_use() >= level::avx2) return avx2::next_free(hashes, slots, taken, first, limit);
#endif
  return portable::next_free(hashes, slots, taken, first, limit);
}

}  // namespace umbel::cells::kernel
