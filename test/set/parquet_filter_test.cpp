// parquet_filter_test.cpp - Parquet's split-block Bloom filter: the bytes that other
// implementations write, within the format's limits.
// Source     Golden 1 was written by the Java implementation, golden 2 computed from the format's
//            specification.
#include <umbel/set/parquet_filter.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/cells/kernel/level.hpp>

#include "support/statistics_gate.hpp"

namespace umbel::parquet_filter_test {
namespace {

std::string hex(std::span<const std::byte> bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (const std::byte b : bytes) {
    out += digits[static_cast<unsigned>(b) >> 4];
    out += digits[static_cast<unsigned>(b) & 15];
  }
  return out;
}

constexpr std::string_view golden_1 =
    "c80150144044086d062504439050602008842b21000563410200e02c404e6004";
constexpr std::string_view golden_2 =
    "1000400084000001010080084002000822000400018040000042080000110100"
    "0000000000000000000000000000000000000000000000000000000000000000"
    "0880080806080006024500020000224c4001000600c082084004000008294000"
    "0002100000004400000480004000040000004020000002800000002430000000";

// Single inserts and batches, with and without vector kernels: the same bytes.
TEST(ParquetFilter, GoldenBytes) {
  const auto before = cells::kernel::in_use();
  for (const auto level : {cells::kernel::level::portable, cells::kernel::level::avx2}) {
    cells::kernel::use(level);
    std::vector<std::string> texts;
    std::vector<std::int64_t> numbers;
    for (const char digit : std::string_view("0123456789")) texts.push_back({'a', digit});
    for (std::int64_t i = 1; i <= 10; ++i) numbers.push_back(i);
    parquet_filter one({.keys = 10, .bits = 256}), four({.keys = 10, .bits = 1024});
    for (const auto& text : texts) (void)one.insert(text);
    for (const auto number : numbers) (void)four.insert(number);
    EXPECT_EQ(hex(one.bitset()), golden_1);
    EXPECT_EQ(hex(four.bitset()), golden_2);
    parquet_filter one_batch({.keys = 10, .bits = 256}), four_batch({.keys = 10, .bits = 1024});
    (void)one_batch.insert_batch(texts);
    (void)four_batch.insert_batch(numbers);
    EXPECT_EQ(hex(one_batch.bitset()), golden_1);
    EXPECT_EQ(hex(four_batch.bitset()), golden_2);
    for (const auto& text : texts) EXPECT_TRUE(one.may_contain(text));
  }
  cells::kernel::use(before);
}

TEST(ParquetFilter, IntegersAreHashedByTheirWidth) {
  parquet_filter wide({.keys = 10, .bits = 1024}), narrow({.keys = 10, .bits = 1024});
  (void)wide.insert(std::int64_t{5});
  (void)narrow.insert(std::int32_t{5});
  EXPECT_NE(wide, narrow);
  EXPECT_TRUE(narrow.may_contain(std::int16_t{5})) << "narrower integers travel as INT32";
}

// The header field is a signed 32-bit byte count; the format caps it at 128 MiB.
TEST(ParquetFilter, RefusesMoreThan128MiB) {
  constexpr std::uint64_t most = std::uint64_t{128} << 23;  // bits
  EXPECT_EQ(parquet_filter::plan({.keys = 1'000, .bits = most}).bits, most);
  EXPECT_THROW((void)parquet_filter::plan({.keys = 1'000, .bits = most + 256}), bad_parameter);
  EXPECT_THROW(parquet_filter({.keys = 1'000, .bits = most + 256}), bad_parameter);
  EXPECT_THROW(parquet_filter({.keys = 1'000'000'000, .fpr = 1e-6}), bad_parameter);
  EXPECT_NO_THROW((void)split_block_bloom_filter::plan({.keys = 1'000'000'000, .fpr = 1e-6}))
      << "ours has no such limit";
}

// Its hash is part of the format: no seed, no key.
TEST(ParquetFilter, RefusesAnotherHash) {
  EXPECT_EQ(parquet_filter({.keys = 10, .bits = 256}).hash(), hasher::parquet());
  EXPECT_EQ(parquet_filter().hash(), hasher::parquet());
  EXPECT_NO_THROW(parquet_filter({.keys = 10, .bits = 256, .hash = hasher::parquet()}));
  EXPECT_THROW(parquet_filter({.keys = 10, .bits = 256, .hash = hasher::seeded(1)}), bad_parameter);
  EXPECT_THROW(parquet_filter({.keys = 10, .bits = 256, .hash = hasher::keyed({})}), bad_parameter);
}

TEST(ParquetFilter, RateIsThatOfSplitBlocks) {
  constexpr std::uint64_t n = 100'000;
  parquet_filter f({.keys = n, .bits = 12 * n});
  (void)f.insert_batch(statistics::members(n));
  const auto trials = static_cast<std::uint64_t>(1e4 / .00542);
  EXPECT_TRUE(statistics::binomial_gate(statistics::passed(f, trials), trials, .00542, 0.05));
}

TEST(ParquetFilter, FoldsAndMergesAsTheFormatsOwnFiltersWould) {
  parquet_filter large({.keys = 10, .bits = 1024}), small({.keys = 10, .bits = 512});
  for (std::int64_t i = 0; i < 100; ++i) {
    (void)large.insert(i);
    (void)small.insert(i);
  }
  large.fold();
  EXPECT_EQ(large, small);
}

}  // namespace
}  // namespace umbel::parquet_filter_test
