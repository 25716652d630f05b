// staggered.hpp - binary fuse graph [GL22] in which a key has several rows, for codes of variable
// length [GV18]: row i has the cells of row 0 plus i.
//
// Idea       The values of a key's rows are adjacent in every segment. So one XOR of a few words
//            gives all of them: the bits of a code, whose length may differ from key to key.
// Layout     `reach` cells more than the fuse graph has, for rows that begin at the end of the last
//            segment.
// Limits     32 rows per key. The shape is that of a fuse graph for as many keys as there are rows.
// Source     [GV18] for codes in a graph; [GL22] for the graph.
#pragma once

#include <cstdint>
#include <string_view>

#include <umbel/engine/retrieval/fuse.hpp>
#include <umbel/engine/retrieval/place.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/sizing/fuse.hpp>

namespace umbel::core {

struct staggered_shape : sizing::fuse_shape {
  std::uint64_t reach = 1;  // rows of a key, at most
  friend bool operator==(const staggered_shape&, const staggered_shape&) = default;

  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    sizing::fuse_shape::fields(self, field);
    field("reach", self.reach);
  }
};

class staggered {
  using graph = fuse<3>;
  static constexpr unsigned step_bits = 5;

 public:
  static constexpr std::string_view name = "staggered";
  static constexpr std::uint64_t max_reach = std::uint64_t{1} << step_bits;
  using shape = staggered_shape;
  using positions = graph::positions;
  struct options_type {
    std::uint64_t reach = 1;
  };

  staggered() = default;
  explicit staggered(const shape& s) noexcept : rows_(s), reach_(s.reach) {}

  [[nodiscard]] static shape plan(std::uint64_t rows, const options_type& w) {
    return {graph::plan(rows), w.reach};
  }
  static void check(const shape& s, auto&& require) {
    graph::check(s, require);
    require(s.reach >= 1 && s.reach <= max_reach, "reach", s.reach);
  }

  [[nodiscard]] static constexpr unsigned arity() noexcept { return graph::arity(); }
  [[nodiscard]] std::uint64_t size() const noexcept { return rows_.size() + reach_ - 1; }
  [[nodiscard]] std::uint64_t regions() const noexcept { return rows_.regions(); }
  [[nodiscard]] std::uint64_t region(std::uint64_t word) const noexcept {
    return rows_.region(word);
  }
  [[nodiscard]] unsigned place_bits() const noexcept { return rows_.place_bits() + step_bits; }
  [[nodiscard]] std::uint64_t place(std::uint64_t word, std::uint64_t step = 0) const noexcept {
    return rows_.place(word) << step_bits | step;
  }
  [[nodiscard]] positions cells(std::uint64_t place) const noexcept {
    return moved(rows_.cells(place >> step_bits), place & (max_reach - 1));
  }
  // The cells of row 0, where the values of all of a key's rows begin.
  [[nodiscard]] positions cells(std::uint64_t word, std::uint64_t base) const noexcept {
    return moved(rows_.cells(word, 0), base);
  }

 private:
  [[nodiscard]] static positions moved(positions at, std::uint64_t by) noexcept {
    for (std::uint64_t& cell : at) cell += by;
    return at;
  }

  graph rows_;
  std::uint64_t reach_ = 1;
};

}  // namespace umbel::core
