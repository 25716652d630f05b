// thirds.hpp - sparse linear systems over GF(3), solved in two passes [GOV20].
//
// An equation is a sum of unknowns. reduce() eliminates in the order of lazy_order.hpp and records
// the row operations. It decides which unknowns are pivots, one per equation; the others are free.
// solve() replays the operations on right sides that may depend on that choice, and sets free
// unknowns to 0.
//
// Layout     64 numbers modulo 3 are two words: a mask of those that are 1 and a mask of those that
//            are 2. Seven operations add 64 of them.
// Invariant  If reduce() succeeds, solve() succeeds for any right sides.
// Threads    One per object. Memory is kept from one system to the next.
// Source     [GOV20] for the system; [BB09] for the two words.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <umbel/solve/lazy_order.hpp>

namespace umbel::solve {

template <class Unknown>  // std::uint32_t; a template, so that only solvers compile it
class thirds_system {
 public:
  // Clears the system.
  void reset(std::size_t unknowns) { order_.reset(unknowns); }
  // Adds an equation of these unknowns, each named once, at least one.
  template <class Unknowns>
  void add(const Unknowns& unknowns) {
    order_.add(unknowns);
  }
  // Returns false if an equation follows from others: right sides could contradict it.
  [[nodiscard]] bool reduce();
  [[nodiscard]] const lazy_order<Unknown>& order() const noexcept { return order_; }
  // After reduce(): whether the unknown is free, i.e. no equation determines it.
  [[nodiscard]] bool is_free(std::size_t unknown) const noexcept {
    return order_.is_active(unknown) && !has_pivot(order_.number(unknown));
  }
  // Writes every unknown to `out`, which must start as zeros. Right sides and unknowns are 0 to 2.
  void solve(std::span<const Unknown> rights, std::span<Unknown> out);

 private:
  struct numbers {
    std::uint64_t ones = 0, twos = 0;

    [[nodiscard]] std::uint64_t filled() const noexcept { return ones | twos; }
    [[nodiscard]] numbers operator-() const noexcept { return {twos, ones}; }
    friend numbers operator+(const numbers& a, const numbers& b) noexcept {
      const std::uint64_t either = (a.ones | b.twos) ^ (a.twos | b.ones);
      return {(a.twos | b.twos) ^ either, (a.ones | b.ones) ^ either};
    }
  };
  // A recorded row operation: the row at this pivot was subtracted once or, if `twice`, twice.
  struct deed {
    Unknown pivot;
    bool twice;
    bool last;  // the row was stored at this pivot, doubled if `twice`
  };

  // A stored row is zero before its pivot and 1 at its pivot.
  [[nodiscard]] bool has_pivot(std::size_t at) const noexcept {
    return (pivots_[at * words_ + at / 64].ones >> at % 64 & 1) != 0;
  }
  [[nodiscard]] bool take(std::span<numbers> row);
  void pass_rights(std::span<const Unknown> rights);
  void find_active();

  lazy_order<Unknown> order_;
  std::size_t words_ = 0;  // of a row
  // rows of solved unknowns over the active ones; rows of the dense system
  std::vector<numbers> rows_, pivots_;
  std::vector<deed> deeds_;
  std::vector<Unknown> known_,
      // constant terms of solved unknowns; right sides of pivots, then values of active unknowns
      values_;
};

// Like lazy_system::eliminate(): rows of solved unknowns are kept for later equations, the others
// go into the dense system.
template <class Unknown>
bool thirds_system<Unknown>::reduce() {
  order_.settle();
  words_ = order_.active().size() / 64 + 1;
  pivots_.assign(order_.active().size() * words_, {});
  rows_.resize((order_.equations() + 1) * words_);
  deeds_.clear();
  std::size_t solved = 0;
  for (const auto& s : order_.steps()) {
    const std::span row(rows_.data() + solved * words_, words_);
    std::fill(row.begin(), row.end(), numbers{});
    for (const Unknown u : order_.members(s.equation)) {
      if (u == s.solves) continue;
      const std::size_t at = order_.number(u);
      if (order_.is_active(u))
        row[at / 64] = row[at / 64] + numbers{std::uint64_t{1} << at % 64, 0};
      else
        for (std::size_t i = 0; i < words_; ++i) row[i] = row[i] + rows_[at * words_ + i];
    }
    if (s.solves == order_.idle) {
      if (!take(row)) return false;
    } else {  // the unknown is the negated sum of the others
      for (numbers& some : row) some = -some;
      ++solved;
    }
  }
  return true;
}

template <class Unknown>
bool thirds_system<Unknown>::take(std::span<numbers> row) {
  for (std::size_t word = 0; word < row.size(); ++word) {
    while (row[word].filled() != 0) {
      const auto bit = static_cast<unsigned>(std::countr_zero(row[word].filled()));
      const std::size_t pivot = 64 * word + bit;
      const bool twice = (row[word].twos >> bit & 1) != 0;
      const std::span stored(pivots_.data() + pivot * words_, words_);
      deeds_.push_back({static_cast<Unknown>(pivot), twice, !has_pivot(pivot)});
      if (!has_pivot(pivot)) {
        std::transform(row.begin(), row.end(), stored.begin(),
                       [&](const numbers& n) { return twice ? -n : n; });
        return true;
      }
      for (std::size_t i = word; i < row.size(); ++i)
        row[i] = row[i] + (twice ? stored[i] : -stored[i]);
    }
  }
  return false;
}

template <class Unknown>
void thirds_system<Unknown>::solve(std::span<const Unknown> rights, std::span<Unknown> out) {
  pass_rights(rights);
  find_active();
  for (std::size_t i = 0; i < values_.size(); ++i) out[order_.active()[i]] = values_[i];
  for (const auto& s : order_.steps()) {
    if (s.solves == order_.idle) continue;
    unsigned value = rights[s.equation];
    // out[s.solves] is still zero
    for (const Unknown u : order_.members(s.equation)) value += 2U * out[u];
    out[s.solves] = static_cast<Unknown>(value % 3);
  }
}

// Computes the right sides of the dense system.
template <class Unknown>
void thirds_system<Unknown>::pass_rights(std::span<const Unknown> rights) {
  known_.clear();
  values_.assign(order_.active().size(), 0);
  auto next = deeds_.begin();
  for (const auto& s : order_.steps()) {
    unsigned value = rights[s.equation];
    for (const Unknown u : order_.members(s.equation))
      if (u != s.solves && !order_.is_active(u)) value += 2U * known_[order_.number(u)];
    if (s.solves != order_.idle) {
      known_.push_back(static_cast<Unknown>(value % 3));
      continue;
    }
    for (; !next->last; ++next) value += (next->twice ? 1U : 2U) * values_[next->pivot];
    values_[next->pivot] = static_cast<Unknown>((next->twice ? 2 : 1) * value % 3);
    ++next;
  }
}

// Back-substitution in the dense system, from the last pivot to the first.
template <class Unknown>
void thirds_system<Unknown>::find_active() {
  for (std::size_t pivot = values_.size(); pivot-- > 0;) {
    if (!has_pivot(pivot)) continue;
    unsigned value = values_[pivot];
    values_[pivot] = 0;  // so that its own coefficient contributes nothing
    for (std::size_t word = pivot / 64; word < words_; ++word) {
      const numbers& row = pivots_[pivot * words_ + word];
      for (std::uint64_t left = row.filled(); left != 0; left &= left - 1) {
        const auto bit = static_cast<unsigned>(std::countr_zero(left));
        value += ((row.twos >> bit & 1) != 0 ? 1U : 2U) * values_[64 * word + bit];
      }
    }
    values_[pivot] = static_cast<Unknown>(value % 3);
  }
}

}  // namespace umbel::solve
