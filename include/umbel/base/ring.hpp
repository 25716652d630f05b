// ring.hpp - software pipelining of batches: prepares key i + depth while key i is finished.
//
// `prepare` hashes a key and prefetches its cache lines; `finish` uses them. A single loop that
// does both keeps loads, hashes and tests in flight together. Separate phases (prepare a group,
// then finish it) leave the memory idle during the second: a fifth slower inside the cache,
// measured.
//
// Limits     Always inlined, so that a caller compiled for a vector unit gets the whole loop
//            compiled for it.
#pragma once

#include <cstddef>

namespace umbel::detail {

// for keys that need several cache lines or more work
inline constexpr std::size_t ring_depth = 32;
// for keys of one cache line each: 32 take a third longer out of the cache
inline constexpr std::size_t line_ring_depth = 64;

// Calls prepare(i, slot) for every i < total; finish(i, slot) follows `Depth` keys later.
template <class Slot, std::size_t Depth = ring_depth, class Prepare, class Finish>
[[gnu::always_inline]] inline void ring(std::size_t total, Prepare&& prepare,
                                        Finish&& finish) noexcept {
  Slot slots[Depth];
  const std::size_t lead = total < Depth ? total : Depth;
  for (std::size_t i = 0; i < lead; ++i) prepare(i, slots[i]);
  std::size_t done = 0;
  for (; done + 2 * Depth <= total; done += Depth) {  // full rounds: no slot index is computed
    if constexpr (sizeof(Slot) <= 128) {
#pragma GCC unroll 2
      for (std::size_t i = 0; i < Depth; ++i) {
        finish(done + i, slots[i]);
        prepare(done + i + Depth, slots[i]);
      }
    } else {  // unrolling large slots exceeds the decoded-op cache: a sixth slower
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
