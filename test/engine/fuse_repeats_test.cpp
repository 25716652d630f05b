// fuse_repeats_test.cpp - keys given more than once: dropped when they agree, a conflict when they
// do not.
#include <memory_resource>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <umbel/engine/retrieval/fuse.hpp>
#include <umbel/engine/retrieval/peeled_build.hpp>

#include "support/child.hpp"
#include "support/environment.hpp"
#include "support/fuse_built.hpp"
#include "support/fuse_keys.hpp"
#include "support/fuse_parts.hpp"

namespace fuse_repeats_test {
namespace {

using namespace fuse_test;
using umbel::core::digest_conflict;
using fuse = umbel::core::peeled<umbel::core::fuse<3>>;
using umbel::test::in_child;
using umbel::test::success;

TEST(FuseRepeats, AHundredThousandCopiesOfOneKey) {
  for (const unsigned width : {1U, 8U, 64U}) {
    const std::vector<valued> all(100'000, valued{digest_of(1, 1), width == 1 ? 1U : 200U});
    for (const std::uint64_t from : {umbel::sizing::peel_shard_from, std::uint64_t{100'000}}) {
      const fuse f = built(all, {.width = width, .threads = 2, .shard_from = from});
      EXPECT_EQ(f.keys(), 1U);
      EXPECT_EQ(f, built(std::span(all).first(1), {.width = width}));
      EXPECT_EQ(wrong(f, std::span(all).first(1)), 0U);
    }
  }
}

// Every shard gets the capacity of the largest. Copies all fall into one, so shapes must not be
// made before they are dropped: 512 shards of 200,000 keys each would be 100 MB for what is one
// key, and 1e9 copies would be 500 GB.
TEST(FuseRepeats, DoNotSwellTheOtherShards) {
  struct counter final : std::pmr::memory_resource {
    std::size_t largest = 0;
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
      largest = std::max(largest, bytes);
      return std::pmr::new_delete_resource()->allocate(bytes, alignment);
    }
    void do_deallocate(void* at, std::size_t bytes, std::size_t alignment) override {
      std::pmr::new_delete_resource()->deallocate(at, bytes, alignment);
    }
    bool do_is_equal(const memory_resource& other) const noexcept override {
      return this == &other;
    }
  } memory;
  const std::vector<valued> all(200'000, valued{digest_of(1, 1), 7});
  EXPECT_EQ(built(all, {.width = 8, .memory = &memory, .shard_from = 1000}).keys(), 1U);
  EXPECT_LE(memory.largest, 16 * all.size());
}

TEST(FuseRepeats, LeaveNoTrace) {
  const auto once = pairs(20'000, 8, 2);
  auto twice = once;
  twice.insert(twice.end(), once.begin(), once.end());
  auto one_more = once;
  one_more.push_back(once[777]);
  for (const std::uint64_t from :
       {umbel::sizing::peel_shard_from, std::uint64_t{2000}, std::uint64_t{100}}) {
    for (const unsigned threads : {1U, 2U}) {
      const fuse f = built(once, {.width = 8, .shard_from = from});
      EXPECT_EQ(built(shuffled(twice, 1), {.width = 8, .threads = threads, .shard_from = from}), f);
      EXPECT_EQ(built(shuffled(one_more, 2), {.width = 8, .threads = threads, .shard_from = from}),
                f);
    }
  }
}

// The number of copies decides nothing: 2 and 3 (odd and even), 256 and 257 (the count's wrap).
TEST(FuseRepeats, AnyNumberOfCopies) {
  const auto once = pairs(50, 8, 3);
  const fuse f = built(once, {.width = 8});
  for (const int copies : {2, 3, 127, 128, 129, 255, 256, 257, 513}) {
    auto all = once;
    all.insert(all.end(), static_cast<std::size_t>(copies) - 1, once[7]);
    EXPECT_EQ(built(all, {.width = 8}), f) << copies;
  }
}

TEST(FuseRepeats, OneKeyWithTwoValuesIsAConflict) {
  for (const std::uint64_t n : {1U, 2U, 1000U, 50'000U}) {
    auto all = pairs(n, 16, 4);
    const valued first = all[n / 2];
    const valued second{first.key, first.value ^ 1};
    all.push_back(second);
    for (const unsigned threads : {1U, 2U}) {
      try {
        (void)built(shuffled(all, n), {.width = 16, .threads = threads, .shard_from = 5000});
        FAIL() << "expected a conflict among " << n;
      } catch (const digest_conflict& clash) {
        EXPECT_EQ(clash.key, first.key);
        EXPECT_EQ(std::minmax(clash.first, clash.second), std::minmax(first.value, second.value));
      }
    }
  }
}

TEST(FuseRepeats, ACrowdOfConflicts) {
  std::vector<valued> all;
  for (std::uint64_t i = 0; i < 100'000; ++i) all.push_back({digest_of(1, 5), i});
  EXPECT_THROW((void)built(all, {.width = 20}), umbel::conflict);
}

TEST(FuseRepeats, NoThreadsMeansOne) {
  const auto ended = in_child(3, [] {
    auto all = pairs(100, 8, 6);
    all.push_back(all[0]);
    return built(all, {.width = 8, .threads = 0}).keys() == 100 ? 0 : 1;
  });
  EXPECT_EQ(ended, success) << "a build with threads = 0 failed, or never came back";
}

RC_GTEST_PROP(FuseRepeats, ABuildIsAFunctionOfTheSetOfPairs, ()) {
  const auto n = *rc::gen::inRange<std::uint64_t>(0, 400);
  const auto once = pairs(n, 12, *rc::gen::inRange<std::uint64_t>(0, 1000));
  auto given = once;
  for (const auto i :
       *rc::gen::container<std::vector<std::uint16_t>>(rc::gen::arbitrary<std::uint16_t>()))
    if (n != 0) given.push_back(once[i % n]);
  const std::uint64_t from = *rc::gen::element<std::uint64_t>(40, 200, 4'000'000);
  const auto f = built(once, {.width = 12, .shard_from = from});
  RC_ASSERT(built(shuffled(given, *rc::gen::arbitrary<std::uint64_t>()),
                  {.width = 12, .shard_from = from}) == f);
  RC_ASSERT(wrong(f, once) == 0U);
  RC_ASSERT(f.keys() == n);
}

}  // namespace
}  // namespace fuse_repeats_test
