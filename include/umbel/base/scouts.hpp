// scouts.hpp - prefetching for batches in which some keys follow a chain of unknown length (cuckoo
// evictions).
//
// Such a key gets a look-ahead (`scout` in the code). The look-ahead walks the key's chain
// read-only, before the key's turn, and prefetches the cache line of each next step; many
// look-aheads are in flight at the same time. Keys are still finished in order (ring.hpp). If an
// earlier key changes what a look-ahead read, the later key reads different cache lines and waits
// for them: a look-ahead can be wasted, but results are never wrong.
//
// Limits     What a look-ahead reads is read twice. That does not pay inside the cache, nor if few
//            keys follow a chain. So none are started while few of the recent keys did.
#pragma once

#include <algorithm>
#include <cstddef>

namespace umbel::detail {

// Least size of a table that uses look-aheads: 8 MiB of cells. Cuckoo filters of 6 MiB took equally
// long without them; smaller ones were faster without.
inline constexpr std::size_t scouted_words = std::size_t{1} << 20;

// For every i < total, in pipelined order: prepare(i, key). Then, if many recent keys followed a
// chain, sends(key, scout), which returns true if this key will follow one too. Then step(scout),
// while it returns true and the key's turn has not come. Then finish(i, key), which returns true if
// the key followed a chain.
template <class Key, class Scout, class Prepare, class Sends, class Step, class Finish>
[[gnu::always_inline]] inline void ring_with_scouts(std::size_t total, Prepare&& prepare,
                                                    Sends&& sends, Step&& step,
                                                    Finish&& finish) noexcept {
  // keys in flight; 128 were slower by a twentieth in nearly full tables
  constexpr std::size_t most = 64;
  constexpr std::size_t max_lead = 32;  // keys between prepare() and sends()
  // keys and other steps between two steps of one look-ahead; 24 and 40 were slower
  constexpr std::size_t rest = 10;
  constexpr std::size_t max_steps = 16;  // of all look-aheads, per key
  constexpr std::size_t many = 512;      // an eighth of the keys, in units of `reading`
  struct sent {
    std::size_t number, since;
    Scout scout;
  };
  Key keys[most];
  sent scouts[most];  // a queue, from `front` to `back`
  std::size_t front = 0, back = 0, clock = 0;
  // 4096 times the share of recent keys that followed a chain, an exponentially decaying average
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
