// spool_test.cpp - records in memory: which bin they go to, how many there are, joining, and
// dropping repeats.
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <umbel/core/spool.hpp>

#include "support/child.hpp"
#include "support/environment.hpp"
#include "support/fuse_keys.hpp"

namespace spool_test {
namespace {

using namespace fuse_test;
using testing::IsEmpty;
using umbel::test::in_child;
using umbel::test::success;

template <class Spool>
auto records_of(const Spool& spool, std::size_t first = 0, std::size_t last = Spool::bins) {
  std::vector<digest> out;
  spool.for_each(first, last, [&](auto block) {
    for (const auto& record : block) out.push_back(umbel::core::key_of(record));
  });
  return out;
}
std::vector<digest> sorted(std::vector<digest> all) {
  std::sort(all.begin(), all.end());
  return all;
}

TEST(Spool, EmptyHoldsNothing) {
  const digest_spool spool;
  EXPECT_EQ(spool.size(), 0U);
  EXPECT_EQ(spool.count(0, digest_spool::bins), 0U);
  EXPECT_FALSE(spool.spilled());
  EXPECT_THAT(records_of(spool), IsEmpty());
  EXPECT_EQ(spool.distinct().size(), 0U);
}

TEST(Spool, BinsAreTheTopEightBits) {
  const auto keys = digests(50'000, 1);
  const auto spool = spooled(keys);
  EXPECT_EQ(spool.size(), keys.size());
  std::uint64_t total = 0;
  for (std::size_t bin = 0; bin < digest_spool::bins; ++bin) {
    const auto in_bin = records_of(spool, bin, bin + 1);
    EXPECT_EQ(spool.count(bin, bin + 1), in_bin.size());
    for (const digest& d : in_bin) ASSERT_EQ(d.hi >> 56, bin);
    total += in_bin.size();
  }
  EXPECT_EQ(total, keys.size());
  EXPECT_EQ(spool.count(3, 77) + spool.count(77, 200), spool.count(3, 200));
  EXPECT_EQ(sorted(records_of(spool)), sorted(keys));
}

// Few records lie in one list, more in bins: nobody sees which, nor how a spool came to it.
TEST(Spool, OneListAndBinsReadAlike) {
  for (const std::uint64_t n : {1, 255, 4095, 4096, 4097, 5000}) {
    const auto keys = digests(n, 7);
    const std::span all(keys);
    digest_spool front = spooled(all.first(n / 2)), back = spooled(all.subspan(n / 2));
    front.append(std::move(back));
    const digest_spool straight = spooled(keys);
    digest_spool large = spooled(digests(6000, 8));
    large.append(spooled(keys));
    for (const digest_spool* made : {&straight, static_cast<const digest_spool*>(&front)}) {
      const digest_spool& spool = *made;
      EXPECT_EQ(spool.size(), n);
      std::uint64_t total = 0;
      for (std::size_t bin = 0; bin < digest_spool::bins; ++bin) {
        const auto in_bin = records_of(spool, bin, bin + 1);
        EXPECT_EQ(spool.count(bin, bin + 1), in_bin.size());
        for (const digest& d : in_bin) ASSERT_EQ(d.hi >> 56, bin);
        EXPECT_EQ(sorted(in_bin), spool.sorted_bin(bin));
        total += in_bin.size();
      }
      EXPECT_EQ(total, n);
      EXPECT_EQ(sorted(records_of(spool)), sorted(keys));
      EXPECT_EQ(records_of(spool.distinct(3)), sorted(keys));
    }
    auto both = digests(6000, 8);
    both.insert(both.end(), keys.begin(), keys.end());
    EXPECT_EQ(sorted(records_of(large)), sorted(both));
  }
}

// No value of a digest means "nothing here".
TEST(Spool, KeepsZerosAndOnes) {
  constexpr std::uint64_t ones = std::numeric_limits<std::uint64_t>::max();
  const std::vector<digest> keys = {{0, 0}, {0, 1}, {ones, ones}, {ones, 0}, {0, ones}};
  const auto spool = spooled(keys);
  EXPECT_EQ(sorted(records_of(spool)), sorted(keys));
  EXPECT_EQ(spool.count(0, 1), 3U);
  EXPECT_EQ(spool.count(255, 256), 2U);
}

TEST(Spool, JoinsSeveralWriters) {
  const auto keys = digests(30'000, 2);
  digest_spool all;
  for (int writer = 0; writer < 4; ++writer) {
    digest_spool part;
    for (std::size_t i = static_cast<std::size_t>(writer); i < keys.size(); i += 4)
      part.add(keys[i]);
    all.append(std::move(part));
    // NOLINT: what is left is an empty spool, ready to be written again
    EXPECT_EQ(part.size(), 0U);
    EXPECT_EQ(all.count(0, digest_spool::bins), all.size());
  }
  EXPECT_EQ(sorted(records_of(all)), sorted(keys));
}

TEST(Spool, AWriterMayGoOnAfterJoining) {
  const auto keys = digests(9000, 3);
  const std::span all(keys);
  digest_spool a, b;
  a.add(all.first(1000));
  b.add(all.subspan(1000, 3000));
  a.append(std::move(b));
  a.add(all.subspan(4000, 2000));
  b.add(all.subspan(6000, 3000));  // NOLINT
  EXPECT_EQ(b.size(), 3000U);
  a.append(std::move(b));
  a.append(digest_spool());
  EXPECT_EQ(a.size(), keys.size());
  EXPECT_EQ(a.count(0, digest_spool::bins), keys.size());
  EXPECT_EQ(sorted(records_of(a)), sorted(keys));
}

TEST(Spool, DistinctIsInOrderAndDropsRepeats) {
  const auto keys = digests(20'000, 4);
  digest_spool spool;
  for (int copy = 0; copy < 3; ++copy) spool.add(keys);
  for (const unsigned threads : {1U, 2U, 7U, 256U, 1000U}) {
    const auto once = spool.distinct(threads);
    EXPECT_EQ(once.size(), keys.size());
    EXPECT_EQ(records_of(once), sorted(keys)) << threads << " threads";
  }
  EXPECT_EQ(spool.size(), 3 * keys.size());
}

TEST(Spool, DistinctTakesNoThreadsForOne) {
  const auto ended =
      in_child(3, [] { return spooled(digests(100, 1)).distinct(0).size() == 100 ? 0 : 1; });
  EXPECT_EQ(ended, success) << "distinct(0) failed, or never came back";
}

TEST(Spool, DistinctOfPairs) {
  auto all = pairs(5000, 8, 5);
  auto spool = spooled(all);
  spool.add(std::span(all).first(777));
  const auto once = spool.distinct();
  EXPECT_EQ(once.size(), 5000U);
  std::sort(all.begin(), all.end());
  std::size_t i = 0;
  once.for_each(0, pair_spool::bins, [&](std::span<const valued> block) {
    for (const auto& v : block) ASSERT_EQ(v, all[i++]);
  });
}

TEST(Spool, OneKeyWithTwoValuesIsAConflict) {
  auto spool = spooled(pairs(5000, 8, 6));
  const digest twice = digest_of(1234, 6);
  const std::uint64_t had = value_for(twice, 8), given = had ^ 0x55;
  spool.add(valued{twice, given});
  try {
    (void)spool.distinct(2);
    FAIL() << "expected a conflict";
  } catch (const umbel::core::digest_conflict& clash) {
    EXPECT_EQ(clash.key, twice);
    EXPECT_EQ(std::minmax(clash.first, clash.second), std::minmax(had, given));
    EXPECT_THAT(clash.what(), testing::HasSubstr(std::to_string(had)));
    EXPECT_THAT(clash.what(), testing::HasSubstr(std::to_string(given)));
  }
}

RC_GTEST_PROP(Spool, IsAMultisetOfWhatWasAdded,
              (const std::vector<std::pair<std::uint64_t, std::uint8_t>>& given)) {
  std::vector<digest> keys;
  for (const auto& [hi, lo] : given) keys.push_back({hi << 60 | hi, lo});
  const auto spool = spooled(keys);
  RC_ASSERT(spool.size() == keys.size());
  RC_ASSERT(sorted(records_of(spool)) == sorted(keys));
  auto once = sorted(keys);
  once.erase(std::unique(once.begin(), once.end()), once.end());
  RC_ASSERT(records_of(spool.distinct()) == once);
}

}  // namespace
}  // namespace spool_test
