// mutable_map_test.cpp - writers that assign values, each to its own keys, beside readers: every
// value read was assigned.
// Idea       Neighbouring keys belong to different writers. In round r a writer gives its keys
//            values that contain the key and r, then publishes r (release). A reader that has seen
//            r (acquire) finds r or a later round of the key it asked for; a torn, lost or
//            misplaced write would give another value.
// Run        Under the thread sanitizer by `make test`.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/map/mutable_bloomier_filter.hpp>

#include "support/statistics_gate.hpp"

namespace umbel {
namespace concurrent_maps {
namespace {

using statistics::member;

constexpr std::uint64_t writers = 3, readers = 2, keys_each = 300, keys = writers * keys_each,
                        rounds = 100;

class ConcurrentMap : public ::testing::TestWithParam<unsigned> {  // bits of a value
 protected:
  // The round in the low byte, the key above it as far as it fits.
  [[nodiscard]] static std::uint64_t value(std::uint64_t key, std::uint64_t round) {
    return ((statistics::scatter(key) << 8) | round) & detail::low_mask(GetParam());
  }
  // Whether this is the value of the key in some round from `seen` on.
  [[nodiscard]] static bool possible(std::optional<std::uint64_t> found, std::uint64_t key,
                                     std::uint64_t seen) {
    const std::uint64_t round = found.value_or(255) & 255;
    return seen <= round && round <= rounds && found == value(key, round);
  }
  [[nodiscard]] static concurrent_mutable_bloomier_filter build() {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs;
    for (std::uint64_t i = 0; i < keys; ++i) pairs.emplace_back(member(i, 1), value(i, 0));
    return concurrent_mutable_bloomier_filter::build(pairs, {.value_bits = GetParam()});
  }

  concurrent_mutable_bloomier_filter map_ = build();
  std::array<std::atomic<std::uint64_t>, writers> done_{};  // rounds of each

  void write(std::uint64_t writer, bool in_batches) {
    std::vector<std::uint64_t> mine, values(keys_each);
    for (std::uint64_t i = writer; i < keys; i += writers) mine.push_back(member(i, 1));
    for (std::uint64_t round = 1; round <= rounds; ++round) {
      for (std::uint64_t j = 0; j < keys_each; ++j) values[j] = value(writer + j * writers, round);
      if (in_batches) {
        EXPECT_EQ(map_.assign_batch(mine, values), keys_each);
      } else {
        for (std::uint64_t j = 0; j < keys_each; ++j) EXPECT_TRUE(map_.assign(mine[j], values[j]));
      }
      done_[writer].store(round, std::memory_order_release);
    }
  }
};

TEST_P(ConcurrentMap, ReadersSeeWhatWasAssigned) {
  std::atomic<std::uint64_t> wrong = 0, asked = 0;
  {
    std::vector<std::jthread> crew;
    for (std::uint64_t w = 0; w < writers; ++w) crew.emplace_back([&, w] { write(w, w == 0); });
    for (std::uint64_t r = 0; r < readers; ++r) {
      crew.emplace_back([&, r] {
        for (std::uint64_t step = r, least = 0; least < rounds; ++step) {
          least = rounds;
          const std::uint64_t i = statistics::scatter(step) % (keys - writers);
          const std::uint64_t near[writers] = {member(i, 1), member(i + 1, 1), member(i + 2, 1)};
          std::uint64_t seen[writers];
          for (std::uint64_t j = 0; j < writers; ++j) {
            seen[j] = done_[(i + j) % writers].load(std::memory_order_acquire);
            least = std::min(least, seen[j]);
          }
          std::optional<std::uint64_t> found[writers];
          if (step % 2 == 0) {
            map_.find_batch(near, found);
          } else {
            for (std::uint64_t j = 0; j < writers; ++j) found[j] = map_.find(near[j]);
          }
          for (std::uint64_t j = 0; j < writers; ++j) wrong += !possible(found[j], i + j, seen[j]);
          asked += writers;
        }
      });
    }
  }
  EXPECT_EQ(wrong, 0U);
  EXPECT_GT(asked, 0U);
  for (std::uint64_t i = 0; i < keys; ++i)
    EXPECT_EQ(map_.find(member(i, 1)), value(i, rounds)) << i;
}

INSTANTIATE_TEST_SUITE_P(Bits, ConcurrentMap, ::testing::Values(8U, 16U, 32U, 64U),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace concurrent_maps
}  // namespace umbel
