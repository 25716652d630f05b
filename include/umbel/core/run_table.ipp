// run_table.ipp - bodies of run_table.hpp: what moves when a value comes or goes.
#pragma once

#include <algorithm>
#include <cstring>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/core/run_table.hpp>
#include <umbel/sizing/bloom.hpp>

namespace umbel::core {
namespace detail_of_runs {

inline void write_bit(unsigned char* word, unsigned bit, bool to) noexcept {
  const std::uint64_t mask = std::uint64_t{1} << bit, old = detail::load_le<std::uint64_t>(word);
  detail::store_le(word, to ? old | mask : old & ~mask);
}
[[nodiscard]] inline std::uint64_t mask_of(unsigned from, unsigned to) noexcept {
  return detail::low_mask(to) & ~detail::low_mask(from);
}

}  // namespace detail_of_runs

UMBEL_INLINE void run_table::set(std::uint64_t slot, std::uint64_t value) noexcept {
  const std::uint64_t bit = slot % block_slots * width_;
  unsigned char* const at = block_at(slot / block_slots) + bit / 8;
  const auto old = detail::load_le<std::uint64_t>(at);
  detail::store_le(at, (old & ~(mask_ << bit % 8)) | value << bit % 8);
}
UMBEL_INLINE void run_table::set_home(std::uint64_t home, bool to) noexcept {
  detail_of_runs::write_bit(block_at(home / block_slots) + 8 * width_, home % block_slots, to);
}
UMBEL_INLINE void run_table::set_end(std::uint64_t slot, bool to) noexcept {
  detail_of_runs::write_bit(block_at(slot / block_slots) + 8 * width_ + 8, slot % block_slots, to);
}

UMBEL_INLINE void run_table::put_alone(std::uint64_t home, std::uint64_t value) noexcept {
  set(home, value);
  set_home(home, true);
  set_end(home, true);
  ++used_;
}

UMBEL_INLINE void run_table::put_at(std::uint64_t home, std::uint64_t at, std::uint64_t end, std::uint64_t free,
                                    std::uint64_t value) noexcept {
  move_up(at, free);
  set(wrapped(at), value);
  const bool joins = has_run(home);
  set_end(wrapped(at), !joins || at == end);
  if (joins && at == end) set_end(wrapped(at - 1), false);
  set_home(home, true);
  ++used_;
  for (std::uint64_t block = home / block_slots + 1; block * block_slots <= free; ++block)
    if (unsigned char& offset = block_at(block < blocks_ ? block : block - blocks_)[stride() - 1]; offset < far)
      ++offset;
}

UMBEL_INLINE void run_table::take_out(std::uint64_t home, std::uint64_t slot, std::uint64_t end,
                                      std::uint64_t hole) noexcept {
  const bool first = slot == home || is_end(wrapped(slot - 1));
  if (slot + 1 == end) {  // the end moves to the value before it, or the run goes
    if (first)
      set_home(home, false);
    else
      set_end(wrapped(slot - 1), true);
  }
  move_down(slot, hole);
  if (used_ > 0) --used_;
  // From the first offset on that was too large to be told, they are counted anew.
  constexpr cells::kernel::portable::word_bits bits;
  bool counted = false;
  std::uint64_t count = 0;
  for (std::uint64_t block = home / block_slots + 1; block * block_slots < hole; ++block) {
    const std::uint64_t before = block - 1 < blocks_ ? block - 1 : block - 1 - blocks_;
    unsigned char& offset_here = block_at(before + 1 < blocks_ ? before + 1 : 0)[stride() - 1];
    if (offset_here < far && !counted) {
      if (offset_here > 0) --offset_here;
      continue;
    }
    count = carried(bits, before, counted ? count : offset(bits, before));
    counted = true;
    offset_here = static_cast<unsigned char>(std::min<std::uint64_t>(count, far));
  }
}

// Slots from..free-1 to the next one each, block by block from the last. The slot `from` keeps what it held.
UMBEL_INLINE void run_table::move_up(std::uint64_t from, std::uint64_t free) noexcept {
  while (true) {
    const std::uint64_t first = free / block_slots * block_slots, low = std::max(first, from);
    const std::uint64_t block = wrapped(free) / block_slots;
    shift_up(block, low % block_slots, free % block_slots);
    if (low == from) return;
    set(block * block_slots, get(wrapped(low - 1)));
    set_end(block * block_slots, is_end(wrapped(low - 1)));
    free = low - 1;
  }
}
// Slots to+1..hole-1 to the one before each; the last is empty then.
UMBEL_INLINE void run_table::move_down(std::uint64_t to, std::uint64_t hole) noexcept {
  while (true) {
    const std::uint64_t high = std::min(to / block_slots * block_slots + block_slots, hole) - 1;
    const std::uint64_t block = wrapped(to) / block_slots;
    shift_down(block, to % block_slots, high % block_slots);
    const bool last = high + 1 == hole;
    set(wrapped(high), last ? 0 : get(wrapped(high + 1)));
    set_end(wrapped(high), !last && is_end(wrapped(high + 1)));
    if (last) return;
    to = high + 1;
  }
}

// In one block: slots from..to-1 to from+1..to. As many values at a time as one load has for sure.
UMBEL_INLINE void run_table::shift_up(std::uint64_t block, unsigned from, unsigned to) noexcept {
  unsigned char* const cells = block_at(block);
  const unsigned w = width();
  if (w % 8 == 0) {
    std::memmove(cells + (from + 1) * (w / 8), cells + from * (w / 8), (to - from) * (w / 8));
  } else {
    for (unsigned high = to; high > from;) {
      const unsigned count = std::min(most_width / w, high - from), bit = (high - count) * w, up = bit + w;
      const std::uint64_t mask = detail::low_mask(count * w);
      const std::uint64_t some = detail::load_le<std::uint64_t>(cells + bit / 8) >> bit % 8 & mask;
      const auto old = detail::load_le<std::uint64_t>(cells + up / 8);
      detail::store_le(cells + up / 8, (old & ~(mask << up % 8)) | some << up % 8);
      high -= count;
    }
  }
  unsigned char* const at = cells + 8 * width_ + 8;
  const auto word = detail::load_le<std::uint64_t>(at);
  detail::store_le(at, (word & ~detail_of_runs::mask_of(from, to + 1)) | (word & detail_of_runs::mask_of(from, to))
                                                                             << 1);
}
// In one block: slots from+1..to to from..to-1.
UMBEL_INLINE void run_table::shift_down(std::uint64_t block, unsigned from, unsigned to) noexcept {
  unsigned char* const cells = block_at(block);
  const unsigned w = width();
  if (w % 8 == 0) {
    std::memmove(cells + from * (w / 8), cells + (from + 1) * (w / 8), (to - from) * (w / 8));
  } else {
    for (unsigned low = from; low < to;) {
      const unsigned count = std::min(most_width / w, to - low), bit = (low + 1) * w, down = bit - w;
      const std::uint64_t mask = detail::low_mask(count * w);
      const std::uint64_t some = detail::load_le<std::uint64_t>(cells + bit / 8) >> bit % 8 & mask;
      const auto old = detail::load_le<std::uint64_t>(cells + down / 8);
      detail::store_le(cells + down / 8, (old & ~(mask << down % 8)) | some << down % 8);
      low += count;
    }
  }
  unsigned char* const at = cells + 8 * width_ + 8;
  const auto word = detail::load_le<std::uint64_t>(at);
  detail::store_le(
      at, (word & ~detail_of_runs::mask_of(from, to + 1)) | (word & detail_of_runs::mask_of(from + 1, to + 1)) >> 1);
}

UMBEL_INLINE void run_table::check() {
  if (width_ < 1 || width_ > most_width)
    throw corrupt(detail::text("runs: width: expected 1 to ", most_width, ", found ", width_));
  if (blocks_ < 1 || blocks_ > sizing::max_bits / (8 * block_bytes(width())))
    throw corrupt(detail::text("runs: blocks: expected 1 to what 2^56 bits hold, found ", blocks_));
  if (used_ > room()) throw corrupt(detail::text("runs: used: expected at most ", room(), ", found ", used_));
  bytes_.require(blocks_ * stride());
  mask_ = detail::low_mask(width());
}

}  // namespace umbel::core
