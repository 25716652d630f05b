// hash_list.hpp - a sorted list of fingerprints [BM04]: the engine of hash_list_filter.
//
// Each key's hash, cut to w bits, is kept in a sorted list. Values are uniform, so a query computes
// the position of its value to within about sqrt(values) and searches from there (interpolation
// search).
//
// Layout     Distinct values of w bits, ascending, packed.
// Invariant  Every key given is found. The false positive rate is exactly values / 2^w.
// Threads    Many readers or one writer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <utility>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/ring.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/packed.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/sizing/hash_list.hpp>

namespace umbel::core {

class hash_list {
 public:
  hash_list() = default;
  // From the digests in a spool without duplicates.
  template <class Spool>
  hash_list(const Spool& once, unsigned width, std::pmr::memory_resource* memory) {
    if (once.size() == 0) return;
    std::vector<std::uint64_t> values;
    values.reserve(once.size());
    once.for_each(0, Spool::bins, [&](std::span<const digest> block) {
      for (const digest& d : block) values.push_back(value_of(d, width));
    });
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    values_ = values.size();
    width_ = width;
    list_ = cells::packed(values_, width, memory);
    for (std::uint64_t i = 0; i < values_; ++i) list_.set(i, values[i]);
  }

  // stored values; colliding keys share one
  [[nodiscard]] std::uint64_t values() const noexcept { return values_; }
  [[nodiscard]] unsigned width() const noexcept { return static_cast<unsigned>(width_); }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept { return list_.storage().size() * 64; }
  [[nodiscard]] double expected_fpr() const noexcept {
    return sizing::hash_list_fpr(values_, width());
  }

  [[nodiscard]] bool may_contain(digest d) const noexcept {
    return values_ != 0 && search(locate(d));
  }
  template <class DigestAt>
  void may_contain(std::size_t total, DigestAt& digest_at, bool* out) const noexcept {
    if (values_ == 0) {
      std::fill_n(out, total, false);
      return;
    }
    detail::ring<spot>(
        total,
        [&](std::size_t i, spot& at) {
      at = locate(digest_at(i));
      list_.prefetch(at.near);
        },
        [&](std::size_t i, const spot& at) { out[i] = search(at); });
  }

  // Becomes the union. Two lists that are not empty must have the same width, else `incompatible`.
  void merge(const hash_list& other) {
    if (other.values_ == 0) return;
    if (values_ != 0 && width_ != other.width_)
      throw incompatible(detail::text("these lists differ in width: ", width_, " bits against ",
                                      other.width_, "; build both with the same `width`"));
    hash_list out;
    out.width_ = other.width_;
    each_of_either(*this, other, [&](std::uint64_t) { ++out.values_; });
    out.list_ = cells::packed(out.values_, out.width(), list_.storage().bytes().memory());
    std::uint64_t at = 0;
    each_of_either(*this, other, [&](std::uint64_t value) { out.list_.set(at++, value); });
    *this = std::move(out);
  }

  friend bool operator==(const hash_list& a, const hash_list& b) noexcept {
    return a.values_ == b.values_ && a.width_ == b.width_ && a.list_ == b.list_;
  }
  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("values", self.values_);
    field("width", self.width_);
  }
  static void describe(auto& self, auto& part) {
    part.fields("list", self);
    part.array("values", self.list_.storage());
  }
  void check() {
    if (width_ < 1 || width_ > 64 || (values_ == 0 && width_ != 1))
      throw corrupt(
          detail::text("hash list: width: expected 1 to 64 (1 for an empty list), found ", width_));
    if (values_ > max_keys || (width_ < 64 && values_ > std::uint64_t{1} << width_))
      throw corrupt(
          detail::text("hash list: ", values_, " distinct values of ", width_, " bits cannot be"));
    if (values_ == 0)
      list_.storage().require(0);
    else
      list_.reshape(values_, width());
  }

 private:
  // Visits the values of both, ascending and distinct, even if `b` is a mapped file with unsorted
  // values.
  template <class Visit>
  static void each_of_either(const hash_list& a, const hash_list& b, Visit&& visit) {
    std::uint64_t i = 0, j = 0, last = 0;
    for (bool first = true; i < a.values_ || j < b.values_;) {
      const bool from_a = j == b.values_ || (i < a.values_ && a.list_.get(i) <= b.list_.get(j));
      const std::uint64_t value = from_a ? a.list_.get(i++) : b.list_.get(j++);
      if (!first && value <= last) continue;
      visit(last = value);
      first = false;
    }
  }
  [[nodiscard]] static std::uint64_t value_of(digest d, unsigned width) noexcept {
    constexpr detail::remixer words{detail::salt_of(detail::stage::list)};
    return words(d).first() >> (64 - width);
  }
  // Values are uniform, so the position of one is known to within about sqrt(values).
  struct spot {
    std::uint64_t value, near;
  };
  [[nodiscard]] spot locate(digest d) const noexcept {
    const std::uint64_t value = value_of(d, width());
    return {value, detail::fastrange(value << (64 - width()), values_)};
  }
  // Galloping search: strides double until the value lies between two of them, then binary search.
  [[nodiscard]] bool search(const spot& at) const noexcept {
    // the last value not above at.value is in [low, high), if there is one
    std::uint64_t low = at.near, high = low;
    for (std::uint64_t stride = 16; low > 0 && list_.get(low) > at.value; stride *= 2)
      low = low > stride ? low - stride : 0;
    for (std::uint64_t stride = 16; high < values_ && list_.get(high) <= at.value; stride *= 2)
      high = values_ - high > stride ? high + stride : values_;
    while (high - low > 1) {
      const std::uint64_t middle = low + (high - low) / 2;
      (list_.get(middle) <= at.value ? low : high) = middle;
    }
    return list_.get(low) == at.value;
  }
  std::uint64_t values_ = 0;
  std::uint64_t width_ = 1;
  cells::packed list_;
};

}  // namespace umbel::core
