// pattern/bytes.hpp - eight probes from the eight bytes of a key: four bits in each of two groups
// of 256 bits.
//
// A probe that collides with an earlier one of its group moves to the next bit, because two probes
// of a non-member on one bit test one bit less. All eight bits are tested at once: each lane
// fetches its word by a permutation of its group.
#pragma once

#include <cstddef>
#include <cstdint>

#include <umbel/cells/kernel/blocks.hpp>

namespace umbel::cells::pattern {

struct bytes {
  using word = std::uint32_t;
  using key = std::uint64_t;
  static constexpr std::size_t group_words = 8;

  // The bit of the probe in this lane of the key. Lanes 0 to 3 and 4 to 7 form the groups.
  [[nodiscard]] static constexpr std::uint32_t bit(key k, unsigned lane) noexcept {
    std::uint32_t out = byte(k, lane);
    for (unsigned r = lane / 4 * 4; r < lane; ++r) out += byte(k, r) == byte(k, lane);
    return out % 256;
  }

#if defined(__x86_64__)
  // Four keys, in which each byte that equals an earlier one of its group is moved on.
  [[gnu::target("avx2")]] [[nodiscard]] static kernel::lanes64 refined(
      const kernel::lanes64& keys) noexcept {
    const auto all = kernel::avx2::as<bytes32>(keys);
    return kernel::avx2::as<kernel::lanes64>(all + met<1>(all) + met<2>(all) + met<3>(all));
  }
  [[gnu::target("avx2")]] [[nodiscard]] static key refined(key k) noexcept {
    const kernel::lanes64 keys = {k};
    return refined(keys)[0];
  }
  // The bits of a refined key's probes, one per lane.
  [[gnu::target("avx2")]] [[nodiscard]] static kernel::lanes32 spread(key k) noexcept {
#if defined(__clang__)
    using all = unsigned char __attribute__((vector_size(8)));
    return __builtin_convertvector(reinterpret_cast<all>(k), kernel::lanes32);
#else  // gcc 12 compiles that conversion byte by byte
    using all = char __attribute__((vector_size(16)));
    using half = long long __attribute__((vector_size(16)));
    return kernel::avx2::as<kernel::lanes32>(
        __builtin_ia32_pmovzxbd256(reinterpret_cast<all>(half{static_cast<long long>(k), 0})));
#endif
  }
  // The same for an unrefined key, in the low byte of each lane. It makes all comparisons of a
  // group at once, which for a single key takes half as many instructions as refining it.
  [[gnu::target("avx2")]] [[nodiscard]] static kernel::lanes32 refined_spread(key k) noexcept {
    using kernel::avx2::as;
    const constants& c = in_memory();
    const kernel::lanes64 keys = {k, k, k, k};
    const auto own = as<bytes32>(__builtin_ia32_pshufb256(as<signed8>(keys), load<signed8>(c.own)));
    const auto earlier =
        as<bytes32>(__builtin_ia32_pshufb256(as<signed8>(keys), load<signed8>(c.earlier)));
    // 255 for each collision, so their sum is minus the number of collisions, modulo 256.
    const auto pairs =
        __builtin_ia32_pmaddubsw256(as<signed8>(own == earlier), load<signed8>(c.counts));
    const auto met = __builtin_ia32_pmaddwd256(pairs, load<signed16>(c.ones));
    return as<kernel::lanes32>(own) - as<kernel::lanes32>(met);
  }
  // Bit 0 of every lane: the cell that its probe tests. Only the low bytes of `bits` count.
  [[gnu::target("avx2")]] [[nodiscard]] static kernel::lanes32 looked_up(
      const word* left, const word* right, const kernel::lanes32& bits) noexcept {
    using kernel::avx2::as;
    const auto at = as<kernel::signed32>(bits >> 5);
    const kernel::signed32 cells =
        __builtin_shufflevector(picked(left, at), picked(right, at), 0, 1, 2, 3, 12, 13, 14, 15);
    return as<kernel::lanes32>(cells) >> (bits & load<kernel::lanes32>(in_memory().inside));
  }
  // 1 in every lane.
  [[gnu::target("avx2")]] [[nodiscard]] static kernel::lanes32 each_asked() noexcept {
    return load<kernel::lanes32>(in_memory().asked);
  }
  // Sets the bits of those lanes of a refined key that are 1 in `ask`.
  [[gnu::target("avx2")]] static void add(const kernel::lanes32& ask, word* left, word* right,
                                          key k) noexcept {
    using kernel::avx2::as;
    const kernel::lanes32 one = {1, 1, 1, 1, 1, 1, 1, 1};
    // The bit of an unused lane becomes 256 or more, which sets nothing.
    const auto bits = as<kernel::signed32>(spread(k) | (ask ^ one) << 8);
    *reinterpret_cast<kernel::lanes32*>(left) |=
        alone<0>(bits, one) | alone<1>(bits, one) | alone<2>(bits, one) | alone<3>(bits, one);
    *reinterpret_cast<kernel::lanes32*>(right) |=
        alone<4>(bits, one) | alone<5>(bits, one) | alone<6>(bits, one) | alone<7>(bits, one);
  }
  // For eight keys. `ask` is 255 in bytes that are probes.
  [[nodiscard, UMBEL_BYTE_LANES]] static kernel::avx512::marks marks_of(
      kernel::avx512::lanes keys, std::uint64_t ask) noexcept {
    const auto all = reinterpret_cast<bytes64>(keys);
    const auto bits =
        reinterpret_cast<kernel::avx512::lanes>(all + met<1>(all) + met<2>(all) + met<3>(all));
    return {(bits >> 3 & 0x1F1F1F1F1F1F1F1F) | 0x2020202000000000,
            kernel::avx512::bit_in_byte(bits) & ask};
  }
#endif

 private:
  [[nodiscard]] static constexpr std::uint32_t byte(key k, unsigned lane) noexcept {
    return static_cast<std::uint32_t>(k >> (8 * lane) & 255);
  }
#if defined(__x86_64__)
  using bytes32 = unsigned char __attribute__((vector_size(32), may_alias));
  using bytes64 = unsigned char __attribute__((vector_size(64), may_alias));
  using signed8 = char __attribute__((vector_size(32), may_alias));
  using signed16 = short __attribute__((vector_size(32), may_alias));
  // For each lane: its own byte of the key, four times; the bytes before it in its group, or an
  // index that selects zero; and which of these count.
  struct constants {
    alignas(32) unsigned char own[32], earlier[32], counts[32];
    alignas(32) std::uint16_t ones[16];
    alignas(32) std::uint32_t inside[8], asked[8];

    constexpr constants() noexcept : own(), earlier(), counts(), ones(), inside(), asked() {
      for (unsigned lane = 0; lane < 8; ++lane) {
        for (unsigned i = 0; i < 4; ++i) {
          const bool counts_here = i < lane % 4;
          own[4 * lane + i] = static_cast<unsigned char>(lane);
          earlier[4 * lane + i] = static_cast<unsigned char>(counts_here ? lane - 1 - i : 0x80);
          counts[4 * lane + i] = counts_here ? 1 : 0;
        }
        ones[2 * lane] = ones[2 * lane + 1] = 1;
        inside[lane] = 31;
        asked[lane] = 1;
      }
    }
  };
  static const constants in_rodata;
  // Their address, hidden from the optimizer: g++ would rebuild equal lanes with three instructions
  // each.
  [[nodiscard, gnu::always_inline]] static const constants& in_memory() noexcept {
    const constants* at = &in_rodata;
    asm("" : "+r"(at));
    return *at;
  }
  template <class Lanes>
  [[gnu::target("avx2"), gnu::always_inline]] [[nodiscard]] static const Lanes& load(
      const auto& from) noexcept {
    static_assert(sizeof from == sizeof(Lanes));
    return reinterpret_cast<const Lanes&>(from);
  }
  // 1 in every byte that equals the byte `By` places before it in its group of four.
  template <int By>
  [[gnu::target("avx2")]] [[nodiscard]] static bytes32 met(const bytes32& all) noexcept {
    using kernel::avx2::as;
    // the first bytes of a group have no earlier ones
    constexpr std::uint32_t n = 0x01010101U << (8 * By);
    const kernel::lanes32 counts = {n, n, n, n, n, n, n, n};
    return as<bytes32>(all == as<bytes32>(as<kernel::lanes32>(all) << (8 * By))) &
           as<bytes32>(counts);
  }
  template <int By>
  [[nodiscard, UMBEL_BYTE_LANES, gnu::always_inline]] static bytes64 met(bytes64 all) noexcept {
    using fours = std::uint32_t __attribute__((vector_size(64), may_alias));
    constexpr std::uint64_t counts = std::uint64_t{0x01010101U << (8 * By)} * 0x100000001;
    const auto before = reinterpret_cast<bytes64>(reinterpret_cast<fours>(all) << (8 * By));
    return reinterpret_cast<bytes64>(all == before) &
           reinterpret_cast<bytes64>(kernel::avx512::all(counts));
  }
  // Each lane's word of the group. The permutation uses only the low three bits of each lane.
  [[gnu::target("avx2")]] [[nodiscard]] static kernel::signed32 picked(
      const word* group, const kernel::signed32& at) noexcept {
    return __builtin_ia32_permvarsi256(*reinterpret_cast<const kernel::signed32*>(group), at);
  }
  // The bit of one lane's probe in the eight words of its group. A shift by 32 or more, or by a
  // negative amount, gives 0. So one shift by (bit - 32 * word) leaves the bit only in its own
  // word.
  template <int Lane>
  [[gnu::target("avx2")]] [[nodiscard]] static kernel::lanes32 alone(
      const kernel::signed32& bits, const kernel::lanes32& one) noexcept {
    const kernel::signed32 words = {0, 32, 64, 96, 128, 160, 192, 224};
    const kernel::signed32 all =
        __builtin_shufflevector(bits, bits, Lane, Lane, Lane, Lane, Lane, Lane, Lane, Lane);
    return kernel::avx2::shifted_out(one, kernel::avx2::as<kernel::lanes32>(all - words));
  }
#endif
};

#if defined(__x86_64__)
inline constexpr bytes::constants bytes::in_rodata{};
#endif

}  // namespace umbel::cells::pattern
