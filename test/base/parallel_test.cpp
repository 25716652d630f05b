// parallel_test.cpp - parallel_for: every piece of work is done once, on no more threads than
// asked, and exceptions are passed on.
#include <umbel/base/parallel.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace umbel::detail::parallel_test {
namespace {

TEST(ParallelFor, DoesEveryPieceOnce) {
  for (const unsigned threads : {0U, 1U, 2U, 3U, 8U}) {
    for (const std::size_t pieces : {0U, 1U, 2U, 7U, 1000U}) {
      std::vector<std::atomic<int>> done(pieces);
      parallel_for(pieces, threads, [&](std::size_t i) { ++done[i]; });
      for (const auto& times : done)
        EXPECT_EQ(times, 1) << threads << " threads, " << pieces << " pieces";
    }
  }
}

// The library starts no thread unless asked.
TEST(ParallelFor, OneThreadIsTheCallingOneAndGoesInOrder) {
  const auto me = std::this_thread::get_id();
  std::vector<std::size_t> order;
  parallel_for(100, 1, [&](std::size_t i) {
    EXPECT_EQ(std::this_thread::get_id(), me);
    order.push_back(i);
  });
  EXPECT_TRUE(std::ranges::is_sorted(order));
  EXPECT_EQ(order.size(), 100U);
  parallel_for(1, 8, [&](std::size_t) {
    EXPECT_EQ(std::this_thread::get_id(), me) << "one piece needs no crew";
  });
}

TEST(ParallelFor, UsesNoMoreThreadsThanAskedOrThanPieces) {
  for (const auto& [pieces, threads, most] : {std::tuple{200, 3U, 3U}, {2, 8U, 2U}}) {
    std::set<std::thread::id> seen;
    std::mutex lock;
    parallel_for(static_cast<std::size_t>(pieces), threads, [&](std::size_t) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      const std::lock_guard hold(lock);
      seen.insert(std::this_thread::get_id());
    });
    EXPECT_LE(seen.size(), most);
    EXPECT_GE(seen.size(), 1U);
  }
}

TEST(ParallelFor, ResultsDependOnThePieceNotOnTheThread) {
  const auto squares = [](unsigned threads) {
    std::vector<std::size_t> out(5000);
    parallel_for(out.size(), threads, [&](std::size_t i) { out[i] = i * i; });
    return out;
  };
  const auto expected = squares(1);
  for (const unsigned threads : {2U, 4U, 16U}) EXPECT_EQ(squares(threads), expected);
}

TEST(ParallelFor, AFailureComesBackAndStopsTheRest) {
  for (const unsigned threads : {1U, 2U, 4U}) {
    std::atomic<std::size_t> started = 0;
    std::atomic<int> inside = 0;
    try {
      parallel_for(1'000'000, threads, [&](std::size_t i) {
        ++inside;
        ++started;
        if (i == 5) {
          --inside;
          throw std::runtime_error("piece 5");
        }
        --inside;
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::runtime_error& e) {
      EXPECT_STREQ(e.what(), "piece 5");
    }
    EXPECT_EQ(inside, 0) << "a thread outlived the call";
    EXPECT_LT(started, 1'000'000U);
  }
}

TEST(ParallelFor, OfManyFailuresOneComesBack) {
  EXPECT_THROW(
      parallel_for(100, 4, [](std::size_t i) { throw std::out_of_range(std::to_string(i)); }),
      std::out_of_range);
}

}  // namespace
}  // namespace umbel::detail::parallel_test
