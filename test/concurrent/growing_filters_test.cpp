// growing_filters_test.cpp - many writers and many readers at once: no finished insert is missed
// and none is lost.
// Idea       A writer publishes its progress through an atomic counter (release). A reader that
//            sees the counter (acquire) must find every key below it. The bits at the end are those
//            of one thread.
// Run        Under the thread sanitizer by `make test`.
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/set/bloom_filter.hpp>
#include <umbel/set/split_block_bloom_filter.hpp>

#include "support/filter_bits.hpp"
#include "support/statistics_gate.hpp"

namespace umbel::growing_filters_test {
namespace {

using statistics::member;

constexpr std::uint64_t writers = 3, readers = 2, keys_each = 20'000;
constexpr std::uint64_t bits = writers * keys_each * 10;

struct bloom_pair {
  using shared = concurrent_bloom_filter;
  using alone = bloom_filter;
};
struct split_block_pair {
  using shared = concurrent_split_block_bloom_filter;
  using alone = split_block_bloom_filter;
};

template <class Pair>
class ConcurrentFilter : public ::testing::Test {
 protected:
  using shared_filter = typename Pair::shared;
  using lone_filter = typename Pair::alone;

  static void expect_as_if_alone(const shared_filter& filter) {
    lone_filter expected({.keys = writers * keys_each, .bits = bits});
    for (std::uint64_t w = 0; w < writers; ++w)
      (void)expected.insert_batch(statistics::members(keys_each, w));
    EXPECT_EQ(support::words_of(filter), support::words_of(expected));
  }
};
using pairs = ::testing::Types<bloom_pair, split_block_pair>;
TYPED_TEST_SUITE(ConcurrentFilter, pairs);

TYPED_TEST(ConcurrentFilter, AFinishedInsertIsSeen) {
  typename TestFixture::shared_filter filter({.keys = writers * keys_each, .bits = bits});
  std::vector<std::atomic<std::uint64_t>> finished(writers);
  std::atomic<std::uint64_t> missed = 0, asked = 0;
  {
    std::vector<std::jthread> crew;
    for (std::uint64_t w = 0; w < writers; ++w) {
      crew.emplace_back([&, w] {
        for (std::uint64_t i = 0; i < keys_each; ++i) {
          (void)filter.insert(member(i, w));
          finished[w].store(i + 1, std::memory_order_release);
        }
      });
    }
    for (std::uint64_t r = 0; r < readers; ++r) {
      crew.emplace_back([&, r] {
        for (std::uint64_t step = r, left = writers; left > 0; ++step) {
          left = 0;
          for (std::uint64_t w = 0; w < writers; ++w) {
            const std::uint64_t known = finished[w].load(std::memory_order_acquire);
            left += known < keys_each;
            if (known == 0) continue;
            const std::uint64_t old = statistics::scatter(step) % known;
            missed += !filter.may_contain(member(known - 1, w));
            missed += !filter.may_contain(member(old, w));
            asked += 2;
          }
        }
      });
    }
  }
  EXPECT_EQ(missed, 0U);
  EXPECT_GT(asked, 0U);
  this->expect_as_if_alone(filter);
}

TYPED_TEST(ConcurrentFilter, BatchesOfManyThreadsLoseNothing) {
  typename TestFixture::shared_filter filter({.keys = writers * keys_each, .bits = bits});
  {
    std::vector<std::jthread> crew;
    for (std::uint64_t w = 0; w < writers; ++w)
      crew.emplace_back([&, w] { (void)filter.insert_batch(statistics::members(keys_each, w)); });
    // Answers may be any that are true at some moment; asking must be safe.
    crew.emplace_back([&] {
      const auto keys = statistics::members(1000);
      bool answers[1000];
      for (int i = 0; i < 20; ++i) filter.may_contain_batch(keys, answers);
    });
  }
  this->expect_as_if_alone(filter);
}

// All threads insert the same keys: at the end each is in once, and every key that needed a bit was
// reported as new by some thread.
TYPED_TEST(ConcurrentFilter, TheSameKeysFromAllSides) {
  typename TestFixture::shared_filter filter({.keys = keys_each, .bits = keys_each * 10});
  std::vector<std::atomic<unsigned>> changed(keys_each);
  {
    std::vector<std::jthread> crew;
    for (std::uint64_t w = 0; w < writers; ++w) {
      crew.emplace_back([&] {
        for (std::uint64_t i = 0; i < keys_each; ++i) changed[i] += filter.insert(member(i));
      });
    }
  }
  typename TestFixture::lone_filter expected({.keys = keys_each, .bits = keys_each * 10});
  (void)expected.insert_batch(statistics::members(keys_each));
  EXPECT_EQ(support::words_of(filter), support::words_of(expected));
  std::uint64_t reported = 0;
  for (const auto& times : changed) reported += times > 0;
  // Alone, a thread reports a key as new unless it was a false positive; many threads can only
  // report more keys, or the same.
  EXPECT_GT(reported, keys_each * 9 / 10);
}

TYPED_TEST(ConcurrentFilter, EstimatesMayBeTakenMeanwhile) {
  typename TestFixture::shared_filter filter({.keys = writers * keys_each, .bits = bits});
  {
    std::vector<std::jthread> crew;
    for (std::uint64_t w = 0; w < 2; ++w)
      crew.emplace_back([&, w] {
        for (std::uint64_t i = 0; i < keys_each; ++i) (void)filter.insert(member(i, w));
      });
    crew.emplace_back([&] {
      double before = 0;
      for (int i = 0; i < 20; ++i) {
        const estimate now = filter.cardinality();
        EXPECT_GE(now.value, before) << "bits are only ever set";
        before = now.value;
        EXPECT_GE(filter.expected_fpr(), 0);
      }
    });
  }
  const estimate end = filter.cardinality();
  EXPECT_TRUE(statistics::within(end.value, 2 * keys_each, end.standard_error));
}

}  // namespace
}  // namespace umbel::growing_filters_test
