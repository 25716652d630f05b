// split_block.hpp - index of the split block Bloom filter: digest -> block and 32-bit lane key, for
// any number of blocks.
//
// Idea       The block comes from a whole remixed word, the lane key from 32 other bits. So no bit
//            is used twice, at any size.
// Invariant  The block is fastrange of its word, so block(z/2) = block(z)/2 and filters can be
//            folded.
#pragma once

#include <cstdint>
#include <string_view>

#include <umbel/base/error.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/pattern/split.hpp>
#include <umbel/engine/block/one_block.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/sizing/bloom.hpp>

namespace umbel::core {

class split_block {
 public:
  using pattern_type = cells::pattern::split32;
  static constexpr std::string_view kind = "split-block-bloom-filter";  // of the filter it makes
  static constexpr std::uint64_t max_blocks = sizing::max_bits / 256;

  split_block() = default;
  explicit split_block(std::uint64_t blocks, unsigned probes = 8) : blocks_(blocks) {
    if (probes != 8)
      throw bad_parameter(detail::text("probes: a split block has always 8, found ", probes));
    check();
  }

  [[nodiscard]] std::uint64_t blocks() const noexcept { return blocks_; }
  [[nodiscard]] unsigned probes() const noexcept { return 8; }
  [[nodiscard]] pattern_type pattern() const noexcept { return {}; }
  [[nodiscard]] block_spot<std::uint32_t> place(digest d) const noexcept {
    const auto words = words_(d);
    return {detail::fastrange(words.first(), blocks_), words.narrow()};
  }

  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("blocks", self.blocks_);
  }
  void check() const {
    if (blocks_ == 0 || blocks_ > max_blocks)
      throw bad_parameter(detail::text("blocks: expected 1 to ", max_blocks, ", found ", blocks_));
  }
  friend bool operator==(const split_block& a, const split_block& b) noexcept {
    return a.blocks_ == b.blocks_;
  }

 private:
  static constexpr auto words_ = detail::remixer::of_low(detail::salt_of(detail::stage::block));
  std::uint64_t blocks_ = 1;
};

}  // namespace umbel::core
