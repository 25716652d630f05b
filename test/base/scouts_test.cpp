// scouts_test.cpp - prefetch ring with look-ahead: for some keys a read-only look-ahead follows
// their chain between prepare and finish.
#include <umbel/base/scouts.hpp>

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

namespace umbel::detail::scouts_test {
namespace {

struct scout {
  std::size_t number, left;
};

// Every `nth` key has a chain of `way` steps.
struct trace {
  std::vector<std::size_t> prepared, finished, steps;
  std::size_t asked = 0, sent = 0, late = 0;
  trace(std::size_t total, std::size_t nth, std::size_t way) : steps(total) {
    ring_with_scouts<std::size_t, scout>(
        total,
        [&](std::size_t i, std::size_t& key) {
      prepared.push_back(i);
      key = i * i;
        },
        [&](std::size_t key, scout& of) {
      const std::size_t i = finished.size() + asked_ahead(key);
      ++asked;
      if (i % nth != 0) return false;
      ++sent;
      of = {i, way};
      return true;
    },
        [&](scout& of) {
      late += of.number < finished.size();
      ++steps[of.number];
      return --of.left != 0;
        }, [&](std::size_t i, std::size_t key) {
          EXPECT_EQ(key, i * i) << "another key";
          finished.push_back(i);
          return i % nth == 0;
        });
  }
  // How many keys before this one are prepared and not finished.
  [[nodiscard]] std::size_t asked_ahead(std::size_t key) const {
    std::size_t i = finished.size();
    while (i * i != key) ++i;
    return i - finished.size();
  }
};

TEST(Scouts, KeysArePreparedAndFinishedInOrder) {
  for (const std::size_t total :
       {0U, 1U, 2U, 3U, 31U, 32U, 33U, 63U, 64U, 65U, 127U, 128U, 129U, 1000U})
    for (const std::size_t way : {1U, 3U, 1000U}) {
      const trace seen(total, 1, way);
      ASSERT_EQ(seen.prepared.size(), total);
      ASSERT_EQ(seen.finished.size(), total);
      for (std::size_t i = 0; i < total; ++i) {
        EXPECT_EQ(seen.prepared[i], i);
        EXPECT_EQ(seen.finished[i], i);
      }
      EXPECT_EQ(seen.asked, total);
      EXPECT_EQ(seen.late, 0U) << "a scout of a key that has had its turn";
    }
}

// The look-ahead has followed a chain of a few steps when the key's turn comes.
TEST(Scouts, FinishShortChainsInTime) {
  for (const std::size_t way : {1U, 2U, 4U, 10U}) {
    const trace seen(1000, 1, way);
    for (std::size_t i = 100; i < 900; ++i) ASSERT_EQ(seen.steps[i], way) << i;
  }
  for (const std::size_t steps : trace(1000, 1, 1'000'000).steps)
    EXPECT_LE(steps, 64 * 16U) << "ways without an end";
}

TEST(Scouts, AreNotUsedWhereFewKeysHaveChains) {
  EXPECT_LT(trace(100'000, 50, 2).asked, 200U);
  EXPECT_EQ(trace(100'000, 4, 2).sent, 25'000U);
}

}  // namespace
}  // namespace umbel::detail::scouts_test
