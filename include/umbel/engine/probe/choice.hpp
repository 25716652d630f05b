// choice.hpp - two-choice Bloom filter [LM07]: of a key's walks, an insert takes the one with the
// fewest clear cells.
//
// Idea       Setting a cell that is already set adds nothing to the fill. So the walk with the
//            fewest clear cells keeps the filter emptiest.
// Source     [LM07].
#pragma once

#include <cstdint>

#include <umbel/engine/probe/index.hpp>
#include <umbel/sizing/bloom.hpp>

namespace umbel::core {

// The number of distinct clear cells of a walk. No branch depends on a cell: half of the branches
// would be mispredicted.
template <core::index Index, class Cells>
[[nodiscard]] unsigned clear_cells(const Index& at, const Cells& cells,
                                   const core::walk_of<Index>& walk) noexcept {
  std::uint64_t clear[sizing::bloom_max_probes];
  unsigned count = 0, repeats = 0;
  core::each_of(at, walk, [&](std::uint64_t i) {
    clear[count] = i;
    count += !cells.test(i);
  });
  for (unsigned a = 1; a < count; ++a) {
    bool again = false;
    for (unsigned b = 0; b < a; ++b) again |= clear[a] == clear[b];
    repeats += again;
  }
  return count - repeats;
}

// Of all walks of a key, the one with the fewest clear cells. On a tie, the given walk, then the
// first after it.
template <core::index Index, class Cells>
[[nodiscard]] core::walk_of<Index> chosen(const Index& at, const Cells& cells,
                                          const core::walk_of<Index>& walk) noexcept {
  if constexpr (core::choosing<Index>) {
    auto best = walk;
    unsigned fewest = clear_cells(at, cells, walk);
    for (unsigned i = 1; i < at.groups() && fewest != 0; ++i) {
      const auto other = at.start(walk.key, (walk.number + i) % at.groups());
      if (const unsigned count = clear_cells(at, cells, other); count < fewest)
        fewest = count, best = other;
    }
    return best;
  } else {
    return walk;
  }
}

}  // namespace umbel::core
