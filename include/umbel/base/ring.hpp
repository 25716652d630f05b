// ring.hpp - software pipelining: while key i uses the cache lines it asked for, key i + depth asks for its own.
// Idea       One loop that both finishes and prepares keeps loads, hashes and tests in flight together. Phases (prepare a
//            group, then finish it) leave the memory idle in the second: measured a fifth slower inside the cache.
// Limits     Always inlined, so that a caller compiled for a vector unit gets the whole loop compiled for it.
#pragma once

#include <cstddef>

namespace umbel::detail {

inline constexpr std::size_t ring_depth = 32;  // 16 is too few for main memory, 64 slower in the cache

// prepare(i, slot) for every i below total, each followed `ring_depth` keys later by finish(i, slot).
template <class Slot, class Prepare, class Finish>
[[gnu::always_inline]] inline void ring(std::size_t total, Prepare&& prepare, Finish&& finish) noexcept {
  Slot slots[ring_depth];
  const std::size_t lead = total < ring_depth ? total : ring_depth;
  for (std::size_t i = 0; i < lead; ++i) prepare(i, slots[i]);
  std::size_t done = 0;
  for (; done + 2 * ring_depth <= total; done += ring_depth) {  // whole turns: no slot's number is computed
#pragma GCC unroll 2
    for (std::size_t i = 0; i < ring_depth; ++i) {
      finish(done + i, slots[i]);
      prepare(done + i + ring_depth, slots[i]);
    }
  }
  for (; done < total; ++done) {
    Slot& slot = slots[done % ring_depth];
    finish(done, slot);
    if (done + ring_depth < total) prepare(done + ring_depth, slot);
  }
}

}  // namespace umbel::detail
