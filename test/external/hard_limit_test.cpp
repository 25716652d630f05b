// hard_limit_test.cpp - an input ten times larger than the memory there is: built in a process that cannot have more.
// Idea       The child's data may not grow beyond a hard limit (RLIMIT_DATA: heap and private mappings), so a build that
//            keeps too much ends in bad_alloc. It streams its keys into a spool, builds, and saves; the parent builds
//            the same from memory and compares the bytes.
#include <filesystem>

#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>

#include <umbel/codec/codec.hpp>
#include <umbel/map/fuse_map.hpp>
#include <umbel/set/fuse_filter.hpp>
#include <umbel/set/golomb_filter.hpp>

#include "support/temp_dir.hpp"
#include "support/child.hpp"
#include "support/fuse_keys.hpp"

namespace {

using namespace fuse_test;
using umbel::test::temp_dir;
using umbel::test::in_child;
using umbel::test::success;

constexpr std::uint64_t mib = 1 << 20;

class HardLimit : public testing::Test {
 protected:
  void SetUp() override {
    if (sanitized) GTEST_SKIP() << "sanitizers have memory of their own";
    ::malloc_trim(0);  // what earlier tests left in the heap counts as the child's
  }
  // Runs work() in a child whose data may take `bytes` in all.
  template <class Work>
  [[nodiscard]] umbel::test::ending limited(std::uint64_t bytes, Work&& work) {
    return in_child(100, [&] {
      const rlimit most{bytes, bytes};
      if (::setrlimit(RLIMIT_DATA, &most) != 0) return 3;
      work();
      return 0;
    });
  }
  temp_dir here_;
};

TEST_F(HardLimit, IsReal) {
  EXPECT_NE(limited(32 * mib, [] { std::vector<char>(64 * mib, 'x').swap(*new std::vector<char>); }), success);
}

TEST_F(HardLimit, FuseFilterOfTenTimesTheMemory) {
  constexpr std::uint64_t limit = 64 * mib, n = 10 * limit / sizeof(digest);
  const umbel::fuse_filter::options how{.fpr = 0.5};
  const auto ended = limited(limit, [&] {
    digest_spool spool({.memory_limit = 4 * mib, .directory = here_.path()});
    for (std::uint64_t i = 0; i < n; ++i) spool.add(digest_of(i, 1));
    umbel::save(umbel::fuse_filter::build(spool, how), here_.file("f"));
  });
  ASSERT_EQ(ended, success) << "99: it needed more";
  digest_spool spool;
  for (std::uint64_t i = n; i-- > 0;) spool.add(digest_of(i, 1));
  umbel::fuse_filter::options two = how;
  two.threads = 2;
  EXPECT_EQ(umbel::load<umbel::fuse_filter>(here_.file("f")), umbel::fuse_filter::build(spool, two));
}

}  // namespace
