// concurrent.cpp - four writers and a reader share one filter without a lock.
#include <umbel/codec/codec.hpp>
#include <umbel/set/bloom_filter.hpp>

#include <atomic>
#include <cassert>
#include <cstdint>
#include <iostream>
#include <thread>
#include <vector>

int main() {
  constexpr std::uint64_t writers = 4, each = 50'000;
  const umbel::bloom_options options{.keys = writers * each, .fpr = 0.01};
  umbel::concurrent_bloom_filter shared(options);
  std::atomic<std::uint64_t> finished[writers] = {};  // keys each writer has inserted
  std::uint64_t checked = 0;
  {
    std::vector<std::jthread> crew;
    for (std::uint64_t w = 0; w < writers; ++w)
      crew.emplace_back([&, w] {
        for (std::uint64_t i = 0; i < each; ++i) {
          shared.insert(w * each + i);
          finished[w].store(i + 1, std::memory_order_release);
        }
      });
    // A query that happens after an insert sees it.
    for (std::uint64_t done = 0; done < writers * each;) {
      done = 0;
      for (std::uint64_t w = 0; w < writers; ++w) {
        const std::uint64_t count = finished[w].load(std::memory_order_acquire);
        if (count != 0) assert(shared.may_contain(w * each + count - 1));
        checked += count != 0;
        done += count;
      }
    }
  }
  // Setting bits commutes: one thread would have made the same filter.
  umbel::bloom_filter alone(options);
  for (std::uint64_t i = 0; i < writers * each; ++i) alone.insert(i);
  assert(umbel::encode(shared) == umbel::encode(alone));
  std::cout << checked << " questions during the inserts, all answered yes; "
            << shared.cardinality().value << " keys estimated, " << writers * each << " inserted\n";
}
