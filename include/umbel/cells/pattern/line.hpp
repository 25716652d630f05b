// pattern/line.hpp - k free bits in one cache line: nearly the rate of an unblocked filter.
// Idea       A line is two groups of 256 bits, and probes are dealt to them in turn. A byte of the hash is a probe's bit in
//            its group; a probe that meets an earlier one of its group moves on, because a stranger that looks at one
//            bit twice looks at one bit less. Eight probes are tested at once: each lane picks its word by a permutation
//            of its group.
// Limits     2 to 16 probes. From the ninth on they are drawn anew and may meet the first eight.
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

class line {
 public:
  using word = std::uint32_t;
  using key = std::uint64_t;
  static constexpr std::string_view kind = "blocked-bloom-filter";
  static constexpr std::size_t block_words = 16;
  static constexpr unsigned least_probes = 2, most_probes = 16;
  [[nodiscard]] static constexpr detail::block_shape shape(unsigned probes) noexcept { return {256, 2, probes, 4}; }

  explicit line(unsigned probes = 8) noexcept : probes_(probes) {
    for (unsigned p = 0; p < probes; ++p) asked_[p / 8][lane_of(p % 8)] = 1;
    for (unsigned p = 0; p < probes && p < 8; ++p) asked_bytes_ |= std::uint64_t{255} << (8 * lane_of(p));
  }

  template <class Visit>
  void each(key k, Visit&& visit) const noexcept {
    for (unsigned done = 0; done < probes_; done += 8, k = renewed(k)) {
      for (unsigned p = 0; p < 8 && done + p < probes_; ++p) {
        const unsigned group = p % 2, lane = lane_of(p);
        std::uint32_t bit = byte(k, lane);
        for (unsigned r = group * 4; r < lane; ++r) bit += byte(k, r) == byte(k, lane);
        visit(8 * group + bit / 32 % 8, word{1} << (bit % 32));
      }
    }
  }

#if defined(__x86_64__)
  // Which lanes count in the first eight probes, and in the second: bit 0 of each.
  struct wanted {
    kernel::lanes32 first, second;
  };
  [[gnu::target("avx2")]] [[nodiscard]] wanted prepared() const noexcept {
    wanted out;
    __builtin_memcpy(&out, asked_, sizeof out);
    return out;
  }
  [[gnu::target("avx2")]] [[nodiscard]] static bool test(const wanted& ask, const word* block, const key& k) noexcept {
    const kernel::lanes64 keys = {k, renewed(k)}, rounds = refined(keys);
    if (!kernel::avx2::covers(looked_up(block, rounds[0]), ask.first)) return false;
    return kernel::avx2::covers(looked_up(block, rounds[1]), ask.second);
  }
  // One round of probes needs no branch, so that hits among misses cost nothing more; and its keys are refined, four at
  // a time: a byte that equals an earlier one of its group moves on.
  [[nodiscard]] bool is_short() const noexcept { return probes_ <= 8; }
  [[gnu::target("avx2")]] [[nodiscard]] kernel::lanes32 prepared_short() const noexcept { return prepared().first; }
  [[gnu::target("avx2")]] static void refine(const key (&keys)[4], key (&out)[4]) noexcept {
    *reinterpret_cast<kernel::lanes64*>(out) = refined(*reinterpret_cast<const kernel::lanes64*>(keys));
  }
  [[gnu::target("avx2")]] [[nodiscard]] static bool test_refined(const kernel::lanes32& ask, const word* block,
                                                                 const key& k) noexcept {
    return kernel::avx2::covers(looked_up(block, k), ask);
  }
  [[gnu::target("avx2")]] static void add_refined(const kernel::lanes32& ask, word* block, const key& k) noexcept {
    add(ask, block, k);
  }
  [[nodiscard, UMBEL_BYTE_LANES]] kernel::avx512::marks marks_of(kernel::avx512::lanes keys) const noexcept {
    const kernel::lanes64 low = refined(__builtin_shufflevector(keys, keys, 0, 1, 2, 3)),
                          high = refined(__builtin_shufflevector(keys, keys, 4, 5, 6, 7));
    const kernel::avx512::lanes bits = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
    return {(bits >> 3 & 0x1F1F1F1F1F1F1F1F) | 0x2020202000000000, kernel::avx512::bit_in_byte(bits) & asked_bytes_};
  }
  [[gnu::target("avx2")]] void set(const wanted& ask, word* block, key k) const noexcept {
    const kernel::lanes64 keys = {k, renewed(k)}, rounds = refined(keys);
    add(ask.first, block, rounds[0]);
    if (probes_ > 8) add(ask.second, block, rounds[1]);
  }
#endif

 private:
#if defined(__x86_64__)
  using bytes32 = unsigned char __attribute__((vector_size(32), may_alias));
#endif
  [[nodiscard]] static constexpr unsigned lane_of(unsigned probe) noexcept { return probe % 2 * 4 + probe / 2; }
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
  // A 1 in every byte that equals the one `By` before it in its group of four.
  template <int By>
  [[gnu::target("avx2")]] [[nodiscard]] static bytes32 met(const bytes32& bytes) noexcept {
    using kernel::avx2::as;
    constexpr std::uint32_t n = 0x01010101U << (8 * By);  // the first bytes of a group have none before them
    const kernel::lanes32 counts = {n, n, n, n, n, n, n, n};
    return as<bytes32>(bytes == as<bytes32>(as<kernel::lanes32>(bytes) << (8 * By))) & as<bytes32>(counts);
  }
  [[gnu::target("avx2")]] [[nodiscard]] static kernel::lanes64 refined(const kernel::lanes64& keys) noexcept {
    const auto all = kernel::avx2::as<bytes32>(keys);
    return kernel::avx2::as<kernel::lanes64>(all + met<1>(all) + met<2>(all) + met<3>(all));
  }
  // The words of a group, each lane's own; a permutation looks at the low three bits of a lane alone.
  [[gnu::target("avx2")]] [[nodiscard]] static kernel::signed32 picked(const word* group,
                                                                       const kernel::signed32& at) noexcept {
    return __builtin_ia32_permvarsi256(*reinterpret_cast<const kernel::signed32*>(group), at);
  }
  // Bit 0 of every lane: the cell its probe looks at. Keys are refined here.
  [[gnu::target("avx2")]] [[nodiscard]] static kernel::lanes32 looked_up(const word* block, key k) noexcept {
    using kernel::avx2::as;
    const kernel::lanes32 bit = spread(k), inside = {31, 31, 31, 31, 31, 31, 31, 31};
    const auto at = as<kernel::signed32>(bit >> 5);
    const kernel::signed32 cells =
        __builtin_shufflevector(picked(block, at), picked(block + 8, at), 0, 1, 2, 3, 12, 13, 14, 15);
    return as<kernel::lanes32>(cells) >> (bit & inside);
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
  [[gnu::target("avx2")]] static void add(const kernel::lanes32& ask, word* block, key k) noexcept {
    using kernel::avx2::as;
    const kernel::lanes32 one = {1, 1, 1, 1, 1, 1, 1, 1};
    // A lane nobody asks for looks at bit 256 and beyond.
    const auto bits = as<kernel::signed32>(spread(k) | (ask ^ one) << 8);
    auto* const groups = reinterpret_cast<kernel::lanes32*>(block);
    groups[0] |= alone<0>(bits, one) | alone<1>(bits, one) | alone<2>(bits, one) | alone<3>(bits, one);
    groups[1] |= alone<4>(bits, one) | alone<5>(bits, one) | alone<6>(bits, one) | alone<7>(bits, one);
  }
#endif

  word asked_[2][8] = {};          // 1 for every lane that has a probe, of the first eight and of the second
  std::uint64_t asked_bytes_ = 0;  // 255 for every byte of a key that is a probe of the first eight
  unsigned probes_;
};

}  // namespace umbel::cells::pattern
