// split_blocks.hpp - blocks of eight 32-bit lanes; a key sets one bit in every lane of one block.
// Layout     Block i is lanes 8i .. 8i+7, little-endian, aligned to 32 bytes.
// Threads    As its access policy says; the shared form never uses vector loads.
#pragma once

#include <bit>
#include <cstdint>
#include <memory_resource>

#include <umbel/base/prefetch.hpp>
#include <umbel/cells/access.hpp>
#include <umbel/cells/kernel/split_block.hpp>
#include <umbel/cells/words.hpp>

namespace umbel::cells {

template <class Access = plain>
class basic_split_blocks {
 public:
  static constexpr std::uint64_t block_bits = 256;
  static constexpr std::uint64_t lanes = 8;

  basic_split_blocks() = default;
  explicit basic_split_blocks(std::uint64_t blocks, std::pmr::memory_resource* memory = nullptr)
      : words_(blocks * lanes, memory) {}
  explicit basic_split_blocks(words<std::uint32_t> storage) noexcept : words_(std::move(storage)) {}

  [[nodiscard]] std::uint64_t blocks() const noexcept { return words_.size() / lanes; }
  // place(i) gives the block and key of the i-th of `total` keys. Its block is fetched well before it is touched.
  template <class Place>
  void test(std::size_t total, Place&& place, bool* out) const noexcept {
    auto* const first = const_cast<std::uint32_t*>(words_.data());  // shared with `set`; a test never writes
    const auto fetch = [&](std::size_t i, kernel::split_block_spot& spot) {
      const auto at = place(i);
      spot = {first + at.block * lanes, at.key};
      detail::prefetch_read(spot.block);
    };
    if constexpr (Access::is_atomic) {
      detail::ring<kernel::split_block_spot>(
          total, fetch, [&](std::size_t i, const kernel::split_block_spot& spot) { out[i] = test_lanes(spot); });
    } else {
      kernel::split_block_query(total, fetch, out);
    }
  }
  template <class Place>
  void set(std::size_t total, Place&& place) noexcept {
    auto* const first = words_.data();
    const auto fetch = [&](std::size_t i, kernel::split_block_spot& spot) {
      const auto at = place(i);
      spot = {first + at.block * lanes, at.key};
      detail::prefetch_write(spot.block);
    };
    if constexpr (Access::is_atomic) {
      detail::ring<kernel::split_block_spot>(
          total, fetch, [](std::size_t, const kernel::split_block_spot& spot) { (void)set_lanes(spot); });
    } else {
      kernel::split_block_insert(total, fetch);
    }
  }

  [[nodiscard]] bool test(std::uint64_t block, std::uint32_t key) const noexcept {
    return test_lanes({const_cast<std::uint32_t*>(words_.data()) + block * lanes, key});
  }
  // True if a bit was clear before.
  bool set(std::uint64_t block, std::uint32_t key) noexcept { return set_lanes({words_.data() + block * lanes, key}); }

  // Half as many blocks: new[j] = old[2j] | old[2j+1]. Needs an even number.
  [[nodiscard]] basic_split_blocks folded() const {
    basic_split_blocks half(blocks() / 2, words_.bytes().memory());
    for (std::uint64_t block = 0; block < blocks(); ++block)
      for (std::uint64_t lane = 0; lane < lanes; ++lane)
        half.words_[block / 2 * lanes + lane] |= words_[block * lanes + lane];
    return half;
  }

  // The share of strangers let through: over all blocks, the product of the fills of their lanes.
  [[nodiscard]] double stranger_rate() const noexcept {
    double sum = 0;
    for (std::uint64_t block = 0; block < blocks(); ++block) {
      double product = 1;
      for (std::uint64_t lane = 0; lane < lanes; ++lane)
        product *= std::popcount(Access::load(words_[block * lanes + lane])) / 32.0;
      sum += product;
    }
    return blocks() == 0 ? 0 : sum / static_cast<double>(blocks());
  }
  void reshape(std::uint64_t blocks) const { words_.require(blocks * lanes); }

  [[nodiscard]] const words<std::uint32_t>& storage() const noexcept { return words_; }
  [[nodiscard]] words<std::uint32_t>& storage() noexcept { return words_; }
  friend bool operator==(const basic_split_blocks&, const basic_split_blocks&) noexcept = default;

 private:
  [[nodiscard]] static bool test_lanes(const kernel::split_block_spot& spot) noexcept {
    std::uint32_t missing = 0;
    for (std::size_t lane = 0; lane < lanes; ++lane)
      missing |= kernel::split_block_lane(spot.key, lane) & ~Access::load(spot.block[lane]);
    return missing == 0;
  }
  static bool set_lanes(const kernel::split_block_spot& spot) noexcept {
    bool changed = false;
    for (std::size_t lane = 0; lane < lanes; ++lane)
      changed |= Access::set(spot.block[lane], kernel::split_block_lane(spot.key, lane));
    return changed;
  }

  words<std::uint32_t> words_;
};

using split_blocks = basic_split_blocks<plain>;
using shared_split_blocks = basic_split_blocks<relaxed>;

}  // namespace umbel::cells
