// fuse_rate_test.cpp - non-members pass by luck only: once in 2^q, for random digests and for the
// most regular of keys.
#include <numeric>

#include <gtest/gtest.h>

#include <umbel/set/binary_fuse_filter.hpp>

#include "support/fuse_keys.hpp"
#include "support/gate.hpp"

namespace fuse_rate_test {
namespace {

using namespace fuse_test;
using umbel::binary_fuse_filter;
using umbel::test::binomial_gate;
using umbel::test::exact_model;

// Enough non-members for 600 expected hits: then 5 sigmas are a fifth of the rate.
std::uint64_t non_members_for(unsigned width) {
  return std::max<std::uint64_t>(100'000, 600ULL << width);
}

template <class KeyAt>
std::uint64_t hits(const binary_fuse_filter& filter, std::uint64_t count, KeyAt&& key_at) {
  constexpr std::size_t chunk = 4096;
  std::vector<decltype(key_at(std::uint64_t{0}))> keys(chunk);
  bool answers[chunk];
  std::uint64_t sum = 0;
  for (std::uint64_t first = 0; first < count; first += chunk) {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(chunk, count - first));
    for (std::size_t i = 0; i < size; ++i) keys[i] = key_at(first + i);
    filter.may_contain_batch(std::span(keys).first(size), answers);
    sum += static_cast<std::uint64_t>(std::count(answers, answers + size, true));
  }
  return sum;
}

class FuseRate : public testing::TestWithParam<unsigned> {};

TEST_P(FuseRate, OfRandomDigests) {
  const unsigned width = GetParam();
  const auto filter =
      binary_fuse_filter::build(digests(20'000, 1), {.fpr = std::exp2(-double(width))});
  ASSERT_EQ(filter.engine().width(), width);
  ASSERT_EQ(hits(filter, 20'000, [](std::uint64_t i) { return digest_of(i, 1); }), 20'000U);
  const auto count = non_members_for(width);
  EXPECT_TRUE(binomial_gate(hits(filter, count, [](std::uint64_t i) { return digest_of(i, 2); }),
                            count, filter.expected_fpr(), exact_model));
}

TEST_P(FuseRate, OfConsecutiveIntegers) {
  const unsigned width = GetParam();
  std::vector<std::uint64_t> members(30'000);
  std::iota(members.begin(), members.end(), 0);
  for (const std::uint64_t seed : {0U, 7U}) {
    const auto filter = binary_fuse_filter::build(
        members, {.fpr = std::exp2(-double(width)), .hash = umbel::hasher::seeded(seed)});
    const auto count = non_members_for(width);
    EXPECT_TRUE(binomial_gate(hits(filter, count, [](std::uint64_t i) { return i + 30'000; }),
                              count, filter.expected_fpr(), exact_model));
  }
}

TEST_P(FuseRate, AcrossShards) {
  const unsigned width = GetParam();
  const auto filter = binary_fuse_filter::build(
      digests(50'000, 3), {.fpr = std::exp2(-double(width)), .shard_from = 2000});
  ASSERT_EQ(hits(filter, 50'000, [](std::uint64_t i) { return digest_of(i, 3); }), 50'000U);
  const auto count = non_members_for(width);
  EXPECT_TRUE(binomial_gate(hits(filter, count, [](std::uint64_t i) { return digest_of(i, 4); }),
                            count, filter.expected_fpr(), exact_model));
}

INSTANTIATE_TEST_SUITE_P(Widths, FuseRate, testing::Values(1U, 2U, 4U, 7U, 8U, 9U, 12U, 16U),
                         testing::PrintToStringParamName());

// Sets of a few keys have few cells in use: most are zero, and so are many answers. Tags must not
// be.
TEST(FuseRateMore, OfTinySets) {
  for (const std::uint64_t n : {1U, 2U, 3U, 10U, 100U}) {
    std::uint64_t sum = 0;
    constexpr std::uint64_t each = 20'000, builds = 50;
    for (std::uint64_t seed = 0; seed < builds; ++seed) {
      const auto filter = binary_fuse_filter::build(digests(n, 10 + seed), {.fpr = 1.0 / 256});
      sum += hits(filter, each, [&](std::uint64_t i) { return digest_of(i, 1000 + seed); });
    }
    EXPECT_TRUE(binomial_gate(sum, each * builds, 1.0 / 256, exact_model)) << n << " keys";
  }
}

}  // namespace
}  // namespace fuse_rate_test
