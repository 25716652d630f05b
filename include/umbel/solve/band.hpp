// band.hpp - on-the-fly banding and back-substitution for ribbon systems over GF(2) [DW21].
//
// The coefficients of a row are nonzero only in `width` consecutive slots. A slot stores the one
// row whose first coefficient is there. If the slot of a new row is taken, the stored row is added
// to the new one; this clears its first coefficient, and the new row moves to the slot of its next
// one. Stored rows never change, so the rows of the last insert can be removed again.
// Back-substitution computes the solution from the last slot to the first.
//
// Layout     Bit 0 of a stored row's coefficients belongs to its own slot and is set. An empty slot
//            has no coefficient set.
// Invariant  The set of taken slots, and the solution with empty slots set to zero, depend only on
//            the set of rows inserted, not on their order. One `insert` adds all of its rows or
//            none.
// Limits     Handles rows, never keys. A row must fit: its start is at most slots - width.
// Source     [DW21] sec. 2 for on-the-fly banding; [DHSW22] for removing rows.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <umbel/base/integers.hpp>
#include <umbel/cells/kernel/level.hpp>

namespace umbel::solve {

template <class Word>
struct band_row {
  Word coefficients = 0;
  std::uint64_t value = 0;
  std::uint32_t start = 0;
  std::uint32_t owner = 0;  // for the caller
};

template <class Word>
struct band_slot {
  Word coefficients = 0;
  std::uint64_t value = 0;
};

// Shifts the lowest set bit to bit 0 and returns the distance. Requires: the lowest set bit is one
// of the low 64 bits, and it is bit 0 only if no bit above the low 64 is set.
[[nodiscard, gnu::always_inline]] inline std::size_t drop_zeros(std::uint64_t& word) noexcept {
  const auto zeros = static_cast<std::size_t>(std::countr_zero(word));
  word >>= zeros;
  return zeros;
}
// Works on the two halves, because a 128-bit shift by a variable distance is slower.
[[nodiscard, gnu::always_inline]] inline std::size_t drop_zeros(detail::uint128& word) noexcept {
  const auto high = static_cast<std::uint64_t>(word >> 64);
  auto low = static_cast<std::uint64_t>(word);
  const auto zeros = static_cast<std::size_t>(std::countr_zero(low));
  low = low >> zeros | high << (-zeros % 64);
  word = static_cast<detail::uint128>(high >> zeros) << 64 | low;
  return zeros;
}

template <class Word>
class band {
 public:
  using row = band_row<Word>;
  using slot = band_slot<Word>;

  explicit band(std::span<slot> slots) noexcept
      : bytes_(reinterpret_cast<std::byte*>(slots.data())),
        with_bmi2_(cells::kernel::in_use() != cells::kernel::level::portable) {}

  // Inserts all rows, or none and returns false if one row is a sum of others with a different
  // value.
  [[nodiscard]] bool insert(std::span<const row> rows) {
    if (taken_.size() < rows.size()) taken_.resize(rows.size());
    taken_end_ = taken_.data();
    redundant_.clear();
#if defined(__x86_64__)
    const bool all = with_bmi2_ ? run_bmi2(rows) : run_portable(rows);
#else
    const bool all = run_portable(rows);
#endif
    if (all) return true;
    while (taken_end_ != taken_.data()) **--taken_end_ = slot{};
    return false;
  }
  // After an insert: the owners of rows that were sums of others with the right value, by chance or
  // as duplicates. They took no slot.
  [[nodiscard]] std::span<const std::uint32_t> redundant() const noexcept { return redundant_; }
  // After a failed insert: the owner of the contradictory row.
  [[nodiscard]] std::uint32_t refused() const noexcept { return refused_; }

 private:
  // A row being inserted. Each step waits for the slot it reads, so three rows are advanced in turn
  // to hide the latency. The order in which they store does not matter: a later row finds the
  // stored one and goes on.
  struct lane {
    std::size_t at;  // its slot, in words: the load scales the index
    Word coefficients;
    std::uint64_t value;
    std::uint32_t owner;
  };
  enum class step { on, done, refused };
  static constexpr std::size_t slot_words = sizeof(slot) / sizeof(std::uint64_t);

  [[gnu::always_inline]] step advance(lane& l) {
    slot& found = *reinterpret_cast<slot*>(bytes_ + l.at * sizeof(std::uint64_t));
    if (static_cast<std::uint64_t>(found.coefficients) == 0) {  // a stored row has bit 0 set
      found = {l.coefficients, l.value};
      *taken_end_++ = &found;
      return step::done;
    }
    l.coefficients ^= found.coefficients;
    l.value ^= found.value;
    if (static_cast<std::uint64_t>(l.coefficients) == 0) [[unlikely]] {
      // The call stops gcc from selecting the half with conditional moves, which would add latency
      // to every step.
      if (l.coefficients == 0) return vanished(l.value, l.owner);
      if constexpr (sizeof(Word) > sizeof(std::uint64_t)) l.coefficients >>= 64;
      l.at += slot_words * 64;
    }
    l.at += slot_words * drop_zeros(l.coefficients);
    return step::on;
  }
  // Takes its arguments by value, like the functions below: a lane whose address is taken would be
  // kept in memory, and every step would wait for it.
  [[gnu::noinline]] step vanished(std::uint64_t value, std::uint32_t owner) {
    if (value == 0) {
      redundant_.push_back(owner);
      return step::done;
    }
    refused_ = owner;
    return step::refused;
  }
  [[nodiscard]] bool finish(lane l) {
    step last = step::on;
    while (last == step::on) last = advance(l);
    return last == step::done;
  }
  [[nodiscard]] bool finish(lane a, lane b) {
    for (;;) {
      if (const step last = advance(a); last != step::on) return last == step::done && finish(b);
      if (const step last = advance(b); last != step::on) return last == step::done && finish(a);
    }
  }
  [[nodiscard, gnu::always_inline]] lane begin(const row& r) const noexcept {
    return {slot_words * r.start, r.coefficients, r.value, r.owner};
  }

  // Advances one lane, and loads the next row into it when its row is done. Returns `done` when no
  // row is left.
  [[gnu::always_inline]] step turn(lane& l, const row*& next, const row* end) {
    const step last = advance(l);
    if (last != step::done || next == end) return last;
    l = begin(*next++);
    return step::on;
  }
  [[nodiscard, gnu::always_inline]] bool run(std::span<const row> rows) {
    const row *next = rows.data(), *const end = next + rows.size();
    if (rows.size() < 3)
      return std::all_of(next, end, [&](const row& r) { return finish(begin(r)); });
    // Three variables, because the compiler keeps an array of lanes in memory.
    lane a = begin(*next++), b = begin(*next++), c = begin(*next++);
    for (;;) {
      if (const step last = turn(a, next, end); last != step::on)
        return last == step::done && finish(b, c);
      if (const step last = turn(b, next, end); last != step::on)
        return last == step::done && finish(a, c);
      if (const step last = turn(c, next, end); last != step::on)
        return last == step::done && finish(a, b);
    }
  }
  [[nodiscard]] bool run_portable(std::span<const row> rows) { return run(rows); }
#if defined(__x86_64__)
  // BMI2 shifts by a variable distance in one instruction instead of two or three.
  [[nodiscard, gnu::target("bmi,bmi2")]] bool run_bmi2(std::span<const row> rows) {
    return run(rows);
  }
#endif

  std::byte* bytes_;
  bool with_bmi2_;
  std::vector<slot*> taken_;  // slots taken by the last insert
  slot** taken_end_ = nullptr;
  std::vector<std::uint32_t> redundant_;
  std::uint32_t refused_ = 0;
};

[[nodiscard, gnu::always_inline]] inline std::uint64_t parity(std::uint64_t word) noexcept {
  return static_cast<std::uint64_t>(__builtin_parityll(word));
}
[[nodiscard, gnu::always_inline]] inline std::uint64_t parity(detail::uint128 word) noexcept {
  return parity(static_cast<std::uint64_t>(word) ^ static_cast<std::uint64_t>(word >> 64));
}

// Back-substitution of columns [first, first + Columns) over 64 slots, from the last to the first.
// window[c] holds the solution of the slots to the right of those already solved, the nearest in
// bit 0.
template <unsigned Columns, class Word>
[[gnu::always_inline]] inline void sweep(const band_slot<Word>* slots, unsigned first,
                                         Word* window) noexcept {
  Word w[Columns];
  for (unsigned c = 0; c < Columns; ++c) w[c] = window[c];
  for (unsigned i = 64; i-- > 0;) {
    const Word coefficients = slots[i].coefficients;
    const std::uint64_t value = slots[i].value >> first;
#pragma GCC unroll 4
    for (unsigned c = 0; c < Columns; ++c) {
      w[c] <<= 1;
      w[c] |= parity(w[c] & coefficients) ^ (value >> c & 1);  // an empty slot has no coefficients
    }
  }
  for (unsigned c = 0; c < Columns; ++c) window[c] = w[c];
}

template <class Word>
[[gnu::always_inline]] inline void sweep_blocks(std::span<const band_slot<Word>> slots,
                                                unsigned columns, Word* window,
                                                std::uint64_t* blocks) noexcept {
  for (std::size_t b = slots.size() / 64; b-- > 0;) {
    const band_slot<Word>* const here = slots.data() + b * 64;
    unsigned c = 0;
    for (; c + 4 <= columns; c += 4) sweep<4>(here, c, &window[c]);
    for (; c < columns; ++c) sweep<1>(here, c, &window[c]);
    for (c = 0; c < columns; ++c) blocks[b * columns + c] = static_cast<std::uint64_t>(window[c]);
  }
}
#if defined(__x86_64__)
// With popcnt a parity is one instruction: half the time.
template <class Word>
[[gnu::target("popcnt,bmi2")]] void sweep_blocks_counting(std::span<const band_slot<Word>> slots,
                                                          unsigned columns, Word* window,
                                                          std::uint64_t* blocks) noexcept {
  sweep_blocks(slots, columns, window, blocks);
}
#endif

// Computes the solution of all slots; an empty slot gets its stored value. Bit i of blocks[b *
// columns + c] is bit c of slot 64 b + i.
template <class Word>
void solve_columns(std::span<const band_slot<Word>> slots, unsigned columns,
                   std::uint64_t* blocks) {
  std::vector<Word> window(columns);
#if defined(__x86_64__)
  if (cells::kernel::in_use() >= cells::kernel::level::avx2)
    return sweep_blocks_counting(slots, columns, window.data(), blocks);
#endif
  sweep_blocks(slots, columns, window.data(), blocks);
}

}  // namespace umbel::solve
