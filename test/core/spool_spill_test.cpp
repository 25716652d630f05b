// spool_spill_test.cpp - records that do not fit the memory limit: they come back, nothing stays
// behind, and what the system refuses is said.
#include <csignal>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>

#include <umbel/core/spool.hpp>

#include "support/child.hpp"
#include "support/fuse_keys.hpp"
#include "support/temp_dir.hpp"

namespace spool_spill_test {
namespace {

using namespace fuse_test;
using testing::HasSubstr;
using umbel::test::in_child;
using umbel::test::success;
using umbel::test::temp_dir;

template <class Record>
std::vector<Record> sorted_records(const umbel::core::basic_spool<Record>& spool) {
  std::vector<Record> out;
  spool.for_each(0, spool.bins, [&](std::span<const Record> block) {
    out.insert(out.end(), block.begin(), block.end());
  });
  std::sort(out.begin(), out.end());
  return out;
}
template <class T>
std::vector<T> sorted(std::vector<T> all) {
  std::sort(all.begin(), all.end());
  return all;
}

TEST(SpoolSpill, ReadsBackWhatWasWritten) {
  const temp_dir here;
  const auto keys = digests(300'000, 1);
  for (const std::uint64_t limit : {1U, 100'000U, 1U << 20, 4U << 20}) {
    const auto spool = spooled(keys, {.memory_limit = limit, .directory = here.path()});
    EXPECT_TRUE(spool.spilled()) << limit;
    EXPECT_EQ(spool.size(), keys.size());
    EXPECT_EQ(spool.count(0, digest_spool::bins), keys.size());
    EXPECT_EQ(sorted_records(spool), sorted(keys)) << limit;
    for (std::size_t bin = 0; bin < digest_spool::bins; bin += 51)
      spool.for_each(bin, bin + 1, [&](std::span<const digest> block) {
        for (const digest& d : block) ASSERT_EQ(d.hi >> 56, bin);
      });
  }
}

TEST(SpoolSpill, WhatFitsStaysInMemory) {
  const temp_dir here;
  const auto keys = digests(1000, 1);
  EXPECT_FALSE(spooled(keys).spilled());
  EXPECT_FALSE(
      spooled(keys, {.memory_limit = 1 << 20, .directory = here.file("missing")}).spilled());
}

TEST(SpoolSpill, PairsReadBackToo) {
  const temp_dir here;
  const auto all = pairs(100'000, 20, 2);
  const auto spool = spooled(all, {.memory_limit = 1 << 18, .directory = here.path()});
  EXPECT_TRUE(spool.spilled());
  EXPECT_EQ(sorted_records(spool), sorted(all));
}

TEST(SpoolSpill, ReadingAndWritingMayAlternate) {
  const temp_dir here;
  const auto keys = digests(120'000, 3);
  digest_spool spool({.memory_limit = 1 << 18, .directory = here.path()});
  for (std::size_t first = 0; first < keys.size(); first += 30'000) {
    spool.add(std::span(keys).subspan(first, 30'000));
    ASSERT_EQ(sorted_records(spool),
              sorted(std::vector(keys.begin(), keys.begin() + static_cast<long>(first) + 30'000)));
  }
}

TEST(SpoolSpill, DistinctOfMoreThanTheLimit) {
  const temp_dir here;
  const auto keys = digests(100'000, 4);
  digest_spool spool({.memory_limit = 1 << 18, .directory = here.path()});
  spool.add(keys);
  spool.add(keys);
  const auto once = spool.distinct(2);
  EXPECT_TRUE(once.spilled());
  std::vector<digest> in_order;
  once.for_each(0, digest_spool::bins, [&](std::span<const digest> block) {
    in_order.insert(in_order.end(), block.begin(), block.end());
  });
  EXPECT_EQ(in_order, sorted(keys));
}

TEST(SpoolSpill, JoinsSpilledWriters) {
  const temp_dir here;
  const umbel::spool_options tight{.memory_limit = 1 << 18, .directory = here.path()};
  const auto keys = digests(90'000, 5);
  const std::span all(keys);
  digest_spool sum(tight), second(tight), roomy;
  sum.add(all.first(30'000));
  second.add(all.subspan(30'000, 30'000));
  roomy.add(all.subspan(60'000));
  ASSERT_TRUE(sum.spilled() && second.spilled());
  sum.append(std::move(second));
  sum.append(std::move(roomy));
  EXPECT_EQ(sum.size(), keys.size());
  EXPECT_EQ(sum.count(0, digest_spool::bins), keys.size());
  EXPECT_EQ(sorted_records(sum), sorted(keys));
  digest_spool other;
  other.append(std::move(sum));
  EXPECT_EQ(sorted_records(other), sorted(keys));
}

TEST(SpoolSpill, KeepsItsMemoryLimit) {
  if (sanitized) GTEST_SKIP() << "the sanitizer's allocator does not say what is in use";
  const temp_dir here;
  constexpr std::uint64_t limit = 2 << 20, records = 2'000'000;  // 32 MB of them
  const auto in_use = [] {
    const auto heap = ::mallinfo2();
    return static_cast<std::int64_t>(heap.uordblks + heap.hblkhd);
  };
  digest_spool spool({.memory_limit = limit, .directory = here.path()});
  const auto before = in_use();
  std::int64_t most = 0;
  for (std::uint64_t i = 0; i < records; ++i) {
    spool.add(digest_of(i, 6));
    if (i % 4096 == 0) most = std::max(most, in_use() - before);
  }
  // Beyond the records: 24 bytes of bookkeeping per spilled block, and what malloc adds.
  EXPECT_LE(most, static_cast<std::int64_t>(limit + limit / 4));
  EXPECT_EQ(spool.count(0, digest_spool::bins), records);
}

// Joining must not undo the promise: the records of an unlimited writer count as well.
TEST(SpoolSpill, KeepsItsMemoryLimitWhenJoining) {
  const temp_dir here;
  digest_spool spool({.memory_limit = 1 << 20, .directory = here.path()});
  for (std::uint64_t part = 0; part < 4; ++part) spool.append(spooled(digests(100'000, 10 + part)));
  EXPECT_TRUE(spool.spilled()) << "6.4 MB of records are held under a limit of 1 MiB";
}

TEST(SpoolSpill, LeavesNothingInTheFolder) {
  const temp_dir here;
  {
    const auto spool =
        spooled(digests(100'000, 7), {.memory_limit = 1 << 18, .directory = here.path()});
    ASSERT_TRUE(spool.spilled());
    EXPECT_TRUE(here.names().empty()) << "the file has no name even while it is in use";
  }
  EXPECT_TRUE(here.names().empty());
}

TEST(SpoolSpill, UsesTheFolderOfTheEnvironment) {
  const temp_dir here;
  const std::string missing = here.file("not-there");
  const auto ended = in_child(10, [&] {
    ::setenv("TMPDIR", missing.c_str(), 1);
    try {
      (void)spooled(digests(100'000, 7), {.memory_limit = 1 << 18});
    } catch (const umbel::io_error& e) {
      return std::string(e.what()).find(missing) == std::string::npos ? 2 : 0;
    }
    return 1;
  });
  EXPECT_EQ(ended, success);
}

TEST(SpoolSpill, AMissingFolderIsNamedAndNothingIsLost) {
  const temp_dir here;
  const std::string missing = here.file("not-there");
  digest_spool spool({.memory_limit = 1 << 18, .directory = missing});
  std::vector<digest> taken;
  try {
    for (std::uint64_t i = 0; i < 100'000; ++i) {
      spool.add(digest_of(i, 8));
      taken.push_back(digest_of(i, 8));
    }
    FAIL() << "expected io_error";
  } catch (const umbel::io_error& e) {
    EXPECT_THAT(e.what(), HasSubstr(missing));
  }
  EXPECT_EQ(spool.size(), taken.size());
  EXPECT_EQ(spool.count(0, digest_spool::bins), taken.size()) << "all or nothing";
  EXPECT_EQ(sorted_records(spool), sorted(taken));
}

TEST(SpoolSpill, AFullDiskIsSaidAndNothingIsLost) {
  const temp_dir here;
  const auto ended = in_child(20, [&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit most{1 << 20, 1 << 20};
    if (::setrlimit(RLIMIT_FSIZE, &most) != 0) return 3;
    digest_spool spool({.memory_limit = 1 << 18, .directory = here.path()});
    std::vector<digest> taken;
    try {
      for (std::uint64_t i = 0; i < 1'000'000; ++i) {
        spool.add(digest_of(i, 9));
        taken.push_back(digest_of(i, 9));
      }
    } catch (const umbel::io_error&) {
      if (spool.size() != taken.size() || spool.count(0, spool.bins) != taken.size()) return 4;
      return sorted_records(spool) == sorted(taken) ? 0 : 5;
    }
    return 1;
  });
  EXPECT_EQ(ended, success) << "4, 5: records were lost or counted twice";
  EXPECT_TRUE(here.names().empty());
}

}  // namespace
}  // namespace spool_spill_test
