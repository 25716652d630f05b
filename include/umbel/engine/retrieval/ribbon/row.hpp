// row.hpp - the row of a key in a ribbon system [DW21]: where its run of slots starts, and its
// coefficients.
//
// A row is nonzero in one run of 64 or 128 slots. Start and coefficients come from one product of
// the digest's salted halves; in the first layer only the lower half is salted. Every later layer
// and every attempt of a plain ribbon has its own salts, so that a key has other rows there.
//
// Layout     `back` counts starts from the last one: start = starts - 1 - back. Buckets are aligned
//            to the right end: the incomplete bucket is the first to be filled, where there is
//            room. At both ends more keys may start than elsewhere, as the shape specifies. Bit j
//            of the coefficients belongs to slot start + j; bit 0 is always set.
// Tags       A filter's tag comes from the product of the first layer as well. Tag and coefficients
//            together are all 128 bits of it, rearranged, so the two are independent.
// Source     [DW21]; 128 coefficients come from a second product.
#pragma once

#include <algorithm>
#include <bit>
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

  // For layer 0, whose words the tag shares: only the lower half is salted (remixer::of_low).
  static constexpr digest first_salts =
      detail::remixer::of_low(detail::salt_of(detail::stage::ribbon)).salts();

  ribbon_row() = default;
  // `number` distinguishes layers and attempts.
  ribbon_row(std::uint64_t number, const sizing::ribbon_shape& shape, std::uint64_t slots) noexcept
      : salts_(number == 0 ? first_salts : salts_of(number)),
        more_salts_(salts_of(number + more_salt)),
        crowd_(shape.crowded(slots).last),
        furthest_(shape.starts(slots) - 1),
        range_(crowd_ + shape.starts(slots) + shape.crowded(slots).first) {}

  [[nodiscard]] std::uint64_t back(digest d) const noexcept { return back(words(d, salts_)); }
  // MayCrowdFirst may be false if the shape puts no additional keys at the first start.
  template <class Word, bool MayCrowdFirst = true>
  [[nodiscard]] row<Word> at(digest d) const noexcept {
    return row_of<Word, MayCrowdFirst>(d, words(d, salts_));
  }
  // The same, from a digest's words under the salts of this row.
  template <class Word, bool MayCrowdFirst = true>
  [[nodiscard, gnu::always_inline]] row<Word> row_of(digest d,
                                                     const detail::remixed& drawn) const noexcept {
    Word coefficients = drawn.second() | 1;
    if constexpr (sizeof(Word) == 16)
      coefficients |= static_cast<Word>(words(d, more_salts_).first()) << 64;
    return {back<MayCrowdFirst>(drawn), coefficients};
  }

  // The share of keys with this `back`.
  [[nodiscard]] double share(std::uint64_t back) const noexcept {
    std::uint64_t words = 1;
    if (back == 0) words += crowd_;
    if (back == furthest_) words += range_ - crowd_ - furthest_ - 1;
    return static_cast<double>(words) / static_cast<double>(range_);
  }

  // For implementations of `at` with vectors, or for one shape.
  struct parts {
    digest salts, more_salts;
    std::uint64_t crowd, furthest, range;
  };
  [[nodiscard]] parts apart() const noexcept {
    return {salts_, more_salts_, crowd_, furthest_, range_};
  }
  // Start and coefficients are taken from these words.
  [[nodiscard, gnu::always_inline]] static constexpr detail::remixed words(
      digest d, const digest& salts) noexcept {
    const auto [high, low] = detail::multiply(d.hi ^ salts.hi, d.lo ^ salts.lo);
    return {high, low};
  }
  // Those of layer 0.
  [[nodiscard, gnu::always_inline]] static constexpr detail::remixed first_words(
      digest d) noexcept {
    return words(d, first_salts);
  }
  // A word whose low bits are the tag, from the words of layer 0. The high bits of a product are not
  // even: above bit 31 it takes others as well, which the coefficients need once.
  [[nodiscard, gnu::always_inline]] static constexpr std::uint64_t tag(
      const detail::remixed& first) noexcept {
    return first.high ^ (std::rotl(first.low, 48) & 0xFFFFFFFF00000000);
  }

 private:
  static constexpr std::uint64_t more_salt = 0x10000;

  [[nodiscard]] static constexpr digest salts_of(std::uint64_t number) noexcept {
    return detail::remixer(detail::salt_of(detail::stage::ribbon, number)).salts();
  }
  template <bool MayCrowdFirst = true>
  [[nodiscard]] std::uint64_t back(const detail::remixed& drawn) const noexcept {
    const std::uint64_t from_crowd =
        std::max(detail::fastrange(drawn.first(), range_), crowd_) - crowd_;
    if constexpr (!MayCrowdFirst) return from_crowd;
    return std::min(from_crowd, furthest_);
  }

  digest salts_ = first_salts, more_salts_;
  std::uint64_t crowd_ = 0;     // mean number of additional keys at the last start
  std::uint64_t furthest_ = 0;  // back of the first start
  std::uint64_t range_ = 1;
};

}  // namespace umbel::core
