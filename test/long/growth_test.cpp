// growth_test.cpp - filters planned for 100 keys and grown to ten million: the planned rate at
// every doubling.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <span>

#include <gtest/gtest.h>

#include <umbel/set/scalable_bloom_filter.hpp>
#include <umbel/set/taffy_block_filter.hpp>

#include "support/fuse_long.hpp"
#include "support/gate.hpp"

namespace umbel::growth_long_test {
namespace {

using test::binomial_gate;
using test::no_more_than;

template <class Filter>
class LongGrowth : public fuse_test::long_test {};
using both = ::testing::Types<scalable_bloom_filter, taffy_block_filter>;
TYPED_TEST_SUITE(LongGrowth, both);

TYPED_TEST(LongGrowth, KeepsItsRateTo1e7) {
  constexpr double fpr = 0.01;
  constexpr std::uint64_t n = 10'000'000, trials = 1'000'000;
  TypeParam filter({.keys = 100, .fpr = fpr});
  std::uint64_t next = 1000;
  const auto look = [&](std::uint64_t in) {
    const std::uint64_t hits = fuse_test::hits(filter, trials, 2);
    EXPECT_LE(filter.expected_fpr(), fpr) << in;
    EXPECT_TRUE(no_more_than(hits, trials, fpr, 0)) << in;
    EXPECT_TRUE(binomial_gate(hits, trials, filter.expected_fpr(), 0.05)) << in;
    std::printf("%9llu keys: %2zu stages, %5.1f bits per key, rate %.5f\n",
                static_cast<unsigned long long>(in), filter.stages(),
                static_cast<double>(filter.size_in_bits()) / static_cast<double>(in),
                filter.expected_fpr());
  };
  std::uint64_t in = 0;
  fuse_test::in_runs(n, 1, [&](std::uint64_t, std::span<const digest> some) {
    while (!some.empty()) {
      const auto part = some.first(std::min<std::uint64_t>(some.size(), next - in));
      filter.insert_batch(part);
      in += part.size();
      some = some.subspan(part.size());
      if (in == next) look(in), next *= 2;
    }
  });
  look(n);
  EXPECT_EQ(fuse_test::hits(filter, n, 1), n);
}

}  // namespace
}  // namespace umbel::growth_long_test
