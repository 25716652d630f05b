// parquet.hpp - where Parquet's split-block filter puts an XXH64 value.
// Idea       Block from the high 32 bits, lane key from the low 32; the format caps the bitset at
//            128 MiB.
// Source     The Parquet format's Bloom filter page. Foreign: bit for bit as others do it, good or
//            bad.
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
