// hard_limit_test.cpp - external builds: an input ten times larger than memory, in a process with a
// hard memory limit.
// Idea       The child's data may not grow by more than a limit (RLIMIT_DATA: heap and private
//            mappings), so a build that keeps too much ends in bad_alloc. It streams its keys into
//            a spool, builds, and saves; the parent builds the same from memory and compares.
#include <filesystem>

#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>

#include <umbel/codec/codec.hpp>
#include <umbel/map/binary_fuse_map.hpp>
#include <umbel/map/ribbon_map.hpp>
#include <umbel/set/binary_fuse_filter.hpp>
#include <umbel/set/exact_set.hpp>
#include <umbel/set/golomb_coded_set.hpp>

#include "support/child.hpp"
#include "support/fuse_keys.hpp"
#include "support/fuse_memory.hpp"
#include "support/temp_dir.hpp"

namespace hard_limit_test {
namespace {

using namespace fuse_test;
using umbel::test::in_child;
using umbel::test::success;
using umbel::test::temp_dir;

constexpr std::uint64_t mib = 1 << 20;

class HardLimit : public testing::Test {
 public:
  void SetUp() override {
    if (sanitized) GTEST_SKIP() << "sanitizers have memory of their own";
    ::malloc_trim(0);  // what earlier tests left in the heap counts as the child's
  }
  // Runs work() in a child whose data may grow by `bytes` and no more.
  template <class Work>
  [[nodiscard]] umbel::test::ending limited(std::uint64_t bytes, Work&& work) {
    return in_child(100, [&] {
      const std::uint64_t all = status_bytes("VmData") + bytes;
      const rlimit most{all, all};
      if (::setrlimit(RLIMIT_DATA, &most) != 0) return 3;
      work();
      return 0;
    });
  }
  [[nodiscard]] const temp_dir& here() const { return here_; }

 private:
  temp_dir here_;
};

TEST_F(HardLimit, TheLimitIsEnforced) {
  EXPECT_NE(
      limited(32 * mib, [] { std::vector<char>(64 * mib, 'x').swap(*new std::vector<char>); }),
      success);
}

// A filter of keys whose digests take ten times the memory, built within it; the same from memory,
// in reverse order, by two threads.
void expect_built_within(HardLimit& test, std::uint64_t limit,
                         const umbel::binary_fuse_filter::options_type& how) {
  const std::uint64_t n = 10 * limit / sizeof(digest);
  const std::string path = test.here().file("f");
  const auto ended = test.limited(limit, [&] {
    digest_spool spool({.memory_limit = limit / 8, .directory = test.here().path()});
    for (std::uint64_t i = 0; i < n; ++i) spool.add(digest_of(i, 1));
    umbel::save(umbel::binary_fuse_filter::build(spool, how), path);
  });
  ASSERT_EQ(ended, success) << "99: it needed more";
  digest_spool spool;
  for (std::uint64_t i = n; i-- > 0;) spool.add(digest_of(i, 1));
  auto with_threads = how;
  with_threads.threads = 2;
  EXPECT_EQ(umbel::load<umbel::binary_fuse_filter>(path),
            umbel::binary_fuse_filter::build(spool, with_threads));
}

TEST_F(HardLimit, FuseFilterOfTenTimesTheMemory) {
  expect_built_within(*this, 32 * mib, {.fpr = 0.5, .shard_from = 1'000'000});
}

// Shards of the default size need more memory while they are solved.
TEST_F(HardLimit, FuseFilterOfTenTimesTheMemoryWithShardsOfTheUsualSize) {
  if (!is_set("UMBEL_LONG")) GTEST_SKIP() << "run by `make test-long`, which sets UMBEL_LONG";
  expect_built_within(*this, 64 * mib, {.fpr = 0.5});
}

TEST_F(HardLimit, FuseMapOfTenTimesTheMemory) {
  constexpr std::uint64_t limit = 16 * mib, n = 10 * limit / sizeof(valued);
  const umbel::binary_fuse_map::options_type how{.value_bits = 2, .shard_from = 500'000};
  const auto ended = limited(limit, [&] {
    pair_spool spool({.memory_limit = limit / 8, .directory = here().path()});
    for (std::uint64_t i = 0; i < n; ++i) spool.add(valued{digest_of(i, 2), i & 3});
    umbel::save(umbel::binary_fuse_map::build(spool, how), here().file("m"));
  });
  ASSERT_EQ(ended, success) << "99: it needed more";
  const auto map = umbel::open<umbel::binary_fuse_map>(here().file("m"));
  for (std::uint64_t i = 0; i < n; ++i) ASSERT_EQ(map->value(digest_of(i, 2)), i & 3);
}

// The banding takes sixteen bytes per key of a shard. Bumped keys, those of some buckets, stay
// within the spool's limit once more.
TEST_F(HardLimit, RibbonMapOfTenTimesTheMemory) {
  constexpr std::uint64_t limit = 8 * mib, n = 10 * limit / sizeof(valued);
  const umbel::ribbon_map::options_type how{.value_bits = 2, .shard_from = 250'000};
  const auto ended = limited(limit, [&] {
    pair_spool spool({.memory_limit = limit / 4, .directory = here().path()});
    for (std::uint64_t i = 0; i < n; ++i) spool.add(valued{digest_of(i, 5), i & 3});
    umbel::save(umbel::ribbon_map::build(spool, how), here().file("r"));
  });
  ASSERT_EQ(ended, success) << "99: it needed more";
  const auto map = umbel::open<umbel::ribbon_map>(here().file("r"));
  for (std::uint64_t i = 0; i < n; ++i) ASSERT_EQ(map->value(digest_of(i, 5)), i & 3);
}

// The build holds two spools and, at the end, its stream twice.
TEST_F(HardLimit, GolombFilterOfTenTimesTheMemory) {
  constexpr std::uint64_t limit = 16 * mib, n = 10 * limit / sizeof(digest);
  const umbel::golomb_coded_set::options_type how{.fpr = 0.5};
  const auto ended = limited(limit, [&] {
    digest_spool spool({.memory_limit = limit / 8, .directory = here().path()});
    for (std::uint64_t i = 0; i < n; ++i) spool.add(digest_of(i, 3));
    umbel::save(umbel::golomb_coded_set::build(spool, how), here().file("g"));
  });
  ASSERT_EQ(ended, success) << "99: it needed more";
  const auto filter = umbel::open<umbel::golomb_coded_set>(here().file("g"));
  for (std::uint64_t i = 0; i < n; i += 97) ASSERT_TRUE(filter->may_contain(digest_of(i, 3)));
}

// Members and universe in spools, both sides separated, the keys of each stage, and the shards
// being solved.
TEST_F(HardLimit, ExactSetOfTenTimesTheMemory) {
  constexpr std::uint64_t limit = 16 * mib, n = 10 * limit / sizeof(digest);
  const umbel::exact_set::options_type how{.shard_from = 100'000};
  const auto member = [](std::uint64_t i) { return i % 8 == 0; };
  const auto ended = limited(limit, [&] {
    const umbel::spool_options room{.memory_limit = limit / 16, .directory = here().path()};
    digest_spool in(room), all(room);
    for (std::uint64_t i = 0; i < n; ++i) {
      all.add(digest_of(i, 4));
      if (member(i)) in.add(digest_of(i, 4));
    }
    umbel::save(umbel::exact_set::build(in, all, how), here().file("e"));
  });
  ASSERT_EQ(ended, success) << "99: it needed more";
  const auto set = umbel::open<umbel::exact_set>(here().file("e"));
  for (std::uint64_t i = 0; i < n; ++i) ASSERT_EQ(set->contains(digest_of(i, 4)), member(i)) << i;
}

}  // namespace
}  // namespace hard_limit_test
