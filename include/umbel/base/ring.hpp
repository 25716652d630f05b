// ring.hpp - software pipelining: while key i uses the cache lines it asked for, key i + depth asks
// for its own.
// Idea       One loop that both finishes and prepares keeps loads, hashes and tests in flight
//            together. Phases (prepare a group, then finish it) leave the memory idle in the
//            second: measured a fifth slower inside the cache.
// Limits     Always inlined, so that a caller compiled for a vector unit gets the whole loop
//            compiled for it.
#pragma once

#include <cstddef>

namespace umbel::detail {

// keys that need several lines, or more work than one
inline constexpr std::size_t ring_depth = 32;
// keys of one line each: 32 take a third longer out of the cache
inline constexpr std::size_t line_ring_depth = 64;

// prepare(i, slot) for every i below total, each followed `Depth` keys later by finish(i, slot).
template <class Slot, std::size_t Depth = ring_depth, class Prepare, class Finish>
[[gnu::always_inline]] inline void ring(std::size_t total, Prepare&& prepare,
                                        Finish&& finish) noexcept {
  Slot slots[Depth];
  const std::size_t lead = total < Depth ? total : Depth;
  for (std::size_t i = 0; i < lead; ++i) prepare(i, slots[i]);
  std::size_t done = 0;
  for (; done + 2 * Depth <= total; done += Depth) {  // whole turns: no slot's number is computed
    if constexpr (sizeof(Slot) <= 128) {
#pragma GCC unroll 2
      for (std::size_t i = 0; i < Depth; ++i) {
        finish(done + i, slots[i]);
        prepare(done + i + Depth, slots[i]);
      }
    } else {  // eight keys: twice their instructions are more than a processor keeps decoded, and took a sixth longer
#pragma GCC unroll 1
      for (std::size_t i = 0; i < Depth; ++i) {
        finish(done + i, slots[i]);
        prepare(done + i + Depth, slots[i]);
      }
    }
  }
  for (; done < total; ++done) {
    Slot& slot = slots[done % Depth];
    finish(done, slot);
    if (done + Depth < total) prepare(done + Depth, slot);
  }
}

}  // namespace umbel::detail
