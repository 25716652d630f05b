// renewed_bits.hpp - bit array with lazy clearing: all bits are declared clear at once and cleared
// cache line by cache line.
//
// Clearing a large array takes long. Instead its lines are declared old: all their bits count as
// clear. A line is actually cleared before one of its bits is set, or when the sweep reaches it.
// One mark per line tells whether it is old.
//
// Layout     Bits in lines of 512, one mark per line, and the index of the next line of the sweep.
//            Lines from there on are old if their mark is not `fresh`.
// Invariant  When the sweep is complete, all marks are `fresh`. So flipping the meaning of the
//            marks declares every line old.
// Limits     A call clears the lines in which it sets bits, and as many more as requested.
// Threads    Many readers or one writer.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory_resource>
#include <span>

#include <umbel/base/error.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/bits.hpp>

namespace umbel::cells {

class renewed_bits {
 public:
  static constexpr std::uint64_t line_bits = 512, line_words = line_bits / 64;

  explicit renewed_bits(std::uint64_t size, std::pmr::memory_resource* memory = nullptr)
      : bits_(size, memory), marks_(lines_of(size), memory), next_(marks_.size()) {}
  [[nodiscard]] static constexpr std::uint64_t lines_of(std::uint64_t size) noexcept {
    return detail::ceil_div(size, line_bits);
  }

  [[nodiscard]] std::uint64_t size() const noexcept { return bits_.size(); }
  [[nodiscard]] std::uint64_t lines() const noexcept { return marks_.size(); }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept { return size() + lines(); }
  [[nodiscard]] bool test(std::uint64_t i) const noexcept {
    const bool counts =
        // tested first: a branch on the bit itself would be mispredicted half of the time
        !is_old(i / line_bits);
    return counts && bits_.test(i);
  }
  // Returns true if the bit was clear.
  bool set(std::uint64_t i) noexcept {
    if (is_old(i / line_bits)) renew(i / line_bits);
    return bits_.set(i);
  }
  void prefetch(std::uint64_t i) const noexcept { bits_.prefetch(i); }
  void prefetch_for_write(std::uint64_t i) const noexcept { bits_.prefetch_for_write(i); }

  // Declares all bits clear. O(1) if the last sweep is complete.
  void forget() noexcept {
    renew_some(lines());
    fresh_ ^= 1;
    next_ = 0;
  }
  // Advances the sweep by `count` lines.
  void renew_some(std::uint64_t count) noexcept {
    for (; count > 0 && next_ < lines(); --count) {
      if (is_old(next_)) renew(next_);
      ++next_;
    }
  }
  void clear() noexcept {
    bits_.storage().clear();
    marks_.storage().clear();
    fresh_ = 0;
    next_ = lines();
  }
  [[nodiscard]] std::uint64_t ones() const noexcept {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < bits_.storage().size(); ++i)
      if (!is_old(i / line_words)) sum += static_cast<unsigned>(std::popcount(bits_.storage()[i]));
    return sum;
  }

  [[nodiscard]] auto& storage() noexcept { return bits_.storage(); }
  [[nodiscard]] const auto& storage() const noexcept { return bits_.storage(); }
  [[nodiscard]] auto& marks() noexcept { return marks_.storage(); }
  [[nodiscard]] const auto& marks() const noexcept { return marks_.storage(); }
  friend bool operator==(const renewed_bits&, const renewed_bits&) noexcept = default;

  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("fresh", self.fresh_);
    field("next", self.next_);
  }
  // After loading: sets the number of bits.
  void reshape(std::uint64_t size) {
    bits_.reshape(size);
    marks_.reshape(lines_of(size));
    if (fresh_ > 1) throw corrupt(detail::text("fresh: expected 0 or 1, found ", fresh_));
    if (next_ > lines())
      throw corrupt(detail::text("next: expected at most ", lines(), " lines, found ", next_));
  }

 private:
  // The first comparison is false for every line once the sweep is complete.
  [[nodiscard]] bool is_old(std::uint64_t line) const noexcept {
    return line >= next_ && marks_.test(line) != (fresh_ != 0);
  }
  void renew(std::uint64_t line) noexcept {
    const auto all = bits_.storage().span().subspan(line * line_words);
    std::ranges::fill(all.first(std::min<std::size_t>(line_words, all.size())), 0);
    if (fresh_ != 0)
      marks_.set(line);
    else
      marks_.reset(line);
  }

  bits bits_, marks_;
  std::uint64_t fresh_ = 0, next_;
};

}  // namespace umbel::cells
