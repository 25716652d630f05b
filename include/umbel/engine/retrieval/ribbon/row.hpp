// row.hpp - digest -> a run of slots: where it starts, and which of its slots count.
// Idea       A row of a ribbon system is nonzero in one short run only. Every layer, and every attempt of the base, draws
//            start and coefficients anew from all 128 bits of the digest.
// Layout     `back` counts starts from the last one: start = starts - 1 - back. Buckets are cut from the right end, so
//            that the one that is not whole is the first to be filled, where there is room. At both ends more keys may
//            begin than elsewhere, as the shape says. Bit j of the coefficients stands for slot start + j; bit 0 is
//            always set.
// Source     [DW21]; words are remixed from the digest, and a second product makes coefficients of 128 bits.
#pragma once

#include <algorithm>
#include <cstdint>

#include <umbel/base/integers.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/sizing/ribbon.hpp>

namespace umbel::core {

class ribbon_row {
 public:
  template <class Word>  // of 64 or 128 bits
  struct row {
    std::uint64_t back;
    Word coefficients;
  };

  ribbon_row() = default;
  // `number` tells layers and attempts apart.
  ribbon_row(std::uint64_t number, const sizing::ribbon_shape& shape, std::uint64_t slots) noexcept
      : words_(detail::salt_of(detail::stage::ribbon, number)),
        more_(detail::salt_of(detail::stage::ribbon, number + more_salt)),
        crowd_(shape.crowded(slots).last),
        furthest_(shape.starts(slots) - 1),
        range_(crowd_ + shape.starts(slots) + shape.crowded(slots).first) {}

  [[nodiscard]] std::uint64_t back(digest d) const noexcept { return back(words_(d)); }
  // MayCrowdFirst: for those who know that the shape crowds no keys at the first start.
  template <class Word, bool MayCrowdFirst = true>
  [[nodiscard]] row<Word> at(digest d) const noexcept {
    const detail::remixed words = words_(d);
    Word coefficients = words.second() | 1;
    if constexpr (sizeof(Word) == 16) coefficients |= static_cast<Word>(more_(d).first()) << 64;
    return {back<MayCrowdFirst>(words), coefficients};
  }

  // The share of keys whose `back` is this.
  [[nodiscard]] double share(std::uint64_t back) const noexcept {
    std::uint64_t words = 1;
    if (back == 0) words += crowd_;
    if (back == furthest_) words += range_ - crowd_ - furthest_ - 1;
    return static_cast<double>(words) / static_cast<double>(range_);
  }

  // For those who spell `at` for vectors.
  struct parts {
    digest salts, more_salts;
    std::uint64_t crowd, furthest, range;
  };
  [[nodiscard]] parts apart() const noexcept { return {words_.salts(), more_.salts(), crowd_, furthest_, range_}; }

 private:
  static constexpr std::uint64_t more_salt = 0x10000;

  template <bool MayCrowdFirst = true>
  [[nodiscard]] std::uint64_t back(const detail::remixed& words) const noexcept {
    const std::uint64_t from_crowd = std::max(detail::fastrange(words.first(), range_), crowd_) - crowd_;
    if constexpr (!MayCrowdFirst) return from_crowd;
    return std::min(from_crowd, furthest_);
  }

  detail::remixer words_, more_;
  std::uint64_t crowd_ = 0;     // keys, on average, that share the last start beside its own
  std::uint64_t furthest_ = 0;  // back of the first start
  std::uint64_t range_ = 1;
};

}  // namespace umbel::core
