// band.hpp - elimination of rows that are nonzero in one short run of slots, and the solution from
// right to left.
// Idea       A slot keeps the one row that begins there. A new row that finds its slot taken adds
//            that row to itself, which clears its first coefficient, and moves on to its next one.
//            Rows that are stored never change, so what was inserted last can be taken out again.
// Layout     Bit 0 of a stored row's coefficients stands for its own slot and is set; an empty slot
//            has none set.
// Invariant  Which slots are taken, and the solution with empty slots zero, depend on the rows that
//            are in alone, not on their order: rows of one `insert` enter all or none.
// Limits     Sees rows, never keys. A row runs past no end: its start is at most slots - width.
// Source     [DW21] sec. 2 for banding on the fly; [DHSW22] for taking rows out.
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

// Moves the lowest set bit to bit 0, and says by how many places. It must be one of the low 64
// bits; and be bit 0 only if there is none above those.
[[nodiscard, gnu::always_inline]] inline std::size_t drop_zeros(std::uint64_t& word) noexcept {
  const auto zeros = static_cast<std::size_t>(std::countr_zero(word));
  word >>= zeros;
  return zeros;
}
// By halves: a shift of 128 bits by any number of places takes longer.
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

  // All rows, or none of them and false: one is a sum of others, but its value is not.
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
  // Of the last insert: owners of rows that were sums of others with the right value and took no
  // slot, by luck or because they were there already.
  [[nodiscard]] std::span<const std::uint32_t> redundant() const noexcept { return redundant_; }
  // Of the last insert, if it failed: the owner of the row that could not be.
  [[nodiscard]] std::uint32_t refused() const noexcept { return refused_; }

 private:
  // A row in work. Each of its steps waits for the slot it reads; three rows that take turns hide
  // the waiting. Whichever stores first, the others find it and go on.
  struct lane {
    std::size_t at;  // its slot, counted in words: scaled by the load itself
    Word coefficients;
    std::uint64_t value;
    std::uint32_t owner;
  };
  enum class step { on, done, refused };
  static constexpr std::size_t slot_words = sizeof(slot) / sizeof(std::uint64_t);

  [[gnu::always_inline]] step advance(lane& l) {
    slot& found = *reinterpret_cast<slot*>(bytes_ + l.at * sizeof(std::uint64_t));
    if (static_cast<std::uint64_t>(found.coefficients) == 0) {  // a row has bit 0 set
      found = {l.coefficients, l.value};
      *taken_end_++ = &found;
      return step::done;
    }
    l.coefficients ^= found.coefficients;
    l.value ^= found.value;
    if (static_cast<std::uint64_t>(l.coefficients) == 0) [[unlikely]] {
      // The call keeps gcc from choosing between the halves by conditional moves, which every step
      // would wait for.
      if (l.coefficients == 0) return vanished(l.value, l.owner);
      if constexpr (sizeof(Word) > sizeof(std::uint64_t)) l.coefficients >>= 64;
      l.at += slot_words * 64;
    }
    l.at += slot_words * drop_zeros(l.coefficients);
    return step::on;
  }
  // By value, as below: lanes whose address is taken would live in memory, and every step wait for
  // it.
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

  // A step of this lane, and the next row when its own is in; `done` when there is none.
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
    // Named one by one: an array of lanes is left in memory.
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
  // A shift by any number of places is one step then, not two or three.
  [[nodiscard, gnu::target("bmi,bmi2")]] bool run_bmi2(std::span<const row> rows) {
    return run(rows);
  }
#endif

  std::byte* bytes_;
  bool with_bmi2_;
  std::vector<slot*> taken_;  // by the rows of the last insert
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

// Columns [first, first + Columns) of 64 slots, from the last to the first. window[c] holds the
// solution of the slots to the right of those already solved, the nearest in bit 0.
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
      w[c] |= parity(w[c] & coefficients) ^ (value >> c & 1);  // an empty slot: no coefficient
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
// A parity is one count of bits then: half the time.
template <class Word>
[[gnu::target("popcnt,bmi2")]] void sweep_blocks_counting(std::span<const band_slot<Word>> slots,
                                                          unsigned columns, Word* window,
                                                          std::uint64_t* blocks) noexcept {
  sweep_blocks(slots, columns, window, blocks);
}
#endif

// The solution of all slots, those without a row as their value says: bit i of blocks[b * columns +
// c] is bit c of slot 64 b + i.
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
