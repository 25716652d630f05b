// scouts.hpp - a ring (ring.hpp) for keys of which some read on from line to line, nobody knows how
// far.
// Idea       Such a key sends a scout ahead. It reads what the key will read when its turn comes,
//            changes nothing, and asks for the lines of its next step before others take theirs:
//            many are on their way at the same time. Keys are finished one after the other, as if
//            there were no scouts, with what they need in the cache. Where an earlier key changes
//            what a scout saw, its own key reads something else and waits for it: scouts can be
//            wrong, results cannot.
// Limits     What scouts read is read twice: not worth it in the cache, nor where few keys read on.
//            So they stay at home while few of the last keys did.
#pragma once

#include <algorithm>
#include <cstddef>

namespace umbel::detail {

// Of cells whose keys send scouts: 8 MiB. With 6 MiB cuckoo filters took as long without them, with
// less they were faster.
inline constexpr std::size_t scouted_words = std::size_t{1} << 20;

// For every i below total, each a while after the one before: prepare(i, key); sends(key, scout),
// if many keys read on, true if this one does, too; step(scout) as long as it is true and the key's
// turn has not come; finish(i, key), true if the key read on.
template <class Key, class Scout, class Prepare, class Sends, class Step, class Finish>
[[gnu::always_inline]] inline void ring_with_scouts(std::size_t total, Prepare&& prepare,
                                                    Sends&& sends, Step&& step,
                                                    Finish&& finish) noexcept {
  // keys under way; 128 were slower by a twentieth in nearly full tables
  constexpr std::size_t most = 64;
  constexpr std::size_t max_lead = 32;  // keys between prepare and sends
  // keys and steps of others between two steps of one; 24 and 40 were slower
  constexpr std::size_t rest = 10;
  constexpr std::size_t max_steps = 16;  // of all scouts, for every key
  constexpr std::size_t many = 512;      // an eighth of the keys, in units of `reading`
  struct sent {
    std::size_t number, since;
    Scout scout;
  };
  Key keys[most];
  sent scouts[most];  // a queue, from `front` to `back`
  std::size_t front = 0, back = 0, clock = 0;
  // 4096 times how many of the last keys read on, a key counting less the longer ago
  std::size_t reading = 2 * many;
  const std::size_t depth = std::min(most, total), lead = std::min(max_lead, depth / 2);
  for (std::size_t i = 0; i < total + depth; ++i, ++clock) {
    if (i >= depth) {
      reading -= reading / 64;
      if (finish(i - depth, keys[(i - depth) % most])) reading += 64;
    }
    if (i < total) prepare(i, keys[i % most]);
    if (reading >= many && i >= lead && i - lead < total && back - front < most) {
      sent& next = scouts[back % most];
      if (sends(keys[(i - lead) % most], next.scout)) {
        next.number = i - lead;
        next.since = clock;
        ++back;
      }
    }
    for (std::size_t steps = 0; steps < max_steps && front != back; ++steps) {
      const sent& next = scouts[front % most];
      if (clock - next.since < rest) break;
      sent on = next;
      ++front;
      if (on.number + depth <= i || !step(on.scout)) continue;
      on.since = ++clock;
      scouts[back++ % most] = on;
    }
  }
}

}  // namespace umbel::detail
