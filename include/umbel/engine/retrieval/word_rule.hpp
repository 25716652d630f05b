// word_rule.hpp - how a map stores a value and a check in one word of a retrieval engine (Bloomier
// filter [CKRT04]).
//
// Idea       Word = value xor bits of the key's tag. A query removes these bits and accepts the
//            rest if it is a possible value. For a key of the build it always is; for a non-member
//            only by chance. Two rules differ in which bits are used. `mask_rule` uses the whole
//            word: any number V of values, false positive rate V / 2^width; a non-member's value is
//            uniform whatever the cells hold. `tag_rule` leaves out the bits of the value: values
//            of whole bits, rate 2^-t for the t bits above them, up to one bit more per key;
//            `value` then needs no second word of the hash.
// Source     [CKRT04] sec. 3.1 for the mask.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/engine/retrieval/tagged.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/sizing/graph.hpp>

namespace umbel::core {

class tag_rule {
 public:
  tag_rule() = default;
  // Implicit: the number of bits defines the rule. Made before width_for() has refused more than 64.
  tag_rule(unsigned value_bits) noexcept
      : value_bits_(value_bits), largest_(detail::low_mask(std::min(value_bits, 64U))) {}

  // The width of a word; throws bad_parameter.
  [[nodiscard]] static unsigned width_for(unsigned value_bits, std::optional<double> fpr) {
    return value_and_tag_bits(value_bits, fpr);
  }

  [[nodiscard]] unsigned value_bits() const noexcept { return static_cast<unsigned>(value_bits_); }
  [[nodiscard]] std::uint64_t largest() const noexcept { return largest_; }
  [[nodiscard]] std::uint64_t value_mask() const noexcept { return largest_; }
  // The bits that are XORed into a word, from a tag as wide as the word.
  [[nodiscard]] std::uint64_t own_bits(std::uint64_t tag) const noexcept {
    return tag & ~largest();
  }
  // Those of them that overlap the bits of the value.
  [[nodiscard]] std::uint64_t own_value_bits(std::uint64_t) const noexcept { return 0; }
  // For engines with the tags of tag_of().
  [[nodiscard]] std::uint64_t own_bits(digest d, unsigned width) const noexcept {
    return own_bits(tag_of(d, width));
  }
  [[nodiscard]] std::uint64_t own_value_bits(digest, unsigned) const noexcept { return 0; }

  friend bool operator==(const tag_rule&, const tag_rule&) = default;
  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("value_bits", self.value_bits_);
  }
  void check(unsigned width) {
    if (value_bits_ < 1 || value_bits_ > width)
      throw corrupt(detail::text("value_bits: expected at most the engine's width ", width,
                                 ", found ", value_bits_));
    largest_ = detail::low_mask(value_bits());
  }

 private:
  std::uint64_t value_bits_ = 1;
  std::uint64_t largest_ = 1;  // follows from value_bits_
};

class mask_rule {
 public:
  mask_rule() = default;
  explicit mask_rule(std::uint64_t largest) noexcept : largest_(largest) {}

  // The width of a word; throws bad_parameter.
  [[nodiscard]] unsigned width_for(std::optional<double> fpr) const {
    if (fpr) check_fpr(*fpr);
    const unsigned width = sizing::masked_width(largest_, fpr.value_or(1));
    if (width > 64)
      throw bad_parameter(
          detail::text("value_bits: expected 1 to 64 together with the bits of fpr, found ",
                       value_bits(), " and ", width - value_bits()));
    return width;
  }

  [[nodiscard]] unsigned value_bits() const noexcept {
    return std::max(1U, static_cast<unsigned>(std::bit_width(largest_)));
  }
  [[nodiscard]] std::uint64_t largest() const noexcept { return largest_; }
  [[nodiscard]] std::uint64_t value_mask() const noexcept { return detail::low_mask(value_bits()); }
  [[nodiscard]] std::uint64_t own_bits(std::uint64_t tag) const noexcept { return tag; }
  [[nodiscard]] std::uint64_t own_value_bits(std::uint64_t tag) const noexcept { return tag; }
  // For engines with the tags of tag_of().
  [[nodiscard]] std::uint64_t own_bits(digest d, unsigned width) const noexcept {
    return tag_of(d, width);
  }
  [[nodiscard]] std::uint64_t own_value_bits(digest d, unsigned width) const noexcept {
    return tag_of(d, width);
  }

  friend bool operator==(const mask_rule&, const mask_rule&) = default;
  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("largest", self.largest_);
  }
  void check(unsigned width) const {
    if (largest_ > detail::low_mask(width))
      throw corrupt(detail::text("largest: expected a value of the engine's width ", width,
                                 ", found ", largest_));
  }

 private:
  std::uint64_t largest_ = 1;
};

}  // namespace umbel::core
