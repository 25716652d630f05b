// batch.hpp - batches whose keys need two dependent memory accesses: the second address is known
// only after the first read.
//
// Idea       Keys are processed in groups. prepare(g + 1) prefetches the first cache lines of the
//            next group. Then finish(g) reads those of this group, prefetches the second cache
//            lines of all its keys, and uses them. For one access per key: base/ring.hpp.
#pragma once

#include <algorithm>
#include <cstddef>

namespace umbel::core {

inline constexpr std::size_t group_size = 64;

// Calls prepare(first, count, slot) and finish(first, count, slot) for consecutive groups of at
// most Group out of `total`.
template <class Slot, std::size_t Group = group_size, class Prepare, class Finish>
void in_groups(std::size_t total, Prepare&& prepare, Finish&& finish) noexcept {
  Slot slots[2];
  std::size_t done = 0;
  std::size_t ready = std::min(total, Group);
  if (ready != 0) prepare(std::size_t{0}, ready, slots[0]);
  for (unsigned turn = 0; done < total; turn ^= 1) {
    const std::size_t next = std::min(total - ready, Group);
    if (next != 0) prepare(ready, next, slots[turn ^ 1]);
    finish(done, ready - done, slots[turn]);
    done = ready;
    ready += next;
  }
}

}  // namespace umbel::core
