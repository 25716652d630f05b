// taffy.ipp - bodies of taffy.hpp: inserts, doublings, unions, freezing.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <umbel/base/text.hpp>
#include <umbel/engine/table/taffy.hpp>

namespace umbel::core {

UMBEL_INLINE taffy::taffy(std::uint64_t first_buckets, std::uint64_t growths,
                          std::uint64_t head_bits, form as, std::pmr::memory_resource* memory)
    : first_buckets_(first_buckets),
      growths_(growths),
      head_bits_(head_bits),
      frozen_(as == form::frozen) {
  check_shape(first_buckets, growths, head_bits);
  table_ = cells::buckets(2 * buckets(), sizing::taffy_slots, slot_bits(), memory);
  stash_ = cells::words<>(stash_size, memory);
}

UMBEL_INLINE void taffy::check_shape(std::uint64_t first_buckets, std::uint64_t growths,
                                     std::uint64_t head_bits) {
  if (head_bits < sizing::taffy_least_head || head_bits > sizing::taffy_max_head)
    throw bad_parameter(detail::text("head_bits: expected 5 to 26, found ", head_bits));
  const unsigned most = 58 - static_cast<unsigned>(head_bits);
  if (growths >= most || first_buckets == 0 || first_buckets >> (most - growths) != 0)
    throw bad_parameter(detail::text("keys: ", first_buckets, " buckets, doubled ", growths,
                                     " times, are more than heads of ", head_bits, " bits allow"));
}

UMBEL_INLINE void taffy::require_growing() const {
  if (is_frozen())
    throw bad_parameter(
        "a frozen taffy-cuckoo-filter cannot change: change the one it was made of, and freeze "
        "again");
}

UMBEL_INLINE void taffy::clear() {
  require_growing();
  table_.storage().clear();
  stash_.clear();
  entries_ = stashed_ = 0;
}

template <class Work>
void taffy::extend(const entry& e, std::uint64_t more, Work&& work) {
  if (more == 0) return work(e);
  if (e.code != no_tail)
    return extend({e.front << 1 | e.code >> sizing::taffy_tail_bits, e.code << 1 & code_mask},
                  more - 1, work);
  extend({e.front << 1, no_tail}, more - 1, work);
  extend({e.front << 1 | 1, no_tail}, more - 1, work);
}

template <class Work>
void taffy::for_each_in_row(std::uint64_t i, Work&& work) const {
  table_.with_row([&](auto zero) {
    const auto row = table_.load<decltype(zero)>(i);
    for (unsigned j = 0; j < sizing::taffy_slots; ++j)
      if (const std::uint64_t slot = table_.get(row, j); slot != 0)
        work(entry{front_in(i, slot), (slot & code_mask) == 0 ? no_tail : slot & code_mask});
  });
}

template <class Work>
void taffy::for_each_extended(std::uint64_t more, Work&& work) const {
  for (std::uint64_t i = 0; i < table_.rows(); ++i)
    for_each_in_row(i, [&](const entry& e) { extend(e, more, work); });
  for (const std::uint64_t stored : stash_.span())
    if (stored != 0) extend({stored >> code_bits, stored & code_mask}, more, work);
}

// There must be room: at least one free stash slot.
UMBEL_INLINE bool taffy::place(entry e) noexcept {
  ++entries_;
  return table_.with_row([&](auto zero) {
    using row = decltype(zero);
    const auto settles = [&](std::uint64_t i) {
      const auto room = table_.empty(table_.load<row>(i));
      if (room == 0) return false;
      table_.flip<row>(i, table_.in_slot(room, slot_of(e)));
      return true;
    };
    if (settles(row_of(e.front, 0)) || settles(row_of(e.front, 1))) return true;
    std::uint64_t chance = detail::remix(e.front, e.code);
    unsigned side = 1;
    for (unsigned move = 0; move < max_moves; ++move) {
      const std::uint64_t i = row_of(e.front, side);
      const unsigned slot = drawn(chance);
      const std::uint64_t moved = table_.get(table_.load<row>(i), slot);
      table_.flip<row>(i, typename row::word{moved ^ slot_of(e)} << (slot * table_.width()));
      e = {front_in(i, moved), moved & code_mask};
      side ^= 1;
      if (settles(row_of(e.front, side))) return false;
    }
    stash_[stashed_++] = e.front << code_bits | (e.code == 0 ? no_tail : e.code);
    return false;
  });
}

UMBEL_INLINE bool taffy::sends(const entry& e, scout& of) const noexcept {
  of = {row_of(e.front, 1), detail::remix(e.front, e.code)};
  const bool has_room = table_.with_row([&](auto zero) {
    return table_.empty(table_.load<decltype(zero)>(row_of(e.front, 0))) != 0;
  });
  return !has_room && look_on(of);
}
// True if this row is full too; the next one has then been prefetched.
UMBEL_INLINE bool taffy::look_on(scout& of) const noexcept {
  return table_.with_row([&](auto zero) {
    const auto row = table_.load<decltype(zero)>(of.row);
    if (table_.empty(row) != 0) return false;
    of.row =
        row_of(front_in(of.row, table_.get(row, drawn(of.chance))), of.row < buckets() ? 1 : 0);
    table_.prefetch(of.row);
    return true;
  });
}

// Nothing if the doubled table would be full again.
UMBEL_INLINE std::optional<taffy> taffy::grown(std::uint64_t more) const {
  taffy out(first_buckets_, growths_ + more, head_bits_, form::growing,
            table_.storage().bytes().memory());
  bool fits = true;
  for_each_extended(more, [&](const entry& e) {
    fits = fits && out.stashed_ < stash_size;
    if (fits && !out.holds(e)) out.place(e);
  });
  return fits ? std::optional(std::move(out)) : std::nullopt;
}

// At most nine tenths of the slots are taken, and a doubled table has twice the slots for at most
// twice the entries. Crafted tables may be fuller.
UMBEL_INLINE void taffy::grow() {
  for (const unsigned more : {1U, 2U})
    if (auto larger = grown(more)) {
      *this = std::move(*larger);
      return;
    }
  throw full(detail::text("a taffy-cuckoo-filter of ", entries_, " entries cannot be doubled"));
}

UMBEL_INLINE void taffy::merge(const taffy& other) {
  require_growing();
  // a frozen table's entries have no tails, so each doubling would double their number
  other.require_growing();
  if (first_buckets_ != other.first_buckets_ || head_bits_ != other.head_bits_)
    throw incompatible(detail::text("these filters began with different sizes: ", first_buckets_,
                                    " buckets and heads of ", head_bits_, " bits against ",
                                    other.first_buckets_, " and ", other.head_bits_));
  taffy both(*this);
  while (both.growths_ < other.growths_) both.grow();
  // restarts after every doubling; entries already present are skipped
  for (bool again = true; again;) {
    again = false;
    other.for_each_extended(both.growths_ - other.growths_, [&](const entry& e) {
      if (again || both.holds(e)) return;
      if (both.is_full())
        again = true;
      else
        both.place(e);
    });
    if (again) both.grow();
  }
  *this = std::move(both);
}

// Each front is stored once: side 1 omits what side 0 has, and the stash what either side has. So
// the number of entries gives the rate.
UMBEL_INLINE taffy taffy::freeze() const {
  if (is_frozen()) return *this;
  taffy out(first_buckets_, growths_, head_bits_, form::frozen, table_.storage().bytes().memory());
  out.table_.with_row([&](auto zero) {
    using narrower = decltype(zero);
    for (std::uint64_t i = 0; i < table_.rows(); ++i) {
      std::array<std::uint64_t, sizing::taffy_slots> heads;
      auto end = heads.begin();
      for_each_in_row(i, [&](const entry& e) {
        const std::uint64_t head = e.front & head_mask();
        if (i < buckets() || !out.row_holds_head<narrower>(row_of(e.front, 0), head)) *end++ = head;
      });
      std::sort(heads.begin(), end);
      end = std::unique(heads.begin(), end);
      out.entries_ += static_cast<std::uint64_t>(end - heads.begin());
      if (end == heads.begin())
        heads = {1};
      else
        std::fill(end, heads.end(), end[-1]);
      using word = typename narrower::word;
      word row = 0;
      for (unsigned j = 0; j < sizing::taffy_slots; ++j)
        row |= word{heads[j]} << (j * out.table_.width());
      out.table_.flip<narrower>(i, row);
    }
  });
  for (const std::uint64_t stored : stash_.span())
    if (const entry e{stored >> code_bits, no_tail}; stored != 0 && !out.holds(e)) {
      out.stash_[out.stashed_++] = e.front << code_bits | no_tail;
      ++out.entries_;
    }
  return out;
}

UMBEL_INLINE double taffy::expected_fpr() const noexcept {
  if (is_frozen()) {
    const double all = std::exp2(static_cast<double>(head_bits_)) * static_cast<double>(buckets());
    return std::min(1.0, static_cast<double>(entries_) / all);
  }
  double covered = 0;
  for_each_extended(0, [&](const entry& e) { covered += std::exp2(std::countr_zero(e.code)); });
  const double all = std::exp2(static_cast<double>(head_bits_ + sizing::taffy_tail_bits)) *
                     static_cast<double>(buckets());
  return std::min(1.0, covered / all);
}

UMBEL_INLINE void taffy::check() {
  check_shape(first_buckets_, growths_, head_bits_);
  if (frozen_ > 1) throw corrupt(detail::text("frozen: expected 0 or 1, found ", frozen_));
  if (entries_ > 2 * sizing::taffy_slots * buckets() + stash_size)
    throw corrupt(detail::text("entries: ", entries_, " are more than the slots there are"));
  table_.reshape(2 * buckets(), sizing::taffy_slots, slot_bits());
  stash_.require(stash_size);
  stashed_ = 0;
  unsigned i = 0;
  for (const std::uint64_t stored : std::as_const(stash_).span()) {
    ++i;
    if (stored == 0) continue;
    if (++stashed_ != i) throw corrupt("stash: a gap between entries");
    const std::uint64_t code = stored & code_mask;
    if (stored >> code_bits >> head_bits_ >= buckets() ||
        (is_frozen() ? code != no_tail : code == 0))
      throw corrupt(detail::text("stash: ", stored, " is no entry of this table"));
  }
}

}  // namespace umbel::core
