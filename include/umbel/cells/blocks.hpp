// blocks.hpp - blocked cells [PSS07]: a key marks a few bits of one block by a pattern.
//
// Layout     Block i is words i*w .. i*w + w-1, little-endian, aligned to its size.
// Threads    As the access policy says. The shared form uses no vector loads.
#pragma once

#include <bit>
#include <cstdint>
#include <memory_resource>
#include <type_traits>
#include <utility>

#include <umbel/base/prefetch.hpp>
#include <umbel/cells/access.hpp>
#include <umbel/cells/kernel/blocks.hpp>
#include <umbel/cells/words.hpp>

namespace umbel::cells {

template <class Pattern, class Access = plain>
class blocks {
 public:
  using pattern = Pattern;
  using word = typename Pattern::word;
  using key = typename Pattern::key;
  using spot = kernel::spot<Pattern>;
  static constexpr std::uint64_t block_words = Pattern::block_words;
  static constexpr std::uint64_t block_bits = block_words * sizeof(word) * 8;

  blocks() = default;
  blocks(std::uint64_t count, const Pattern& marks, std::pmr::memory_resource* memory = nullptr)
      : pattern_(marks), words_(count * block_words, memory) {}

  [[nodiscard]] std::uint64_t size() const noexcept { return words_.size() / block_words; }

  // place(i) gives the block and key of the i-th of `total` keys. Each block is prefetched several
  // keys ahead of its test.
  template <class Place>
  void test(std::size_t total, Place&& place, bool* out) const noexcept {
    auto* const first = const_cast<word*>(words_.data());  // shared with `set`; a test never writes
    const auto prefetch = [](const void* line) { detail::prefetch_read(line); };
    const fetching<std::decay_t<Place>, decltype(prefetch)> fetch{first, place, prefetch};
    if constexpr (Access::is_atomic) {
      detail::ring<spot, detail::line_ring_depth>(total, fetch, [&](std::size_t i, const spot& at) {
        out[i] = test_one(at.block, at.key);
      });
    } else {
      kernel::query(pattern_, total, fetch, out);
    }
  }
  template <class Place>
  void set(std::size_t total, Place&& place) noexcept {
    const auto prefetch = [](const void* line) { detail::prefetch_write(line); };
    const fetching<std::decay_t<Place>, decltype(prefetch)> fetch{words_.data(), place, prefetch};
    if constexpr (Access::is_atomic) {
      detail::ring<spot, detail::line_ring_depth>(
          total, fetch, [&](std::size_t, const spot& at) { (void)set_one(at); });
    } else {
      kernel::insert(pattern_, total, fetch);
    }
  }

  [[nodiscard, gnu::always_inline]] bool test(std::uint64_t block, key k) const noexcept {
    return test_one(words_.data() + block * block_words, k);
  }
  // Returns true if a bit was clear.
  bool set(std::uint64_t block, const key& k) noexcept {
    return set_one({words_.data() + block * block_words, k});
  }

  void prefetch_for_write(std::uint64_t block) const noexcept {
    detail::prefetch_write(words_.data() + block * block_words);
    if constexpr (block_bits > 512)
      detail::prefetch_write(words_.data() + block * block_words + block_words / 2);
  }

  // Half as many blocks: new[j] = old[2j] | old[2j+1]. Requires an even number.
  [[nodiscard]] blocks folded() const {
    blocks half(size() / 2, pattern_, words_.bytes().memory());
    for (std::uint64_t i = 0; i < words_.size(); ++i)
      half.words_[i / block_words / 2 * block_words + i % block_words] |= words_[i];
    return half;
  }

  // Number of set bits in one group of a block. The groups of a block are consecutive.
  [[nodiscard]] unsigned ones_in_group(std::uint64_t block, unsigned group) const noexcept {
    constexpr unsigned words = Pattern::shape(Pattern::min_probes).group_bits / (sizeof(word) * 8);
    unsigned sum = 0;
    for (unsigned i = 0; i < words; ++i)
      sum += static_cast<unsigned>(
          std::popcount(Access::load(words_[block * block_words + group * words + i])));
    return sum;
  }
  // After loading: sets the number of blocks and the pattern. The words must have exactly that
  // size.
  void reshape(std::uint64_t count, const Pattern& marks) {
    words_.require(count * block_words);
    pattern_ = marks;
  }

  [[nodiscard]] const words<word>& storage() const noexcept { return words_; }
  [[nodiscard]] words<word>& storage() noexcept { return words_; }
  friend bool operator==(const blocks& a, const blocks& b) noexcept { return a.words_ == b.words_; }

 private:
  // Places keys and prefetches their blocks, one key at a time or, if `place` can, eight.
  template <class Place, class Prefetch>
  struct fetching {
    word* first;
    Place place;
    Prefetch prefetch;

    void operator()(std::size_t i, spot& at) const noexcept {
      const auto found = place(i);
      at = {first + found.block * block_words, found.key};
      if constexpr (requires { Pattern::groups_of(at.key); }) {
        const auto in = Pattern::groups_of(at.key);
        prefetch(at.block + in.left);
        prefetch(at.block + in.right);
      } else {
        prefetch(at.block);
      }
    }
#if defined(__x86_64__)
    [[nodiscard]] bool takes_eight() const noexcept requires requires { place.takes_eight(); }
    { return place.takes_eight(); }
    // Returns the keys. Writes the addresses of their blocks, or of the two groups of each, to `at`
    // for fetch_eight().
    template <std::size_t Parts>
    [[nodiscard, UMBEL_BYTE_LANES]] kernel::avx512::lanes eight(
        std::size_t i, std::uint64_t (&at)[Parts][kernel::avx512::lane_count]) const noexcept {
      using kernel::avx512::store;
      const auto found = place.eight(i);
      const auto block = found.block * (block_bits / 8) + reinterpret_cast<std::uintptr_t>(first);
      if constexpr (Parts == 2) {
        const auto in = Pattern::groups_of(found.key);
        store(at[0], block + in.left);
        store(at[1], block + in.right);
      } else {
        store(at[0], block);
      }
      return found.key;
    }
    template <std::size_t Parts>
    [[UMBEL_BYTE_LANES]] void fetch_eight(
        std::uint64_t (&at)[Parts][kernel::avx512::lane_count]) const noexcept {
      // otherwise g++ extracts each address from a register with two instructions
      asm volatile("" : "+m"(at));
      for (unsigned lane = 0; lane < kernel::avx512::lane_count; ++lane)
        for (std::size_t part = 0; part < Parts; ++part)
          prefetch(reinterpret_cast<const void*>(at[part][lane]));
    }
#endif
  };
  [[nodiscard, gnu::always_inline]] bool test_one(const word* block, key k) const noexcept {
    if constexpr (Access::is_atomic)
      return kernel::test(pattern_, block, k,
                          [](const word& cells) { return Access::load(cells); });
    else
      return kernel::query_one(pattern_, block, k);
  }
  bool set_one(const spot& at) noexcept {
    bool changed = false;
    pattern_.each(at.key,
                  [&](std::size_t i, word mask) { changed |= Access::set(at.block[i], mask); });
    return changed;
  }

  Pattern pattern_{};
  words<word> words_;
};

}  // namespace umbel::cells
