// choosing_filter_test.cpp - concurrent two-choice filters: writers choose by bits that others are
// setting; no finished insert is missed.
// Idea       As growing_filters_test.cpp, but the bits at the end depend on the order of the
//            writers.
// Run        Under the thread sanitizer by `make test`.
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/set/two_choice_bloom_filter.hpp>

#include "support/statistics_gate.hpp"

namespace umbel::choosing_filter_test {
namespace {

TEST(ChoosingFilter, AFinishedInsertIsSeen) {
  constexpr std::uint64_t writers = 3, keys_each = 10'000, bits = writers * keys_each * 10;
  concurrent_two_choice_bloom_filter filter({.keys = writers * keys_each, .bits = bits});
  std::vector<std::atomic<std::uint64_t>> finished(writers);
  std::atomic<std::uint64_t> missed = 0;
  {
    std::vector<std::jthread> crew;
    for (std::uint64_t w = 0; w < writers; ++w)
      crew.emplace_back([&, w] {
        for (std::uint64_t i = 0; i < keys_each; ++i) {
          (void)filter.insert(statistics::member(i, w));
          finished[w].store(i + 1, std::memory_order_release);
        }
      });
    crew.emplace_back([&] {
      for (std::uint64_t seen = 0; seen < writers * keys_each;) {
        seen = 0;
        for (std::uint64_t w = 0; w < writers; ++w) {
          const std::uint64_t count = finished[w].load(std::memory_order_acquire);
          seen += count;
          if (count != 0) missed += !filter.may_contain(statistics::member(count - 1, w));
        }
      }
    });
  }
  EXPECT_EQ(missed, 0U);
  for (std::uint64_t w = 0; w < writers; ++w)
    for (std::uint64_t i = 0; i < keys_each; ++i)
      ASSERT_TRUE(filter.may_contain(statistics::member(i, w)));
  // Racing writers choose by slightly outdated bits: the filter is at most as full as with one
  // group, and in practice far less.
  EXPECT_LT(filter.fill(), 1.01 * sizing::two_choice_fill(10, filter.probes(), 2));
}

}  // namespace
}  // namespace umbel::choosing_filter_test
