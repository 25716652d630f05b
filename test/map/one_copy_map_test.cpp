// one_copy_map_test.cpp - memory-optimized Bloom filter [AW08] in both readings: one bit per key,
// and one copy of each record.
#include <umbel/map/one_copy_map.hpp>

#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/sizing/bloom.hpp>

#include "support/environment.hpp"
#include "support/gate.hpp"
#include "support/keys.hpp"

namespace umbel::test::one_copy_map_test {
namespace {

template <class Index>
core::probes<Index, cells::bits> filled(const Index& at, const std::vector<digest>& keys) {
  core::probes<Index, cells::bits> out(at);
  for (const digest& d : keys) out.insert(d);
  return out;
}
template <class Filter>
std::uint64_t hits(const Filter& filter, std::uint64_t count, std::uint64_t seed) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < count; ++i)
    sum += filter.may_contain(digest_of(non_member_number(i, seed)));
  return sum;
}

// One bit per key at one of k addresses: the same distribution as one probe.
TEST(OneBit, IsAFilterWithOneProbe) {
  const std::uint64_t n = 20'000, asked = small_or(50'000, 500'000);
  for (const double bits_per_key : {1.0, 2.0, 8.0})
    for (const unsigned probes : {1U, 5U}) {
      const auto m = static_cast<std::uint64_t>(bits_per_key * static_cast<double>(n));
      const core::one_of_k at(core::k_probes(m, probes));
      const auto keys = members(n, 870);
      const auto one = filled(at, keys);
      const auto plain = filled(core::k_probes(m, 1), keys);
      const double rate = sizing::bloom_fpr(n, m, 1);
      EXPECT_NEAR(rate,
                  -std::expm1(static_cast<double>(n) * std::log1p(-1 / static_cast<double>(m))),
                  1e-4 * rate);
      EXPECT_TRUE(binomial_gate(hits(one, asked, 870), asked, rate));
      EXPECT_TRUE(binomial_gate(hits(plain, asked, 870), asked, rate));
      for (const digest& d : keys) ASSERT_TRUE(one.may_contain(d));
      if (probes == 1) {
        EXPECT_EQ(one.cells(), plain.cells()) << "of one address there is but one to pick";
      }
    }
}
TEST(OneBit, PicksEachAddressEquallyOften) {
  const core::one_of_k at(core::k_probes(100'000, 7));
  std::vector<std::uint64_t> seen(7);
  for (const digest& d : members(70'000, 871)) {
    ++seen[at.number(d)];
    unsigned i = 0;
    std::uint64_t expected = 0;
    core::each_of(at.all(), at.all().start(d), [&](std::uint64_t cell) {
      if (i++ == at.number(d)) expected = cell;
    });
    ASSERT_EQ(at.cell(d), expected);
  }
  for (const std::uint64_t count : seen) EXPECT_TRUE(binomial_gate(count, 70'000, 1.0 / 7, 0));
}
// Where one probe is best: below about two bits per key.
TEST(OneBit, IsBestForVeryFewBitsAlone) {
  const auto rate = [](double c, unsigned k) { return sizing::bloom_fpr_asymptotic(1, c, k); };
  EXPECT_LT(rate(2.07, 1), rate(2.07, 2));
  EXPECT_GT(rate(2.09, 1), rate(2.09, 2));
}

TEST(OneCopy, AnswersExactly) {
  one_copy_map<std::string, std::string> map({.keys = 2000, .fpr = 0.05});
  std::map<std::string, std::string> model;
  std::mt19937_64 random(872);
  for (int step = 0; step < 6000; ++step) {
    const std::string key = "key " + std::to_string(random() % 2500), record = std::to_string(step);
    EXPECT_EQ(map.insert(key, record), !model.contains(key));
    model[key] = record;
  }
  EXPECT_EQ(map.keys(), model.size());
  for (int i = 0; i < 10'000; ++i) {
    const std::string key = "key " + std::to_string(i);
    const auto known = model.find(key);
    const std::string* const found = map.find(key);
    ASSERT_EQ(found != nullptr, known != model.end()) << key;
    if (found != nullptr) {
      ASSERT_EQ(*found, known->second);
    }
  }
}
TEST(OneCopy, StoresEveryRecordOnceAndReadsOneBucket) {
  const std::uint64_t n = 20'000;
  one_copy_map<std::uint64_t, int> map({.keys = n, .fpr = 0.01});
  for (const std::uint64_t k : member_keys(n, 873)) map.insert(k, 1);
  EXPECT_EQ(map.keys(), n) << "not k times as many";
  EXPECT_EQ(map.probes(), 7U);
  double looked = 0;
  std::uint64_t asked = 0;
  const std::uint64_t non_members = small_or(20'000, 200'000);
  for (const std::uint64_t k : non_member_keys(non_members, 873)) {
    ASSERT_EQ(map.find(k), nullptr);
    asked += map.may_contain(k);
    looked += static_cast<double>(map.bucket_length(k));
  }
  EXPECT_TRUE(binomial_gate(asked, non_members, 0.01));
  const double mean = static_cast<double>(n) / static_cast<double>(map.cells());
  EXPECT_NEAR(looked / static_cast<double>(non_members), mean, 0.05 * mean);
}

}  // namespace
}  // namespace umbel::test::one_copy_map_test
