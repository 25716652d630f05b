// pattern/line.hpp - k free bits in one cache line, or in two neighbours: nearly the rate of an unblocked filter.
// Idea       A block is 2 or 4 groups of 256 bits, and probes are dealt to the groups in turn. A byte of the hash is a
//            probe's bit in its group; a probe that meets an earlier one of its group moves on, because a stranger that
//            looks at one bit twice looks at one bit less. Eight probes are tested at once: each lane picks its word by
//            a permutation of its group.
// Limits     As many probes as groups at least, 16 at most. From the ninth on they are drawn anew and may meet the first eight.
// Source     [PSS07] for the blocks; groups, and probes that give way, are ours: 1% fewer false positives than free bits
//            in 512 (doc/theory/blocked.md counts both exactly).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <umbel/base/block_shape.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/cells/kernel/blocks.hpp>

namespace umbel::cells::pattern {

template <unsigned Groups>
requires(Groups == 2 || Groups == 4) class line {
 public:
  using word = std::uint32_t;
  using key = std::uint64_t;
  static constexpr std::string_view kind = Groups == 2 ? "blocked-bloom-filter" : "two-line-bloom-filter";
  static constexpr std::size_t block_words = 8 * Groups;
  static constexpr unsigned least_probes = Groups, most_probes = 16;
  static constexpr unsigned round = 8 / Groups;  // probes of a group that give way to each other
  [[nodiscard]] static constexpr detail::block_shape shape(unsigned probes) noexcept {
    return {256, Groups, probes, round};
  }

  explicit line(unsigned probes = 8) noexcept : probes_(probes) {}

  template <class Visit>
  void each(key k, Visit&& visit) const noexcept {
    for (unsigned done = 0; done < probes_; done += 8, k = renewed(k)) {
      for (unsigned p = 0; p < 8 && done + p < probes_; ++p) {
        const unsigned group = p % Groups, lane = lane_of(p);
        std::uint32_t bit = byte(k, lane);
        for (unsigned r = group * round; r < lane; ++r) bit += byte(k, r) == byte(k, lane);
        visit(8 * group + bit / 32 % 8, word{1} << (bit % 32));
      }
    }
  }

#if defined(__x86_64__)
  // Which lanes count in the first eight probes, and in the second.
  struct wanted {
    kernel::lanes32 first, second;
  };
  [[gnu::target("avx2")]] [[nodiscard]] wanted prepared() const noexcept {
    alignas(32) word ask[2][8] = {};
    for (unsigned p = 0; p < probes_; ++p) ask[p / 8][lane_of(p % 8)] = 1;
    return {*reinterpret_cast<const kernel::lanes32*>(ask[0]), *reinterpret_cast<const kernel::lanes32*>(ask[1])};
  }
  [[gnu::target("avx2")]] [[nodiscard]] bool test(const wanted& ask, const word* block, const key& k) const noexcept {
    if (!kernel::avx2::covers(looked_up(block, k), ask.first)) return false;
    return kernel::avx2::covers(looked_up(block, renewed(k)), ask.second);
  }
  // For those with one round of probes: without a branch, so that hits among misses cost nothing more.
  [[nodiscard]] bool is_short() const noexcept { return probes_ <= 8; }
  [[gnu::target("avx2")]] [[nodiscard]] static bool test(const kernel::lanes32& ask, const word* block,
                                                         const key& k) noexcept {
    return kernel::avx2::covers(looked_up(block, k), ask);
  }
  [[gnu::target("avx2")]] void set(word* block, key k) const noexcept {
    alignas(32) word bits[8];
    for (unsigned done = 0; done < probes_; done += 8, k = renewed(k)) {
      *reinterpret_cast<kernel::lanes32*>(bits) = bits_of(k);
      for (unsigned p = 0; p < 8 && done + p < probes_; ++p) {
        const word bit = bits[lane_of(p)];
        block[8 * (p % Groups) + bit / 32 % 8] |= word{1} << (bit % 32);
      }
    }
  }
#endif

 private:
  [[nodiscard]] static constexpr unsigned lane_of(unsigned probe) noexcept {
    return probe % Groups * round + probe / Groups;
  }
  [[nodiscard]] static constexpr std::uint32_t byte(key k, unsigned lane) noexcept {
    return static_cast<std::uint32_t>(k >> (8 * lane) & 255);
  }
  [[nodiscard]] static constexpr key renewed(key k) noexcept { return detail::fold_product(k, detail::golden); }

#if defined(__x86_64__)
  // The bytes of a key, one per lane.
  [[gnu::target("avx2")]] [[nodiscard]] static kernel::lanes32 spread(key k) noexcept {
#if defined(__clang__)
    using bytes = unsigned char __attribute__((vector_size(8)));
    return __builtin_convertvector(reinterpret_cast<bytes>(k), kernel::lanes32);
#else  // gcc 12 spells that conversion byte by byte
    using bytes = char __attribute__((vector_size(16)));
    using half = long long __attribute__((vector_size(16)));
    return kernel::avx2::as<kernel::lanes32>(
        __builtin_ia32_pmovzxbd256(reinterpret_cast<bytes>(half{static_cast<long long>(k), 0})));
#endif
  }
  // What each lane's probe looks at, as each() counts it; above eight bits there are others.
  [[gnu::target("avx2")]] [[nodiscard]] static kernel::lanes32 bits_of(key k) noexcept {
    using kernel::avx2::as;
    const kernel::lanes32 mark = {256, 256, 256, 256, 256, 256, 256, 256};  // so that no probe equals what shifts in
    const auto probe = as<kernel::signed32>(spread(k) | mark);
    // A comparison is -1 for an earlier lane of the group with the same bit; a group is `round` lanes.
    kernel::signed32 out = probe - (probe == later<1>(probe));
    if constexpr (round == 4) out -= (probe == later<2>(probe)) + (probe == later<3>(probe));
    return as<kernel::lanes32>(out);
  }
  // Every lane takes what stood `by` lanes before it in its group, or nothing.
  template <int By>
  [[gnu::target("avx2")]] [[nodiscard]] static kernel::signed32 later(const kernel::signed32& lanes) noexcept {
    using kernel::avx2::as;
    if constexpr (round == 2) {
      return as<kernel::signed32>(as<kernel::lanes64>(lanes) << 32);
    } else {
#if defined(__clang__)
      const kernel::signed32 none = {};
      constexpr auto from = [](int lane) { return lane % 4 < By ? 8 : lane - By; };
      return __builtin_shufflevector(lanes, none, from(0), from(1), from(2), from(3), from(4), from(5), from(6),
                                     from(7));
#else  // gcc 12 makes two permutations and a blend of that one shift
      return as<kernel::signed32>(__builtin_ia32_pslldqi256(as<kernel::signed64>(lanes), 32 * By));
#endif
    }
  }
  // The words of a group, each lane's own; a permutation looks at the low three bits of a lane alone.
  [[gnu::target("avx2")]] [[nodiscard]] static kernel::signed32 picked(const word* group,
                                                                       const kernel::signed32& at) noexcept {
    return __builtin_ia32_permvarsi256(*reinterpret_cast<const kernel::signed32*>(group), at);
  }
  // Bit 0 of every lane: the cell its probe looks at.
  [[gnu::target("avx2")]] [[nodiscard]] static kernel::lanes32 looked_up(const word* block, key k) noexcept {
    using kernel::avx2::as;
    const kernel::lanes32 bit = bits_of(k);
    const auto at = as<kernel::signed32>(bit >> 5);
    kernel::signed32 cells;
    if constexpr (Groups == 2) {
      cells = __builtin_shufflevector(picked(block, at), picked(block + 8, at), 0, 1, 2, 3, 12, 13, 14, 15);
    } else {
      const auto low = __builtin_shufflevector(picked(block, at), picked(block + 8, at), 0, 1, 10, 11, 4, 5, 6, 7);
      const auto high =
          __builtin_shufflevector(picked(block + 16, at), picked(block + 24, at), 0, 1, 2, 3, 4, 5, 14, 15);
      cells = __builtin_shufflevector(low, high, 0, 1, 2, 3, 12, 13, 14, 15);
    }
    return shifted(cells, bit);
  }
  [[gnu::target("avx2")]] [[nodiscard]] static kernel::lanes32 shifted(const kernel::signed32& cells,
                                                                       const kernel::lanes32& bit) noexcept {
    const kernel::lanes32 inside = {31, 31, 31, 31, 31, 31, 31, 31};
    return kernel::avx2::as<kernel::lanes32>(cells) >> (bit & inside);
  }
#endif

  unsigned probes_;
};

}  // namespace umbel::cells::pattern
