// one_block.hpp - index of blocked Bloom filters [PSS07]: digest -> one block, and the 64 or 32
// bits that select cells inside it.
//
// Idea       Block and key come from different halves of one remixed product. A pattern that needs
//            more bits remixes the key.
#pragma once

#include <cstdint>
#include <string_view>

#include <umbel/base/error.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/base/text.hpp>
#include <umbel/core/digest_lanes.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/sizing/bloom.hpp>

namespace umbel::core {

// The block of a key, and the bits that select its cells there.
template <class Key>
struct block_spot {
  std::uint64_t block;
  Key key;
};

template <class Pattern>
class one_block {
 public:
  using pattern_type = Pattern;
  static constexpr std::string_view kind = Pattern::kind;  // of the filter it makes
  static constexpr std::uint64_t max_blocks =
      sizing::max_bits / (Pattern::block_words * sizeof(typename Pattern::word) * 8);

  one_block() = default;
  one_block(std::uint64_t blocks, unsigned probes) : blocks_(blocks), probes_(probes) { check(); }

  [[nodiscard]] std::uint64_t blocks() const noexcept { return blocks_; }
  [[nodiscard]] unsigned probes() const noexcept { return static_cast<unsigned>(probes_); }
  [[nodiscard]] Pattern pattern() const { return Pattern(probes()); }
  [[nodiscard]] block_spot<typename Pattern::key> place(digest d) const noexcept {
    const auto words = words_(d);
    const std::uint64_t block = detail::fastrange(words.first(), blocks_);
    if constexpr (sizeof(typename Pattern::key) == 4)
      return {block, words.narrow()};
    else
      return {block, words.second()};
  }
#if defined(__x86_64__)
  // The same for eight digests.
  struct spots {
    eight::lanes block, key;
  };
  [[nodiscard]] bool takes_eight() const noexcept {
    return sizeof(typename Pattern::key) == 8 && blocks_ >> 32 == 0;
  }
  [[nodiscard, UMBEL_LANES]] spots place(const eight::digests& d) const noexcept {
    const eight::kernel::products words = eight::remixed(words_.salts(), d);
    return {eight::kernel::scaled(eight::first_of(words), eight::all(blocks_)),
            eight::second_of(words)};
  }
#endif

  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("blocks", self.blocks_);
    field("probes", self.probes_);
  }
  void check() const {
    if (blocks_ == 0 || blocks_ > max_blocks)
      throw bad_parameter(detail::text("blocks: expected 1 to ", max_blocks, ", found ", blocks_));
    if (probes_ < Pattern::min_probes || probes_ > Pattern::max_probes)
      throw bad_parameter(detail::text("probes: expected ", Pattern::min_probes, " to ",
                                       Pattern::max_probes, ", found ", probes_));
  }
  friend bool operator==(const one_block& a, const one_block& b) noexcept {
    return a.blocks_ == b.blocks_ && a.probes_ == b.probes_;
  }

 private:
  static constexpr auto words_ = detail::remixer::of_low(detail::salt_of(detail::stage::block));
  std::uint64_t blocks_ = 1;
  std::uint64_t probes_ = Pattern::min_probes;
};

}  // namespace umbel::core
