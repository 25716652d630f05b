// sizing/scattered.hpp - shapes of graphs whose keys scatter over all cells, or over one block of
// cells per probe.
// Idea       Such a graph peels while keys per cell stay below peel_threshold; three cells per key
//            bear the most.
// Source     [GL20] for 32 + 1.23 n at three cells per key; bench/derive/fuse prints how often it
//            peels.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <umbel/sizing/peel.hpp>

namespace umbel::sizing {

// Equal blocks, one for each cell of a key.
struct block_row_shape {
  std::uint64_t block = 1;  // cells of one
  void grow() noexcept { block += block / 100 + 1; }
  friend bool operator==(const block_row_shape&, const block_row_shape&) = default;

  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("block", self.block);
  }
};

// The same with the number of cells per key chosen at run time, and perhaps no blocks: then `block`
// is all cells.
struct scattered_shape {
  std::uint64_t arity = peel_least_arity;
  std::uint64_t blocks = 1;  // 1, or as many as a key has cells
  std::uint64_t block = 1;
  void grow() noexcept { block += block / 100 + 1; }
  friend bool operator==(const scattered_shape&, const scattered_shape&) = default;

  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("arity", self.arity);
    field("blocks", self.blocks);
    field("block", self.block);
  }
};

// Cells per key for k cells each: 0.67% above the threshold, which at three is the customary 1.23.
// Two cells per key have no sharp threshold: of graphs with 2.1 cells per key 30% peel, and with
// 2.01 12%.
[[nodiscard]] constexpr double scattered_cells_per_key(unsigned k) noexcept {
  return k == 2 ? 2.1 : k == 3 ? 1.23 : 1.0067 / peel_threshold(k);
}
// Cells for n keys, with room for the bad luck of small sets.
[[nodiscard]] inline std::uint64_t plan_scattered(std::uint64_t n, double cells_per_key) {
  return static_cast<std::uint64_t>(32 + cells_per_key * static_cast<double>(n));
}

}  // namespace umbel::sizing
