// shared_readers_test.cpp - structures that no longer change, read by many threads at once; and one
// file opened by many threads while another replaces it.
// Run        Under the thread sanitizer by `make test`.
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/codec/codec.hpp>
#include <umbel/map/binary_fuse_map.hpp>
#include <umbel/set/binary_fuse_filter.hpp>
#include <umbel/set/bloom_filter.hpp>
#include <umbel/set/golomb_coded_set.hpp>
#include <umbel/set/parquet_filter.hpp>

#include "support/statistics_gate.hpp"
#include "support/temp_dir.hpp"

namespace umbel::shared_readers_test {
namespace {

using statistics::member;
using statistics::members;

constexpr unsigned crew_size = 4;
constexpr std::uint64_t count = 5'000;

void by_a_crew(const std::function<void(unsigned)>& work) {
  std::vector<std::jthread> crew;
  for (unsigned t = 0; t < crew_size; ++t) crew.emplace_back([&work, t] { work(t); });
}

// Single and batched queries from all threads; members are always found.
void expect_readable(const auto& set) {
  std::atomic<std::uint64_t> missed = 0;
  by_a_crew([&](unsigned t) {
    const auto keys = members(count);
    const auto answers = std::make_unique<bool[]>(count);
    set.may_contain_batch(keys, {answers.get(), count});
    for (std::uint64_t i = 0; i < count; ++i) {
      missed += !answers[i];
      missed += !set.may_contain(member((i + t * 1000) % count));
    }
  });
  EXPECT_EQ(missed, 0U);
}

TEST(SharedReaders, OfSets) {
  expect_readable(bloom_filter::build(members(count), {.fpr = 0.01}));
  expect_readable(split_block_bloom_filter::build(members(count), {.fpr = 0.01}));
  expect_readable(parquet_filter::build(members(count), {.fpr = 0.01}));
  expect_readable(golomb_coded_set::build(members(count), {.fpr = 0.01}));
  expect_readable(binary_fuse_filter::build(members(count), {.fpr = 0.01}));
  expect_readable(binary_fuse_filter::build(members(count), {.fpr = 0.01, .shard_from = 500}));
}

TEST(SharedReaders, OfAMap) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs;
  for (std::uint64_t i = 0; i < count; ++i) pairs.emplace_back(member(i), i % 256);
  const auto map = binary_fuse_map::build(pairs, {.value_bits = 8, .fpr = 0.001});
  std::atomic<std::uint64_t> wrong = 0;
  by_a_crew([&](unsigned) {
    for (const auto& [key, value] : pairs) wrong += map.find(key) != value;
  });
  EXPECT_EQ(wrong, 0U);
}

// Concurrent builds share nothing, and a build on several threads gives the bytes of one thread.
TEST(SharedReaders, BuildsMayRunSideBySide) {
  const auto expected = binary_fuse_filter::build(members(count), {.fpr = 0.01, .shard_from = 500});
  std::atomic<std::uint64_t> different = 0;
  by_a_crew([&](unsigned t) {
    different +=
        binary_fuse_filter::build(
            members(count), {.fpr = 0.01, .threads = 1 + t % 3, .shard_from = 500}) != expected;
  });
  EXPECT_EQ(different, 0U);
}

class SharedFile : public ::testing::Test {
 protected:
  test::temp_dir folder_;
  const std::string path_ = folder_.file("seen.umbel");
};

TEST_F(SharedFile, IsOpenedByManyAtOnce) {
  save(golomb_coded_set::build(members(count), {.fpr = 0.01}), path_);
  std::atomic<std::uint64_t> missed = 0;
  by_a_crew([&](unsigned) {
    for (int round = 0; round < 5; ++round) {
      const auto filter = open<golomb_coded_set>(path_);
      for (std::uint64_t i = 0; i < count; ++i) missed += !filter->may_contain(member(i));
    }
  });
  EXPECT_EQ(missed, 0U);
}

TEST_F(SharedFile, OneMappingServesManyReaders) {
  save(binary_fuse_filter::build(members(count), {.fpr = 0.01, .shard_from = 500}), path_);
  const auto filter = open<binary_fuse_filter>(path_);
  expect_readable(*filter);
}

// A file replaced by rename while it is read: readers have the old one or the new one, whole.
TEST_F(SharedFile, MayBeReplacedWhileRead) {
  const auto small = bloom_filter::build(members(count), {.fpr = 0.01});
  const auto large = bloom_filter::build(members(count), {.fpr = 0.0001});
  save(small, path_);
  std::atomic<std::uint64_t> missed = 0, opened_old = 0, opened_new = 0;
  {
    std::jthread writer([&] {
      for (int round = 0; round < 20; ++round) save(round % 2 == 0 ? large : small, path_);
    });
    by_a_crew([&](unsigned t) {
      for (int round = 0; round < 20; ++round) {
        if (t % 2 == 0) {
          const auto mapped = open<bloom_filter>(path_);
          (mapped->size_in_bits() == small.size_in_bits() ? opened_old : opened_new)++;
          for (std::uint64_t i = 0; i < count; i += 50) missed += !mapped->may_contain(member(i));
        } else {
          const auto copied = load<bloom_filter>(path_);
          missed += copied != small && copied != large;
        }
      }
    });
  }
  EXPECT_EQ(missed, 0U);
  EXPECT_EQ(opened_old + opened_new, 40U);
}

}  // namespace
}  // namespace umbel::shared_readers_test
