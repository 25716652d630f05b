// choice.hpp - which of a key's walks an insert takes: the one that changes least.
// Idea       Cells that are set already cost nothing, so the walk with the fewest clear ones keeps
//            the filter emptiest.
// Source     [LM07].
#pragma once

#include <cstdint>

#include <umbel/engine/probe/index.hpp>
#include <umbel/sizing/bloom.hpp>

namespace umbel::core {

// Distinct clear cells of a walk. No branch depends on a cell: half of the guesses would be wrong.
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

// Of all walks of a key the one with the fewest clear cells; among equals the one given, then the
// next after it.
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
