// monotone.hpp - Elias-Fano code [Eli74]: non-decreasing numbers in about 2 + log2(range / count)
// bits each.
//
// The low bits of each number are stored as they are. The high bits of number i are represented by
// a set bit at position (number >> low) + i of a bit row; select of the i-th set bit recovers them.
//
// Layout     `low`: packed cells, none if there are no low bits. `high`: count + (range >> low) + 1
//            bits in words. The positions of every 128th set bit are computed when the numbers are
//            built or loaded.
// Invariant  The high bits have `count` ones, and bits past the last are zero. Whatever they hold,
//            an answer is below the range.
// Threads    Immutable: any number of readers.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/base/prefetch.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/packed.hpp>
#include <umbel/cells/words.hpp>

namespace umbel::cells {

class monotone {
 public:
  monotone() = default;
  // Requires non-decreasing numbers below the range.
  monotone(std::span<const std::uint64_t> numbers, std::uint64_t range, unsigned low_bits,
           std::pmr::memory_resource* memory = nullptr)
      : size_(numbers.size()), range_(range), low_bits_(low_bits) {
    if (size_ == 0) return;
    high_ = words<>(high_words(), memory);
    if (low_bits != 0) low_ = packed(size_, low_bits, memory);
    for (std::uint64_t i = 0; i < size_; ++i) {
      const std::uint64_t at = (numbers[i] >> low_bits) + i;
      high_[at / 64] |= std::uint64_t{1} << at % 64;
      if (low_bits != 0) low_.set(i, numbers[i] & detail::low_mask(low_bits));
    }
    (void)draw_samples();
  }

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] std::uint64_t operator[](std::uint64_t i) const noexcept {
    return number(i, position(i));
  }
  // Number i and the one after it, which must exist.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> pair_at(std::uint64_t i) const noexcept {
    const std::uint64_t at = position(i);
    return {number(i, at), number(i + 1, next_one(at + 1, i + 1))};
  }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return size_ == 0 ? 0 : (high_.size() + low_.storage().size() + samples_.size()) * 64;
  }

  // After loading: sets the shape. The words must have exactly the matching size.
  void reshape(std::uint64_t size, std::uint64_t range, unsigned low_bits) {
    size_ = size;
    range_ = range;
    low_bits_ = low_bits;
    if (size == 0) {
      high_.require(0);
      return low_.storage().require(0);
    }
    high_.require(high_words(), high_bits());
    if (low_bits != 0)
      low_.reshape(size, low_bits);
    else
      low_.storage().require(0);
    // Counted as they are sampled, by one reading: a mapped file may change before a second one.
    if (const std::uint64_t ones = draw_samples(); ones != size)
      throw corrupt(detail::text("high: expected ", size, " set bits, found ", ones));
  }
  // The same for numbers from 0 up without low bits. The range is derived from the bits: one more
  // than the last number.
  void reshape_high(std::uint64_t size) {
    const auto words = std::as_const(high_).span();
    std::size_t used = words.size();
    while (used > 0 && words[used - 1] == 0) --used;
    const std::uint64_t length =
        used == 0 ? 0 : used * 64 - static_cast<unsigned>(std::countl_zero(words[used - 1]));
    if (length < size)
      throw corrupt(detail::text("high: expected ", size, " set bits, found fewer"));
    reshape(size, length - size + 1, 0);
  }
  // Prefetches what number i needs.
  void prefetch(std::uint64_t i) const noexcept {
    detail::prefetch_read(high_.data() + samples_[i / sampled] / 64);
    if (low_bits_ != 0) low_.prefetch(i);
  }
  static void describe_high(auto& self, auto& part, std::string_view name) {
    part.array(name, self.high_);
  }
  static void describe(auto& self, auto& part, std::string_view low = "low",
                       std::string_view high = "high") {
    part.array(low, self.low_.storage());
    part.array(high, self.high_);
  }
  friend bool operator==(const monotone& a, const monotone& b) noexcept {
    return a.size_ == b.size_ && a.range_ == b.range_ && a.low_bits_ == b.low_bits_ &&
           a.high_ == b.high_ && a.low_.storage() == b.low_.storage();
  }

 private:
  static constexpr std::uint64_t sampled = 128;

  [[nodiscard]] std::uint64_t high_bits() const noexcept {
    return size_ + (range_ >> low_bits_) + 1;
  }
  [[nodiscard]] std::uint64_t high_words() const noexcept {
    return detail::ceil_div(high_bits(), 64);
  }

  // Position of the i-th set bit. A mapped file may change under a reader, so the search also stops
  // at the end of the words.
  [[nodiscard]] std::uint64_t position(std::uint64_t i) const noexcept {
    const std::uint64_t from = samples_[i / sampled];
    std::uint64_t left = i % sampled;
    std::size_t at = from / 64;
    std::uint64_t word = high_[at] >> from % 64 << from % 64;
    for (;; word = high_[at]) {
      const detail::bit_counts set(word);
      if (set.all() > left)
        return std::max<std::uint64_t>(
            i, at * 64 + detail::nth_one(word, set, static_cast<unsigned>(left)));
      left -= set.all();
      if (++at == high_.size()) return i;
    }
  }
  // The first set bit from `from` on, which belongs to number i.
  [[nodiscard]] std::uint64_t next_one(std::uint64_t from, std::uint64_t i) const noexcept {
    std::size_t at = from / 64;
    if (at >= high_.size()) return i;
    std::uint64_t word = high_[at] >> from % 64 << from % 64;
    for (; word == 0; word = high_[at])
      if (++at == high_.size()) return i;
    return std::max<std::uint64_t>(i, at * 64 + static_cast<unsigned>(std::countr_zero(word)));
  }
  [[nodiscard]] std::uint64_t number(std::uint64_t i, std::uint64_t position) const noexcept {
    const std::uint64_t high = (position - i) << low_bits_;
    return std::min(low_bits_ == 0 ? high : high | low_.get(i), range_ - 1);
  }
  // How many bits are set; as many samples as follow from that.
  [[nodiscard]] std::uint64_t draw_samples() {
    samples_.clear();
    samples_.reserve(detail::ceil_div(size_, sampled));
    std::uint64_t seen = 0, first = 0;
    for (std::uint64_t word : std::as_const(high_).span()) {
      for (; word != 0; word &= word - 1)
        if (seen++ % sampled == 0)
          samples_.push_back(first + static_cast<unsigned>(std::countr_zero(word)));
      first += 64;
    }
    return seen;
  }

  std::uint64_t size_ = 0;
  std::uint64_t range_ = 1;
  unsigned low_bits_ = 0;
  packed low_;
  words<> high_;
  std::vector<std::uint64_t> samples_;  // computed from high_
};

}  // namespace umbel::cells
