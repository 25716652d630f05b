// access.hpp - how a word of cells is read and changed: plain access, or relaxed atomics for shared
// arrays.
//
// Setting bits commutes, so relaxed order is enough: a query sees every insert that happened before
// it.
//
// Threads    `plain`: many readers or one writer. `relaxed`: any number of both.
#pragma once

#include <atomic>
#include <concepts>

namespace umbel::cells {

struct plain {
  static constexpr bool is_atomic = false;
  template <std::unsigned_integral Word>
  [[nodiscard]] static Word load(const Word& word) noexcept {
    return word;
  }
  // Sets the bits of `mask`. Returns true if any of them was clear.
  template <std::unsigned_integral Word>
  static bool set(Word& word, Word mask) noexcept {
    const Word before = word;
    word = before | mask;
    return (before & mask) != mask;
  }
};

struct relaxed {
  static constexpr bool is_atomic = true;
  template <std::unsigned_integral Word>
  [[nodiscard]] static Word load(const Word& word) noexcept {
    return std::atomic_ref<Word>(const_cast<Word&>(word)).load(std::memory_order_relaxed);
  }
  template <std::unsigned_integral Word>
  static bool set(Word& word, Word mask) noexcept {
    // most probes of a full filter need no write, so no cache line moves between cores
    if ((load(word) & mask) == mask) return false;
    return (std::atomic_ref<Word>(word).fetch_or(mask, std::memory_order_relaxed) & mask) != mask;
  }
};

}  // namespace umbel::cells
