// batch.hpp - how every batch verb hides memory latency.
// Idea       Work goes in groups. While one group waits for its cache lines, the next computes its addresses and asks
//            for them: prepare(g+1), then finish(g), on two alternating slots.
// Limits     A group must be small enough for its lines to stay in the first-level cache, and large enough to cover a
//            trip to memory; 64 keys do both on every machine tried.
#pragma once

#include <algorithm>
#include <cstddef>

namespace umbel::core {

inline constexpr std::size_t group_size = 64;

// prepare(first, count, slot) and finish(first, count, slot) for consecutive groups of at most Group out of `total`.
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
