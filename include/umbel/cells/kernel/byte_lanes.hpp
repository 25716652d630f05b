// kernel/byte_lanes.hpp - AVX-512 query of eight keys with eight probes each, by byte permutations.
//
// A key's eight probes are the bytes of its lane: first the indexes of the bytes they read, then
// these bytes. One instruction gathers eight bytes of a cache line, or of two groups of 32;
// everything else is done for eight keys at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <umbel/base/config.hpp>
#include <umbel/base/endian.hpp>
#include <umbel/base/ring.hpp>
#include <umbel/cells/kernel/lanes.hpp>

#define UMBEL_BYTE_LANES                                                             \
  gnu::target(                                                                       \
      "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vpopcntdq,avx2,bmi,bmi2," \
      "popcnt")

#if defined(__x86_64__)
namespace umbel::cells::kernel::avx512 {

using bytes = char __attribute__((vector_size(64)));  // the type the builtins take

// For eight keys, one byte per probe: the index of the byte it reads in the block, and its bit
// there. A zero bit means no probe.
struct marks {
  lanes byte, bit;
};
// The bit selected by the low three bits of each byte.
[[nodiscard, UMBEL_BYTE_LANES, gnu::always_inline]] inline lanes bit_in_byte(
    lanes numbers) noexcept {
  const auto table = reinterpret_cast<bytes>(all(0x8040201008040201)),
             at = reinterpret_cast<bytes>(numbers & 0x0707070707070707);
#if defined(__clang__)
  return reinterpret_cast<lanes>(__builtin_ia32_pshufb512(table, at));
#else
  return reinterpret_cast<lanes>(
      __builtin_ia32_pshufb512_mask(table, at, bytes{}, ~std::uint64_t{0}));
#endif
}
// `found` with one lane replaced: by the bytes of a cache line that this lane of `at` selects.
template <unsigned Lane>
[[nodiscard, UMBEL_BYTE_LANES, gnu::always_inline]] inline lanes look_up(
    lanes found, lanes at, const std::uint64_t* line) noexcept {
  constexpr std::uint64_t here = std::uint64_t{0xFF} << (8 * Lane);
  const auto before = reinterpret_cast<bytes>(found), numbers = reinterpret_cast<bytes>(at),
             cells = reinterpret_cast<bytes>(load(line));
#if defined(__clang__)
  return reinterpret_cast<lanes>(
      __builtin_ia32_selectb_512(here, __builtin_ia32_permvarqi512(cells, numbers), before));
#else
  return reinterpret_cast<lanes>(__builtin_ia32_permvarqi512_mask(cells, numbers, before, here));
#endif
}

// The same for two groups of 32 bytes each, for one of four keys.
using half_bytes = char __attribute__((vector_size(32), may_alias));
template <unsigned Lane>
[[nodiscard, UMBEL_BYTE_LANES, gnu::always_inline]] inline half_bytes look_up(
    half_bytes found, std::uint64_t left, std::uint64_t right) noexcept {
  constexpr std::uint32_t here = 0xFFU << (8 * Lane);
  const half_bytes first = *reinterpret_cast<const half_bytes*>(left),
                   second = *reinterpret_cast<const half_bytes*>(right);
#if defined(__clang__)
  return __builtin_ia32_selectb_256(here, __builtin_ia32_vpermi2varqi256(first, found, second),
                                    found);
#else
  return __builtin_ia32_vpermi2varqi256_mask(first, found, second, here);
#endif
}

// Eight keys whose blocks are being prefetched: the address of the block, or of its two groups, of
// each.
template <bool InGroups>
struct eight_marked {
  // In flight are more keys than with one key at a time: with 10^7 keys in cache lines, 64 keys
  // take a tenth to a seventh longer than 96.
  static constexpr std::size_t depth = InGroups ? 20 : 12;
  alignas(64) std::uint64_t at[InGroups ? 2 : 1][lane_count];
  alignas(64) std::uint64_t byte[lane_count];
  alignas(64) std::uint64_t bit[lane_count];
};
template <class Pattern>
inline constexpr bool in_groups = requires(lanes keys) {
  Pattern::groups_of(keys);
};

// Functors, because a lambda would not get the target attribute.
template <class Pattern, class Place>
struct mark_eight {
  const Pattern pattern;
  const Place place;
  [[UMBEL_BYTE_LANES]] void operator()(std::size_t g,
                                       eight_marked<in_groups<Pattern>>& out) const noexcept {
    const marks at = pattern.marks_of(place.eight(lane_count * g, out.at));
    store(out.byte, at.byte);
    store(out.bit, at.bit);
    place.fetch_eight(out.at);  // last: addresses just written would stall
  }
};
struct test_eight {
  bool* out;
  template <bool InGroups>
  [[UMBEL_BYTE_LANES]] void operator()(std::size_t g,
                                       const eight_marked<InGroups>& of) const noexcept {
    const lanes missing =
        load(of.bit) & ~found(of, std::make_integer_sequence<unsigned, lane_count>{});
    const std::uint64_t answers =
        __builtin_ia32_pdep_di(equal(missing, all(0)), 0x0101010101010101);
    detail::store_le(out + lane_count * g, answers);
  }

 private:
  // Two dependency chains, because each permutation waits for the previous one.
  template <unsigned... Lane>
  [[nodiscard, UMBEL_BYTE_LANES, gnu::always_inline]] static lanes found(
      const eight_marked<false>& of, std::integer_sequence<unsigned, Lane...>) noexcept {
    const lanes at = load(of.byte);
    lanes by_turns[2] = {at, at};
    ((by_turns[Lane % 2] = look_up<Lane>(by_turns[Lane % 2], at,
                                         reinterpret_cast<const std::uint64_t*>(of.at[0][Lane]))),
     ...);
    return __builtin_shufflevector(by_turns[0], by_turns[1], 0, 9, 2, 11, 4, 13, 6, 15);
  }
  template <unsigned... Lane>
  [[nodiscard, UMBEL_BYTE_LANES, gnu::always_inline]] static lanes found(
      const eight_marked<true>& of, std::integer_sequence<unsigned, Lane...>) noexcept {
    const auto* const at = reinterpret_cast<const half_bytes*>(of.byte);
    half_bytes half[2] = {at[0], at[1]};
    ((half[Lane % 2] = look_up<Lane / 2>(half[Lane % 2], of.at[0][Lane % 2 * 4 + Lane / 2],
                                         of.at[1][Lane % 2 * 4 + Lane / 2])),
     ...);
    using quarters = long long __attribute__((vector_size(32)));
    return reinterpret_cast<lanes>(__builtin_shufflevector(reinterpret_cast<quarters>(half[0]),
                                                           reinterpret_cast<quarters>(half[1]), 0,
                                                           1, 2, 3, 4, 5, 6, 7));
  }
};

template <class Pattern, class Place>
[[UMBEL_BYTE_LANES, UMBEL_FLAT]] void query_eights(const Pattern& pattern, std::size_t eights,
                                                   const Place& place, bool* out) noexcept {
  using marked = eight_marked<in_groups<Pattern>>;
  detail::ring<marked, marked::depth>(eights, mark_eight<Pattern, Place>{pattern, place},
                                      test_eight{out});
}

}  // namespace umbel::cells::kernel::avx512
#endif
