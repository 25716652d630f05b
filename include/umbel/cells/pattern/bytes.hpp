// pattern/bytes.hpp - eight bits for eight bytes of a key: four in each of two groups of 256, a byte for a bit.
// Idea       A probe that meets an earlier one of its group moves on, because a stranger that looks at one bit twice looks at one
//            bit less. All eight are tested at once: each lane picks its word by a permutation of its group.
#pragma once

#include <cstddef>
#include <cstdint>

#include <umbel/cells/kernel/blocks.hpp>

namespace umbel::cells::pattern {

struct bytes {
  using word = std::uint32_t;
  using key = std::uint64_t;
  static constexpr std::size_t group_words = 8;

  // The bit of the probe in this lane of the key; groups have lanes 0 to 3 and 4 to 7.
  [[nodiscard]] static constexpr std::uint32_t bit(key k, unsigned lane) noexcept {
    std::uint32_t out = byte(k, lane);
    for (unsigned r = lane / 4 * 4; r < lane; ++r) out += byte(k, r) == byte(k, lane);
    return out % 256;
  }

#if defined(__x86_64__)
  // Four keys, each byte of which that equals an earlier one of its group moves on.
  [[gnu::target("avx2")]] [[nodiscard]] static kernel::lanes64 refined(const kernel::lanes64& keys) noexcept {
    const auto all = kernel::avx2::as<bytes32>(keys);
    return kernel::avx2::as<kernel::lanes64>(all + met<1>(all) + met<2>(all) + met<3>(all));
  }
  [[gnu::target("avx2")]] [[nodiscard]] static key refined(key k) noexcept {
    const kernel::lanes64 keys = {k};
    return refined(keys)[0];
  }
  // Bit 0 of every lane: the cell its probe looks at, of a refined key.
  [[gnu::target("avx2")]] [[nodiscard]] static kernel::lanes32 looked_up(const word* left, const word* right,
                                                                         key k) noexcept {
    using kernel::avx2::as;
    const kernel::lanes32 bit = spread(k), inside = {31, 31, 31, 31, 31, 31, 31, 31};
    const auto at = as<kernel::signed32>(bit >> 5);
    const kernel::signed32 cells =
        __builtin_shufflevector(picked(left, at), picked(right, at), 0, 1, 2, 3, 12, 13, 14, 15);
    return as<kernel::lanes32>(cells) >> (bit & inside);
  }
  // Sets the bits of those lanes of a refined key that are 1 in `ask`.
  [[gnu::target("avx2")]] static void add(const kernel::lanes32& ask, word* left, word* right, key k) noexcept {
    using kernel::avx2::as;
    const kernel::lanes32 one = {1, 1, 1, 1, 1, 1, 1, 1};
    // A lane nobody asks for looks at bit 256 and beyond.
    const auto bits = as<kernel::signed32>(spread(k) | (ask ^ one) << 8);
    *reinterpret_cast<kernel::lanes32*>(left) |=
        alone<0>(bits, one) | alone<1>(bits, one) | alone<2>(bits, one) | alone<3>(bits, one);
    *reinterpret_cast<kernel::lanes32*>(right) |=
        alone<4>(bits, one) | alone<5>(bits, one) | alone<6>(bits, one) | alone<7>(bits, one);
  }
  // Of eight keys; `ask` is 255 in bytes that are probes.
  [[nodiscard, UMBEL_BYTE_LANES]] static kernel::avx512::marks marks_of(kernel::avx512::lanes keys,
                                                                        std::uint64_t ask) noexcept {
    const auto all = reinterpret_cast<bytes64>(keys);
    const auto bits = reinterpret_cast<kernel::avx512::lanes>(all + met<1>(all) + met<2>(all) + met<3>(all));
    return {(bits >> 3 & 0x1F1F1F1F1F1F1F1F) | 0x2020202000000000, kernel::avx512::bit_in_byte(bits) & ask};
  }
#endif

 private:
  [[nodiscard]] static constexpr std::uint32_t byte(key k, unsigned lane) noexcept {
    return static_cast<std::uint32_t>(k >> (8 * lane) & 255);
  }
#if defined(__x86_64__)
  using bytes32 = unsigned char __attribute__((vector_size(32), may_alias));
  using bytes64 = unsigned char __attribute__((vector_size(64), may_alias));
  // The bytes of a key, one per lane.
  [[gnu::target("avx2")]] [[nodiscard]] static kernel::lanes32 spread(key k) noexcept {
#if defined(__clang__)
    using all = unsigned char __attribute__((vector_size(8)));
    return __builtin_convertvector(reinterpret_cast<all>(k), kernel::lanes32);
#else  // gcc 12 spells that conversion byte by byte
    using all = char __attribute__((vector_size(16)));
    using half = long long __attribute__((vector_size(16)));
    return kernel::avx2::as<kernel::lanes32>(
        __builtin_ia32_pmovzxbd256(reinterpret_cast<all>(half{static_cast<long long>(k), 0})));
#endif
  }
  // A 1 in every byte that equals the one `By` before it in its group of four.
  template <int By>
  [[gnu::target("avx2")]] [[nodiscard]] static bytes32 met(const bytes32& all) noexcept {
    using kernel::avx2::as;
    constexpr std::uint32_t n = 0x01010101U << (8 * By);  // the first bytes of a group have none before them
    const kernel::lanes32 counts = {n, n, n, n, n, n, n, n};
    return as<bytes32>(all == as<bytes32>(as<kernel::lanes32>(all) << (8 * By))) & as<bytes32>(counts);
  }
  template <int By>
  [[nodiscard, UMBEL_BYTE_LANES, gnu::always_inline]] static bytes64 met(bytes64 all) noexcept {
    using fours = std::uint32_t __attribute__((vector_size(64), may_alias));
    constexpr std::uint64_t counts = std::uint64_t{0x01010101U << (8 * By)} * 0x100000001;
    const auto before = reinterpret_cast<bytes64>(reinterpret_cast<fours>(all) << (8 * By));
    return reinterpret_cast<bytes64>(all == before) & reinterpret_cast<bytes64>(kernel::avx512::all(counts));
  }
  // The words of a group, each lane's own; a permutation looks at the low three bits of a lane alone.
  [[gnu::target("avx2")]] [[nodiscard]] static kernel::signed32 picked(const word* group,
                                                                       const kernel::signed32& at) noexcept {
    return __builtin_ia32_permvarsi256(*reinterpret_cast<const kernel::signed32*>(group), at);
  }
  // The bit of one lane's probe in the eight words of its group: shifted by 32 and more, or by less than nothing, a bit is
  // gone, so that one shift by (bit - 32 * word) leaves it in its own word alone.
  template <int Lane>
  [[gnu::target("avx2")]] [[nodiscard]] static kernel::lanes32 alone(const kernel::signed32& bits,
                                                                     const kernel::lanes32& one) noexcept {
    const kernel::signed32 words = {0, 32, 64, 96, 128, 160, 192, 224};
    const kernel::signed32 all = __builtin_shufflevector(bits, bits, Lane, Lane, Lane, Lane, Lane, Lane, Lane, Lane);
    return kernel::avx2::shifted_out(one, kernel::avx2::as<kernel::lanes32>(all - words));
  }
#endif
};

}  // namespace umbel::cells::pattern
