// large_fuse_test.cpp - binary fuse filters at sizes and rates that take minutes: 1e8 keys, 2^-20,
// many seeds.
#include <algorithm>

#include <gtest/gtest.h>

#include <umbel/map/binary_fuse_map.hpp>
#include <umbel/set/binary_fuse_filter.hpp>

#include "support/fuse_built.hpp"
#include "support/fuse_long.hpp"
#include "support/fuse_memory.hpp"
#include "support/fuse_parts.hpp"
#include "support/gate.hpp"

namespace {

using namespace fuse_test;
using umbel::binary_fuse_filter;
using umbel::test::binomial_gate;
using umbel::test::exact_model;

class LargeFuse : public long_test {};

digest_spool spool_of(std::uint64_t n, std::uint64_t seed) {
  digest_spool out;
  for (std::uint64_t i = 0; i < n; ++i) out.add(digest_of(i, seed));
  return out;
}

TEST_F(LargeFuse, AHundredMillionKeys) {
  constexpr std::uint64_t n = 100'000'000;
  const auto filter = binary_fuse_filter::build(spool_of(n, 1), {.fpr = 1.0 / 256, .threads = 2});
  EXPECT_EQ(filter.keys(), n);
  EXPECT_EQ(hits(filter, n, 1), n) << "a key was forgotten";
  EXPECT_TRUE(binomial_gate(hits(filter, n, 2), n, 1.0 / 256, exact_model));
  const auto attempts = parts(filter).attempts();
  double sum = 0;
  for (const auto attempt : attempts) sum += attempt + 1;
  EXPECT_LE(sum / static_cast<double>(attempts.size()), 1.3) << attempts.size() << " shards";
  EXPECT_LE(static_cast<double>(filter.size_in_bits()) / static_cast<double>(n), 8 * 1.135);
}

TEST_F(LargeFuse, OneNonMemberInAMillion) {
  const auto filter = binary_fuse_filter::build(spool_of(1'000'000, 1), {.fpr = 0x1p-20});
  ASSERT_EQ(filter.engine().width(), 20U);
  constexpr std::uint64_t non_members = 1'000'000'000;
  EXPECT_TRUE(binomial_gate(hits(filter, non_members, 2), non_members, 0x1p-20, exact_model));
}

// One system of many keys without shards. Every key is answered, or the build reports why not.
TEST_F(LargeFuse, OneSystemOfTwentyMillionKeys) {
  constexpr std::uint64_t n = 20'000'000;
  for (const unsigned width : {8U, 40U}) {
    pair_spool spool;
    for (std::uint64_t i = 0; i < n; ++i)
      spool.add(valued{digest_of(i, 3), value_for(digest_of(i, 3), width)});
    std::uint64_t wrong_ones = 0;
    try {
      const auto map =
          umbel::binary_fuse_map::build(spool, {.value_bits = width, .shard_from = 1'000'000'000});
      for (std::uint64_t i = 0; i < n; ++i)
        wrong_ones += map.value(digest_of(i, 3)) != value_for(digest_of(i, 3), width);
    } catch (const umbel::bad_parameter&) {
    }
    EXPECT_EQ(wrong_ones, 0U) << width << " bits";
  }
}

TEST_F(LargeFuse, MemoryOfABuildOfTenMillionKeys) {
  if (sanitized) GTEST_SKIP() << "sanitizers have memory of their own";
  constexpr std::uint64_t n = 10'000'000;
  for (const unsigned threads : {1U, 2U}) {
    const auto peak = peak_bytes([] { return spool_of(n, 4); },
                                 [=](const digest_spool& spool) {
      return binary_fuse_filter::build(spool, {.threads = threads}).size_in_bits() / 8;
    });
    ASSERT_TRUE(peak.has_value());
    RecordProperty("bytes_per_key_" + std::to_string(threads),
                   std::to_string(double(*peak) / double(n)));
    EXPECT_LE(static_cast<double>(*peak) / static_cast<double>(n), 40) << threads << " threads";
  }
}

TEST_F(LargeFuse, AttemptsAtManySizes) {
  double sum = 0;
  constexpr int sizes = 400;
  for (int i = 0; i < sizes; ++i) {
    const auto n = static_cast<std::uint64_t>(std::pow(10.0, 1 + 5.5 * i / (sizes - 1)));
    const std::uint64_t seeds = n < 30'000 ? 100 : n < 1'000'000 ? 10 : 3;
    double drawn = 0;
    for (std::uint64_t seed = 0; seed < seeds; ++seed)
      drawn += fuse_test::drawn(built(pairs(n, 1, 100 + seed), {.width = 1}), n);
    EXPECT_LE(drawn / static_cast<double>(seeds), 2) << n << " keys";
    sum += drawn / static_cast<double>(seeds);
  }
  EXPECT_LE(sum / sizes, 1.3);
}

}  // namespace
