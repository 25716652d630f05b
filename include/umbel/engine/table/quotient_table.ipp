// quotient_table.ipp - bodies of quotient_table.hpp: shifting slots when a value is added or
// removed.
#pragma once

#include <algorithm>
#include <cstring>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/engine/table/quotient_table.hpp>
#include <umbel/sizing/bloom.hpp>

namespace umbel::core {
namespace detail_of_runs {

inline void write_bit(unsigned char* word, unsigned bit, bool to) noexcept {
  const std::uint64_t mask = std::uint64_t{1} << bit, old = detail::load_le<std::uint64_t>(word);
  detail::store_le(word, to ? old | mask : old & ~mask);
}
// Shifts bits from..to-1 of a word, at least one, up by `width`, at most 56. `carry` enters below
// them; the bits shifted out above are the next carry. `down` does the reverse.
struct shifted {
  std::uint64_t word, carry;
};
[[nodiscard]] inline shifted up(std::uint64_t word, unsigned from, unsigned to, unsigned width,
                                std::uint64_t carry) noexcept {
  const unsigned count = to - from;
  const std::uint64_t moved = detail::low_mask(count) << from, some = (word & moved) >> from;
  const std::uint64_t low = some << width | carry, high = some >> (64 - width);
  return {(word & ~moved) | (low << from & moved), low >> 1 >> (count - 1) | high << (64 - count)};
}
[[nodiscard]] inline shifted down(std::uint64_t word, unsigned from, unsigned to, unsigned width,
                                  std::uint64_t carry) noexcept {
  const unsigned count = to - from;
  const std::uint64_t moved = detail::low_mask(count) << from, some = (word & moved) >> from;
  const std::uint64_t low = some | carry << 1 << (count - 1), high = carry >> (64 - count);
  return {(word & ~moved) | (low >> width | high << (64 - width)) << from,
          low & detail::low_mask(width)};
}
// The same over many words, from the lowest up or from the highest down. Whole words are separate
// calls with constant arguments, which take few instructions.
template <auto Shift>
struct shift {
  unsigned char* words;
  unsigned width;
  std::uint64_t carry;
  void operator()(unsigned at, unsigned from, unsigned to) noexcept {
    const shifted done =
        Shift(detail::load_le<std::uint64_t>(words + 8 * at), from, to, width, carry);
    detail::store_le(words + 8 * at, done.word);
    carry = done.carry;
  }
};
[[nodiscard]] inline std::uint64_t all_up(unsigned char* words, unsigned from, unsigned to,
                                          unsigned width, std::uint64_t carry) noexcept {
  shift<up> step{words, width, carry};
  unsigned at = from / 64, low = from % 64;
  const unsigned last = (to - 1) / 64;
  if (at < last) {
    step(at, low, 64);
    while (++at < last) step(at, 0, 64);
    low = 0;
  }
  step(last, low, to - 64 * last);
  return step.carry;
}
[[nodiscard]] inline std::uint64_t all_down(unsigned char* words, unsigned from, unsigned to,
                                            unsigned width, std::uint64_t carry) noexcept {
  shift<down> step{words, width, carry};
  unsigned at = (to - 1) / 64, high = to - 64 * at;
  const unsigned first = from / 64;
  if (at > first) {
    step(at, 0, high);
    while (--at > first) step(at, 0, 64);
    high = 64;
  }
  step(first, from % 64, high);
  return step.carry;
}

}  // namespace detail_of_runs

UMBEL_INLINE void quotient_table::set(std::uint64_t slot, std::uint64_t value) noexcept {
  const std::uint64_t bit = slot % block_slots * width_;
  unsigned char* const at = block_at(slot / block_slots) + bit / 8;
  const auto old = detail::load_le<std::uint64_t>(at);
  detail::store_le(at, (old & ~(mask_ << bit % 8)) | value << bit % 8);
}
UMBEL_INLINE void quotient_table::set_home(std::uint64_t home, bool to) noexcept {
  detail_of_runs::write_bit(block_at(home / block_slots) + 8 * width_, home % block_slots, to);
}
UMBEL_INLINE void quotient_table::set_end(std::uint64_t slot, bool to) noexcept {
  detail_of_runs::write_bit(block_at(slot / block_slots) + 8 * width_ + 8, slot % block_slots, to);
}

UMBEL_INLINE void quotient_table::put_alone(std::uint64_t home, std::uint64_t value) noexcept {
  set(home, value);
  set_home(home, true);
  set_end(home, true);
  ++used_;
}

UMBEL_INLINE void quotient_table::put_at(std::uint64_t home, std::uint64_t at, std::uint64_t end,
                                         std::uint64_t free, std::uint64_t value) noexcept {
  const bool joins = has_run(home);
  if (joins && at == end) set_end(wrapped(at - 1), false);
  move_up(at, free, value, !joins || at == end);
  set_home(home, true);
  ++used_;
  for (std::uint64_t block = home / block_slots + 1; block * block_slots <= free; ++block)
    if (unsigned char& offset = block_at(block < blocks_ ? block : block - blocks_)[stride() - 1];
        offset < far)
      ++offset;
}

UMBEL_INLINE void quotient_table::take_out(std::uint64_t home, std::uint64_t slot,
                                           std::uint64_t end, std::uint64_t hole) noexcept {
  const bool first = slot == home || is_end(wrapped(slot - 1));
  if (slot + 1 == end) {  // the end moves to the value before, or the run is removed
    if (first)
      set_home(home, false);
    else
      set_end(wrapped(slot - 1), true);
  }
  move_down(slot, hole);
  if (used_ > 0) --used_;
  // From the first saturated offset on, offsets are computed anew.
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

// Moves each of slots from..free-1 to the next slot, and puts a value into the first.
UMBEL_INLINE void quotient_table::move_up(std::uint64_t from, std::uint64_t free,
                                          std::uint64_t value, bool is_end) noexcept {
  const unsigned w = width();
  std::uint64_t block = wrapped(from) / block_slots, end = is_end;
  for (unsigned low = from % block_slots;; low = 0) {
    // slots after the first that are still to be written, in this block and later ones
    const std::uint64_t rest = free - from;
    const unsigned high =
        rest < block_slots - low ? low + static_cast<unsigned>(rest) + 1 : block_slots;
    unsigned char* const cells = block_at(block);
    value = detail_of_runs::all_up(cells, low * w, high * w, w, value);
    end = detail_of_runs::all_up(cells + 8 * width_ + 8, low, high, 1, end);
    from += high - low;
    if (from > free) return;
    if (++block == blocks_) block = 0;
  }
}
// Moves each of slots to+1..hole-1 to the slot before; the last is then empty.
UMBEL_INLINE void quotient_table::move_down(std::uint64_t to, std::uint64_t hole) noexcept {
  const unsigned w = width();
  std::uint64_t block = wrapped(hole - 1) / block_slots, value = 0, end = 0;
  for (unsigned high = (hole - 1) % block_slots + 1;; high = block_slots) {
    const std::uint64_t rest = hole - to;
    const unsigned low = rest < high ? high - static_cast<unsigned>(rest) : 0;
    unsigned char* const cells = block_at(block);
    value = detail_of_runs::all_down(cells, low * w, high * w, w, value);
    end = detail_of_runs::all_down(cells + 8 * width_ + 8, low, high, 1, end);
    hole -= high - low;
    if (hole == to) return;
    block = (block == 0 ? blocks_ : block) - 1;
  }
}

UMBEL_INLINE void quotient_table::check() {
  if (width_ < 1 || width_ > max_width)
    throw corrupt(detail::text("runs: width: expected 1 to ", max_width, ", found ", width_));
  if (blocks_ < 1 || blocks_ > sizing::max_bits / (8 * block_bytes(width())))
    throw corrupt(detail::text("runs: blocks: expected 1 to what 2^56 bits hold, found ", blocks_));
  if (used_ > room())
    throw corrupt(detail::text("runs: used: expected at most ", room(), ", found ", used_));
  bytes_.require(blocks_ * stride());
  mask_ = detail::low_mask(width());
}

}  // namespace umbel::core
