// scattered.hpp - graph of the original Bloomier filter [CKRT04]: digest -> 2 to 8 cells, a number
// chosen at run time, one in each of equal blocks or anywhere.
//
// Layout     The start is the first cell and gives the high bits of the place; the other cells are
//            generated from the place (place.hpp). A cell that occurs twice cancels, as in an XOR;
//            the remaining cells keep their order. With blocks, cell i is in block i.
// Limits     Without blocks all cells of a key may cancel. Such a key never peels, and the next
//            attempt uses another graph.
// Source     [CKRT04].
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include <umbel/base/integers.hpp>
#include <umbel/engine/retrieval/place.hpp>
#include <umbel/engine/retrieval/xor.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/sizing/scattered.hpp>

namespace umbel::core {

// Up to eight cells.
class cell_list {
 public:
  cell_list() = default;
  template <std::size_t K>
  requires(K <= sizing::peel_max_arity) explicit cell_list(
      const std::array<std::uint64_t, K>& cells) noexcept
      : size_(K) {
    std::copy(cells.begin(), cells.end(), cells_.begin());
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] const std::uint64_t* begin() const noexcept { return cells_.data(); }
  [[nodiscard]] const std::uint64_t* end() const noexcept { return cells_.data() + size_; }
  [[nodiscard]] std::uint64_t operator[](std::size_t i) const noexcept { return cells_[i]; }
  void add(std::uint64_t cell) noexcept { cells_[size_++] = cell; }
  // Adds a cell, or removes it if it is in the list.
  void toggle(std::uint64_t cell) noexcept {
    const auto last = cells_.begin() + size_, twin = std::find(cells_.begin(), last, cell);
    if (twin == last) return add(cell);
    std::copy(twin + 1, last, twin);
    --size_;
  }
  friend bool operator==(const cell_list& a, const cell_list& b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  std::array<std::uint64_t, sizing::peel_max_arity> cells_;  // the first size_ of them
  unsigned size_ = 0;
};

class scattered : public drawn_place {
 public:
  static constexpr std::string_view name = "graph";
  using shape = sizing::scattered_shape;
  using positions = cell_list;
  struct options_type {
    unsigned arity = 3;        // cells per key, 2 to 8
    bool blocks = true;        // one block per cell; else all in one block, with replacement
    double cells_per_key = 0;  // 0: the default of sizing/scattered.hpp
  };

  scattered() = default;
  explicit scattered(const shape& s) noexcept
      : drawn_place(s.blocks * s.block, s.block),
        arity_(static_cast<unsigned>(s.arity)),
        apart_(s.blocks > 1) {}

  [[nodiscard]] static shape plan(std::uint64_t keys, const options_type& w) {
    const double each =
        w.cells_per_key > 0 ? w.cells_per_key : sizing::scattered_cells_per_key(w.arity);
    const std::uint64_t blocks = w.blocks ? w.arity : 1;
    return {
        .arity = w.arity, .blocks = blocks, .block = sizing::plan_scattered(keys, each) / blocks};
  }
  static void check(const shape& s, auto&& require) {
    require(s.arity >= sizing::peel_least_arity && s.arity <= sizing::peel_max_arity, "arity",
            s.arity);
    require(s.blocks == 1 || s.blocks == s.arity, "blocks", s.blocks);
    require(s.block >= 1 && s.block <= (std::uint64_t{1} << 31) / s.blocks, "block", s.block);
  }

  [[nodiscard]] unsigned arity() const noexcept { return arity_; }
  [[nodiscard]] std::uint64_t size() const noexcept { return (apart_ ? arity_ : 1) * starts(); }
  [[nodiscard]] positions cells(std::uint64_t place) const noexcept { return placed(place, 0); }
  [[nodiscard]] positions cells(std::uint64_t word, std::uint64_t base) const noexcept {
    return placed(place(word), base);
  }

 private:
  [[nodiscard]] positions placed(std::uint64_t place, std::uint64_t base) const noexcept {
    positions at;
    at.add(base + start(place));
    if (apart_)
      for (unsigned i = 1; i < arity_; ++i)
        at.add(base + i * starts() + drawn_position(place, i, starts()));
    else
      for (unsigned i = 1; i < arity_; ++i) at.toggle(base + drawn_position(place, i, starts()));
    return at;
  }

  unsigned arity_ = sizing::peel_least_arity;
  bool apart_ = false;
};

}  // namespace umbel::core
