// parquet.hpp - index of Apache Parquet's split block Bloom filter: XXH64 value -> block and lane
// key.
//
// Idea       The block comes from the high 32 bits, the lane key from the low 32. The format limits
//            the bitset to 128 MiB.
// Source     The Bloom filter page of the Parquet format. Bits are identical to those of other
//            implementations, including the format's weaknesses.
#pragma once

#include <cstdint>
#include <string_view>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/engine/block/split_block.hpp>
#include <umbel/hash/hasher.hpp>

namespace umbel::core {

class parquet {
 public:
  using pattern_type = cells::pattern::split32;
  static constexpr std::string_view kind = "parquet-filter";  // of the filter it makes
  static constexpr hasher required_hash = hasher::parquet();
  static constexpr std::uint64_t max_blocks = (std::uint64_t{128} << 20) / 32;

  parquet() = default;
  explicit parquet(std::uint64_t blocks, unsigned probes = 8) : blocks_(blocks) {
    if (probes != 8)
      throw bad_parameter(detail::text("probes: a split block has always 8, found ", probes));
    check();
  }

  [[nodiscard]] std::uint64_t blocks() const noexcept { return blocks_; }
  [[nodiscard]] unsigned probes() const noexcept { return 8; }
  [[nodiscard]] pattern_type pattern() const noexcept { return {}; }
  [[nodiscard]] block_spot<std::uint32_t> place(digest d) const noexcept {
    return {((d.hi >> 32) * blocks_) >> 32, static_cast<std::uint32_t>(d.hi)};
  }

  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("blocks", self.blocks_);
  }
  void check() const {
    if (blocks_ == 0 || blocks_ > max_blocks)
      throw bad_parameter(
          detail::text("blocks: Parquet allows 1 to ", max_blocks, " (128 MiB), found ", blocks_));
  }
  friend bool operator==(const parquet& a, const parquet& b) noexcept {
    return a.blocks_ == b.blocks_;
  }

 private:
  std::uint64_t blocks_ = 1;
};

}  // namespace umbel::core
