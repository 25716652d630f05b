// memory_test.cpp - peak memory of static builds per key, beyond input and result.
// Bounds     24 to 40 bytes per key of the shards being solved; the input takes 16 bytes per key as
//            digests in a spool, 24 as pairs.
#include <gtest/gtest.h>

#include <umbel/map/binary_fuse_map.hpp>
#include <umbel/set/binary_fuse_filter.hpp>

#include "support/fuse_keys.hpp"
#include "support/fuse_memory.hpp"

namespace memory_test {
namespace {

using namespace fuse_test;
using umbel::test::in_child;
using umbel::test::success;

constexpr std::uint64_t keys = 1'000'000;
constexpr double most = 40;  // bytes per key

template <class Prepare, class Work>
double per_key(Prepare&& prepare, Work&& work) {
  const auto peak = peak_bytes(prepare, work);
  EXPECT_TRUE(peak.has_value()) << "the child failed";
  return static_cast<double>(peak.value_or(0)) / static_cast<double>(keys);
}
digest_spool keys_in_a_spool() {
  digest_spool out;
  for (std::uint64_t i = 0; i < keys; ++i) out.add(digest_of(i, 1));
  return out;
}
pair_spool pairs_in_a_spool(unsigned bits) {
  pair_spool out;
  for (std::uint64_t i = 0; i < keys; ++i)
    out.add(valued{digest_of(i, 1), value_for(digest_of(i, 1), bits)});
  return out;
}

class BuildMemory : public testing::Test {
 protected:
  void SetUp() override {
    if (sanitized) GTEST_SKIP() << "sanitizers have memory of their own";
  }
};

TEST_F(BuildMemory, OfAFuseFilterFromASpool) {
  const double bytes = per_key(keys_in_a_spool, [](const digest_spool& spool) {
    return umbel::binary_fuse_filter::build(spool, {.fpr = 1.0 / 256}).size_in_bits() / 8;
  });
  RecordProperty("bytes_per_key", std::to_string(bytes));
  EXPECT_LE(bytes, most);
}

// They are hashed where they lie: only rows and cells take memory, 8 bytes each.
TEST_F(BuildMemory, OfAFuseFilterFromKeys) {
  const auto prepare = [] {
    std::vector<std::uint64_t> out(keys);
    for (std::uint64_t i = 0; i < keys; ++i) out[i] = i;
    return out;
  };
  const double bytes = per_key(prepare, [](const std::vector<std::uint64_t>& all) {
    return umbel::binary_fuse_filter::build(all, {.fpr = 1.0 / 256}).size_in_bits() / 8;
  });
  RecordProperty("bytes_per_key", std::to_string(bytes));
  EXPECT_LE(bytes, 20);
}

TEST_F(BuildMemory, OfAFuseFilterOfManyShards) {
  for (const unsigned threads : {1U, 2U}) {
    const double bytes = per_key(keys_in_a_spool, [=](const digest_spool& spool) {
      const auto filter = umbel::binary_fuse_filter::build(
          spool, {.fpr = 1.0 / 256, .threads = threads, .shard_from = 100'000});
      return filter.size_in_bits() / 8;
    });
    RecordProperty("bytes_per_key_" + std::to_string(threads), std::to_string(bytes));
    EXPECT_LE(bytes, 8) << threads << " threads: only the shards in work take memory";
  }
}

TEST_F(BuildMemory, OfAFuseMap) {
  for (const unsigned bits : {8U, 30U}) {  // the second does not fit beside its place in one word
    const double bytes = per_key([=] { return pairs_in_a_spool(bits); },
                                 [=](const pair_spool& spool) {
      return umbel::binary_fuse_map::build(spool, {.value_bits = bits}).size_in_bits() / 8;
    });
    RecordProperty("bytes_per_key_" + std::to_string(bits), std::to_string(bytes));
    EXPECT_LE(bytes, most) << bits << " value bits";
  }
}

// Once its result is destroyed, a build leaves almost no memory in use.
TEST_F(BuildMemory, IsGivenBack) {
  const auto ended = in_child(60, [] {
    const auto spool = keys_in_a_spool();
    ::malloc_trim(0);
    const auto before = status_bytes("VmRSS");
    (void)umbel::binary_fuse_filter::build(spool, {.fpr = 1.0 / 256});
    ::malloc_trim(0);
    const auto after = status_bytes("VmRSS");
    return after <= before + (std::uint64_t{2} << 20) ? 0 : 1;
  });
  EXPECT_EQ(ended, success) << "more than 2 MiB are still held after the build";
}

}  // namespace
}  // namespace memory_test
