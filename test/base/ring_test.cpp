// ring_test.cpp - prefetch ring (software pipelining): every key is prepared once and finished
// once, in order, with its own slot.
#include <umbel/base/ring.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

namespace umbel::detail::ring_test {
namespace {

TEST(Ring, PreparesAndFinishesEveryKeyInOrderWithItsOwnSlot) {
  for (const std::size_t total :
       {std::size_t{0}, std::size_t{1}, std::size_t{2}, ring_depth - 1, ring_depth, ring_depth + 1,
        2 * ring_depth, 2 * ring_depth + 1, std::size_t{1000}}) {
    std::vector<std::size_t> prepared, finished;
    ring<std::size_t>(
        total,
        [&](std::size_t i, std::size_t& slot) {
      prepared.push_back(i);
      slot = i * i;
      EXPECT_LE(prepared.size() - finished.size(), ring_depth) << "no more in flight than slots";
        },
        [&](std::size_t i, std::size_t& slot) {
      finished.push_back(i);
      EXPECT_EQ(slot, i * i) << "another key's slot";
      EXPECT_GT(prepared.size(), i) << "finished before it was prepared";
    });
    ASSERT_EQ(prepared.size(), total);
    ASSERT_EQ(finished.size(), total);
    for (std::size_t i = 0; i < total; ++i) {
      EXPECT_EQ(prepared[i], i);
      EXPECT_EQ(finished[i], i);
    }
  }
}

// A key prefetches its cache lines `ring_depth` keys before it uses them.
TEST(Ring, PreparesAhead) {
  std::size_t prepared = 0;
  ring<int>(
      1000, [&](std::size_t, int&) { ++prepared; },
      [&](std::size_t i, int&) {
    EXPECT_EQ(prepared, std::min<std::size_t>(1000, i + ring_depth)) << i;
      });
}

}  // namespace
}  // namespace umbel::detail::ring_test
