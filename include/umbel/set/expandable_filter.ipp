// expandable_filter.ipp - bodies of expandable_filter.hpp: plans, doubling, and what is read off the whole table.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/set/expandable_filter.hpp>
#include <umbel/sizing/bloom.hpp>

namespace umbel {

UMBEL_INLINE sizing::expandable_plan expandable_filter::sized(const options& wish) {
  core::check({wish.keys, wish.fpr, wish.bits});
  const auto made = !wish.bits ? sizing::plan_expandable_for_rate(*wish.keys, *wish.fpr)
                    : wish.fpr ? sizing::expandable_room_for(*wish.bits, *wish.fpr)
                               : sizing::plan_expandable_for_bits(*wish.keys, *wish.bits);
  core::check_kept(wish.fpr, std::max(made.fpr, made.bound));
  if (made.blocks > sizing::max_bits / sizing::quotient_block_bits(made.length + 1))
    throw bad_parameter(detail::text("keys: ", made.keys, " of them take more than 2^56 bits at this rate"));
  return made;
}

UMBEL_INLINE plan expandable_filter::plan(const options& wish) {
  const auto made = sized(wish);
  return {.keys = made.keys,
          .cells = made.blocks * sizing::quotient_block_slots,
          .probes = 1,
          .bits = made.blocks * sizing::quotient_block_bits(made.length + 1),
          .fpr = made.fpr};
}

UMBEL_INLINE bool expandable_filter::insert_digest(digest d) {
  if (table_.used() >= table_.room()) expand();
  return cells::kernel::with_word_bits(
      [](auto bits, expandable_filter* self, const spot key) {
        const bool known = self->holds(bits, key);
        return self->table_.insert(bits, key.home, key.value).has_value() && !known;
      },
      this, locate(d));
}

UMBEL_INLINE bool expandable_filter::renew(const spot& key) noexcept {
  return cells::kernel::with_word_bits(
      [](auto bits, expandable_filter* self, const spot given) {
        return self->take_out(bits, given) && self->table_.insert(bits, given.home, given.value).has_value();
      },
      this, key);
}

// The first bit of a value goes to the home, unless the value has no more of them; then it stands in both halves. Homes
// come in order, so the new table is filled from its first slot to its last.
UMBEL_INLINE void expandable_filter::expand() {
  const unsigned width = table_.width();
  const unsigned next = sizing::expandable_length(static_cast<unsigned>(first_length_), generation() + 1) + 1;
  if (generation_ == sizing::expandable_most_generation ||
      table_.blocks() > sizing::max_bits / 2 / sizing::quotient_block_bits(next))
    throw full(detail::text("a ", kind, " of ", slots(), " slots cannot double again"));
  core::quotient_table wider(table_.blocks() * 2, next, table_.memory());
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

UMBEL_INLINE void expandable_filter::clear() {
  table_ = core::quotient_table(table_.blocks() >> generation_, static_cast<unsigned>(first_length_) + 1, table_.memory());
  generation_ = 0;
}

// A value lets through the keys that begin with it: an interval, twice whose middle it is. Intervals are one inside another or
// apart, and come by their middles: one that holds those before it takes their place. More than this many apart in one
// home are counted twice where they overlap.
UMBEL_INLINE double expandable_filter::expected_fpr() const noexcept {
  struct interval {
    std::uint64_t from, to;
  };
  std::array<interval, 64> apart;
  std::size_t count = 0;
  std::uint64_t at = 0;
  double sum = 0;
  const double whole = std::exp2(table_.width());
  const auto finish = [&] {
    for (; count > 0; --count) sum += static_cast<double>(apart[count - 1].to - apart[count - 1].from) / whole;
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
  return std::min(1.0, sum / static_cast<double>(slots()));
}

UMBEL_INLINE void expandable_filter::check() {
  table_.check();
  if (generation_ > sizing::expandable_most_generation || table_.blocks() % (std::uint64_t{1} << generation_) != 0)
    throw corrupt(
        detail::text("expandable: generation: ", generation_, " doublings do not make ", table_.blocks(), " blocks"));
  if (first_length_ < 1 || first_length_ > sizing::expandable_most_length)
    throw corrupt(detail::text("expandable: first_length: expected 1 to ", sizing::expandable_most_length, ", found ",
                               first_length_));
  if (const unsigned now = sizing::expandable_length(static_cast<unsigned>(first_length_), generation());
      length() != now)
    throw corrupt(detail::text("runs: width: expected ", now + 1, " after so many doublings, found ", table_.width()));
}

}  // namespace umbel
