// sizing/scattered.hpp - random hypergraphs for peeling [GL20]: a key's cells anywhere, or one in
// each of equal blocks.
//
// Such a graph peels while the keys per cell stay below peel_threshold(). Three cells per key allow
// the most keys per cell.
//
// Source     [GL20] for 32 + 1.23 n at three cells per key. bench/derive/fuse measures how often it
//            peels.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <umbel/sizing/peel.hpp>

namespace umbel::sizing {

// Equal blocks, one for each cell of a key.
struct block_row_shape {
  std::uint64_t block = 1;  // cells of a block
  void grow() noexcept { block += block / 100 + 1; }
  friend bool operator==(const block_row_shape&, const block_row_shape&) = default;

  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("block", self.block);
  }
};

// The same with the number of cells per key chosen at run time. With blocks = 1, `block` is the
// number of all cells.
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

// Cells per key for k cells each: 0.67% above the threshold, which is the customary 1.23 at k = 3.
// At k = 2 there is no sharp threshold: 30% of the graphs peel with 2.1 cells per key, 12% with
// 2.01.
[[nodiscard]] constexpr double scattered_cells_per_key(unsigned k) noexcept {
  return k == 2 ? 2.1 : k == 3 ? 1.23 : 1.0067 / peel_threshold(k);
}
// Cells for n keys; the constant covers the variance of small sets.
[[nodiscard]] inline std::uint64_t plan_scattered(std::uint64_t n, double cells_per_key) {
  return static_cast<std::uint64_t>(32 + cells_per_key * static_cast<double>(n));
}

}  // namespace umbel::sizing
