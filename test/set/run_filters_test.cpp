// run_filters_test.cpp - filters over a quotient table: batches give the bytes of single calls, for
// any mix of inserts and erases.
// Idea       Small tables, filled past the last slot with room: clusters wrap around the end of the
//            ring and span many blocks. Keys come from a small range, so that copies are common and
//            erases meet keys that are not in.
#include <umbel/set/expandable_filter.hpp>
#include <umbel/set/quotient_filter.hpp>

#include <algorithm>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "support/statistics_gate.hpp"

namespace umbel::run_filters_test {
namespace {

using keys_of_batch = std::vector<std::uint64_t>;

// As a batch promises: the keys before the first one without room are in.
std::size_t insert_each(quotient_filter& f, const keys_of_batch& keys) {
  std::size_t taken = 0;
  while (taken < keys.size() && f.try_insert(keys[taken])) ++taken;
  return taken;
}
std::size_t insert_each(expandable_filter& f, const keys_of_batch& keys) {
  for (const auto key : keys) f.insert(key);
  return keys.size();
}

template <class Filter>
class RunFilters : public ::testing::Test {};
using filters = ::testing::Types<quotient_filter, expandable_filter>;
TYPED_TEST_SUITE(RunFilters, filters);

TYPED_TEST(RunFilters, BatchesLeaveTheBytesOfSingleCalls) {
  for (unsigned seed = 0; seed < 120; ++seed) {
    std::mt19937_64 random(seed);
    const std::uint64_t room = 1 + random() % (seed % 4 == 0 ? 60 : 3000);
    const double fpr = 0.5 / static_cast<double>(std::uint64_t{1} << random() % 20);
    TypeParam single({.keys = room, .fpr = fpr}), batch = single;
    const auto pool = statistics::members(1 + random() % (2 * room));
    for (int step = 0; step < 12; ++step) {
      keys_of_batch keys(random() % (room + room / 2 + 1));  // some overfill it
      for (auto& key : keys) key = pool[random() % pool.size()];
      if (step % 3 != 2) {
        ASSERT_EQ(batch.insert_batch(keys), insert_each(single, keys)) << seed;
      } else {
        const auto gone =
            std::count_if(keys.begin(), keys.end(), [&](auto key) { return single.erase(key); });
        ASSERT_EQ(batch.erase_batch(keys), static_cast<std::size_t>(gone)) << seed;
      }
      ASSERT_EQ(batch, single) << seed << ", step " << step;
    }
  }
}

// All keys have one home slot: offsets exceed a byte, and a cluster takes half of the table.
TYPED_TEST(RunFilters, BatchesOfOneKeyLeaveTheBytesOfSingleCalls) {
  TypeParam single({.keys = 3000, .fpr = 0.01}), batch = single;
  const auto others = statistics::members(1000);
  (void)batch.insert_batch(others);
  (void)insert_each(single, others);
  const keys_of_batch copies(1500, others.front());
  ASSERT_EQ(batch.insert_batch(copies), insert_each(single, copies));
  ASSERT_EQ(batch, single);
  for (const std::size_t count : {700U, 900U}) {  // the last of them are no longer in
    const std::span some = std::span(copies).first(count);
    const auto gone =
        std::count_if(some.begin(), some.end(), [&](auto key) { return single.erase(key); });
    ASSERT_EQ(batch.erase_batch(some), static_cast<std::size_t>(gone));
    ASSERT_EQ(batch, single);
  }
}

}  // namespace
}  // namespace umbel::run_filters_test
