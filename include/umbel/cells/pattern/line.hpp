// pattern/line.hpp - blocked Bloom filter [PSS07] on cache lines: k bits in one line of 512 bits.
//
// Nearly the rate of an unblocked filter. A cache line is two groups of 256 bits, and probes
// alternate between them. Probes are bytes of the hash (pattern/bytes.hpp).
//
// Limits     2 to 16 probes. The ninth and later ones are drawn from a new hash and may collide
//            with the first eight.
// Source     [PSS07] for the blocks. Groups, and probes that move on when they collide, are new
//            here: 1% fewer false positives than with independent bits in 512
//            (doc/theory/blocked.md computes both exactly).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <umbel/base/block_shape.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/cells/kernel/blocks.hpp>
#include <umbel/cells/pattern/bytes.hpp>

namespace umbel::cells::pattern {

class line {
 public:
  using word = std::uint32_t;
  using key = std::uint64_t;
  static constexpr std::string_view kind = "blocked-bloom-filter";
  static constexpr std::size_t block_words = 2 * bytes::group_words;
  static constexpr unsigned min_probes = 2, max_probes = 16;
  [[nodiscard]] static constexpr detail::block_shape shape(unsigned probes) noexcept {
    return {256, 2, probes, 4};
  }

  explicit line(unsigned probes = 8) noexcept : probes_(probes) {
    for (unsigned p = 0; p < probes; ++p) asked_[p / 8][lane_of(p % 8)] = 1;
    for (unsigned p = 0; p < probes && p < 8; ++p)
      asked_bytes_ |= std::uint64_t{255} << (8 * lane_of(p));
  }

  template <class Visit>
  void each(key k, Visit&& visit) const noexcept {
    for (unsigned done = 0; done < probes_; done += 8, k = renewed(k)) {
      for (unsigned p = 0; p < 8 && done + p < probes_; ++p) {
        const std::uint32_t bit = bytes::bit(k, lane_of(p));
        visit(8 * (p % 2) + bit / 32, word{1} << (bit % 32));
      }
    }
  }

#if defined(__x86_64__)
  // Which lanes are used, by the first eight probes and by the second: bit 0 of each.
  struct wanted {
    kernel::lanes32 first, second;
  };
  [[gnu::target("avx2")]] [[nodiscard]] wanted prepared() const noexcept {
    wanted out;
    __builtin_memcpy(&out, asked_, sizeof out);
    return out;
  }
  [[gnu::target("avx2")]] [[nodiscard]] static bool test(const wanted& ask, const word* block,
                                                         const key& k) noexcept {
    const kernel::lanes64 keys = {k, renewed(k)}, rounds = bytes::refined(keys);
    if (!kernel::avx2::covers(looked_up(block, rounds[0]), ask.first)) return false;
    return kernel::avx2::covers(looked_up(block, rounds[1]), ask.second);
  }
  [[gnu::target("avx2")]] [[nodiscard]] bool test_one(const word* block, key k) const noexcept {
    const auto covered = [&](const auto& bits, const word* asked) __attribute__((target("avx2"))) {
      kernel::lanes32 ask;
      __builtin_memcpy(&ask, asked, sizeof ask);  // the pattern need not be 32-byte aligned
      return kernel::avx2::covers(bytes::looked_up(block, block + bytes::group_words, bits), ask);
    };
    if (is_short()) [[likely]]
      return covered(bytes::refined_spread(k), asked_[0]);
    return covered(bytes::refined_spread(k), asked_[0]) &&
           covered(bytes::refined_spread(renewed(k)), asked_[1]);
  }
  [[gnu::target("avx2")]] void set(const wanted& ask, word* block, key k) const noexcept {
    const kernel::lanes64 keys = {k, renewed(k)}, rounds = bytes::refined(keys);
    bytes::add(ask.first, block, block + bytes::group_words, rounds[0]);
    if (probes_ > 8) bytes::add(ask.second, block, block + bytes::group_words, rounds[1]);
  }
  // One round of probes needs no branch, so the mix of hits and misses does not matter. Its keys
  // are refined four at a time.
  [[nodiscard]] bool is_short() const noexcept { return probes_ <= 8; }
  [[gnu::target("avx2")]] [[nodiscard]] kernel::lanes32 prepared_short() const noexcept {
    return prepared().first;
  }
  [[gnu::target("avx2")]] static void refine(const key (&keys)[4], key (&out)[4]) noexcept {
    *reinterpret_cast<kernel::lanes64*>(out) =
        bytes::refined(*reinterpret_cast<const kernel::lanes64*>(keys));
  }
  [[gnu::target("avx2")]] [[nodiscard]] static bool test_refined(const kernel::lanes32& ask,
                                                                 const word* block,
                                                                 const key& k) noexcept {
    return kernel::avx2::covers(looked_up(block, k), ask);
  }
  [[gnu::target("avx2")]] static void add_refined(const kernel::lanes32& ask, word* block,
                                                  const key& k) noexcept {
    bytes::add(ask, block, block + bytes::group_words, k);
  }
  [[nodiscard]] bool takes_eight() const noexcept { return is_short(); }
  [[nodiscard, UMBEL_BYTE_LANES]] kernel::avx512::marks marks_of(
      kernel::avx512::lanes keys) const noexcept {
    return bytes::marks_of(keys, asked_bytes_);
  }
#endif

 private:
  [[nodiscard]] static constexpr unsigned lane_of(unsigned probe) noexcept {
    return probe % 2 * 4 + probe / 2;
  }
  [[nodiscard]] static constexpr key renewed(key k) noexcept {
    return detail::fold_product(k, detail::golden);
  }
#if defined(__x86_64__)
  [[gnu::target("avx2")]] [[nodiscard]] static kernel::lanes32 looked_up(const word* block,
                                                                         key k) noexcept {
    return bytes::looked_up(block, block + bytes::group_words, bytes::spread(k));
  }
#endif

  // 1 for every lane with a probe, for the first eight and the second
  word asked_[2][8] = {};
  // 255 for every byte of a key that is one of the first eight probes
  std::uint64_t asked_bytes_ = 0;
  unsigned probes_;
};

}  // namespace umbel::cells::pattern
