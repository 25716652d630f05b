// expandable.ipp - bodies of expandable.hpp: doubling, and figures computed from the whole table.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/engine/table/expandable.hpp>
#include <umbel/sizing/bloom.hpp>
#include <umbel/sizing/expandable.hpp>

namespace umbel::core {

UMBEL_INLINE bool expandable::insert(digest d) {
  if (table_.used() >= table_.room()) expand();
  return cells::kernel::with_word_bits(
      [](auto bits, expandable* self, const spot key) {
    const bool known = self->holds(bits, key);
    return self->table_.insert(bits, key.home, key.value).has_value() && !known;
      },
      this, locate(d));
}

UMBEL_INLINE bool expandable::rejuvenate(digest d) noexcept {
  return cells::kernel::with_word_bits(
      [](auto bits, expandable* self, const spot given) {
    return self->take_out(bits, given) &&
           self->table_.insert(bits, given.home, given.value).has_value();
      },
      this, locate(d));
}

// The first bit of a value becomes the last bit of its home. A void value, which has no bit left,
// is copied to both halves. Homes come in order, so the new table is filled from its first slot to
// its last.
UMBEL_INLINE void expandable::expand() {
  const unsigned width = table_.width();
  const unsigned next =
      sizing::expandable_length(static_cast<unsigned>(first_length_), generation() + 1) + 1;
  if (generation_ == sizing::expandable_max_generation ||
      table_.blocks() > sizing::max_bits / 2 / sizing::quotient_block_bits(next))
    throw full(
        detail::text("an expandable-filter of ", table_.slots(), " slots cannot double again"));
  quotient_table wider(table_.blocks() * 2, next, table_.memory());
  const std::uint64_t rest = detail::low_mask(width - 1), nothing = std::uint64_t{1} << (next - 1);
  table_.walk([&](std::uint64_t home, std::uint64_t value) {
    cells::kernel::with_word_bits([&](auto bits) {
      const bool is_void = (value & rest) == 0;
      if (is_void) (void)wider.insert(bits, home * 2, nothing);
      (void)wider.insert(bits, is_void ? home * 2 + 1 : home * 2 + (value >> (width - 1)),
                         is_void ? nothing : (value & rest) << (next - width + 1));
    });
  });
  table_ = std::move(wider);
  ++generation_;
}

UMBEL_INLINE void expandable::clear() {
  table_ = quotient_table(table_.blocks() >> generation_, static_cast<unsigned>(first_length_) + 1,
                          table_.memory());
  generation_ = 0;
}

// A value accepts the fingerprints that begin with it: an interval around the value. Two intervals
// are nested or disjoint, and they come in the order of their middles; an interval that contains
// earlier ones replaces them. If one home has more than 64 disjoint intervals, overlaps among the
// others are counted twice.
UMBEL_INLINE double expandable::expected_fpr() const noexcept {
  struct interval {
    std::uint64_t from, to;
  };
  std::array<interval, 64> apart;
  std::size_t count = 0;
  std::uint64_t at = 0;
  double sum = 0;
  const double whole = std::exp2(table_.width());
  const auto finish = [&] {
    for (; count > 0; --count)
      sum += static_cast<double>(apart[count - 1].to - apart[count - 1].from) / whole;
  };
  table_.walk([&](std::uint64_t home, std::uint64_t value) {
    if (home != at || count == apart.size()) finish();
    at = home;
    const std::uint64_t one = value & (0 - value);
    const interval next{value - one, value + one};
    while (count > 0 && apart[count - 1].from >= next.from) --count;
    if (count == 0 || apart[count - 1].to < next.to) apart[count++] = next;
  });
  finish();
  return std::min(1.0, sum / static_cast<double>(table_.slots()));
}

UMBEL_INLINE void expandable::check() {
  table_.check();
  if (generation_ > sizing::expandable_max_generation ||
      table_.blocks() % (std::uint64_t{1} << generation_) != 0)
    throw corrupt(detail::text("expandable: generation: ", generation_, " doublings do not make ",
                               table_.blocks(), " blocks"));
  if (first_length_ < 1 || first_length_ > sizing::expandable_max_length)
    throw corrupt(detail::text("expandable: first_length: expected 1 to ",
                               sizing::expandable_max_length, ", found ", first_length_));
  if (const unsigned now =
          sizing::expandable_length(static_cast<unsigned>(first_length_), generation());
      length() != now)
    throw corrupt(detail::text("runs: width: expected ", now + 1,
                               " after so many doublings, found ", table_.width()));
}

}  // namespace umbel::core
