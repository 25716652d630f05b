// pollution_test.cpp - pollution (attack A2): inserts chosen so that each sets only clear bits.
// Shows      Unkeyed, a Bloom filter planned for 1 % reaches fill 0.730 and 11.1 % at capacity, and
//            split blocks degrade in the same way. Keyed, the same choice of keys leaves fill and
//            rate as planned.
#include <cmath>

#include <gtest/gtest.h>

#include "support/adversary.hpp"

namespace umbel::pollution_test {
namespace {

using statistics::binomial_gate;
using statistics::passed;
using support::attackers_copy;

constexpr std::uint64_t keys = 1000;
constexpr double eps = 0.01;

template <class Filter>
std::vector<std::uint64_t> chosen_keys(const hasher& belief) {
  const auto plan = Filter::plan({.keys = keys, .fpr = eps});
  attackers_copy<Filter> copy({.keys = keys, .fpr = eps}, belief);
  std::vector<std::uint64_t> out;
  for (std::uint64_t candidate = 0; out.size() < keys; ++candidate)
    if (copy.insert_if_all_fresh(candidate, plan.probes)) out.push_back(candidate);
  return out;
}

double share_of_ones(const auto& filter) {
  return static_cast<double>(support::ones_of(support::words_of(filter))) /
         static_cast<double>(filter.size_in_bits());
}

TEST(Pollution, OfAnUnkeyedBloomFilter) {
  bloom_filter victim({.keys = keys, .fpr = eps});
  (void)victim.insert_batch(chosen_keys<bloom_filter>(hasher()));
  // Every key sets k clear bits, so the fill is exactly kn/m; ordinary inserts would have stopped
  // at one half.
  const auto plan = bloom_filter::plan({.keys = keys, .fpr = eps});
  EXPECT_DOUBLE_EQ(victim.fill(),
                   static_cast<double>(keys * plan.probes) / static_cast<double>(plan.bits));
  EXPECT_NEAR(victim.fill(), 0.730, 0.003);
  const std::uint64_t hits = passed(victim, 100'000);
  EXPECT_TRUE(binomial_gate(hits, 100'000, std::pow(victim.fill(), plan.probes)));
  EXPECT_TRUE(binomial_gate(hits, 100'000, 0.111, 0.03)) << "eleven times what was promised";
}

// Eight clear bits per key in lanes of 32: the same fill as in a filter without blocks, and no
// unevenness.
TEST(Pollution, OfAnUnkeyedSplitBlockFilter) {
  split_block_bloom_filter victim({.keys = keys, .fpr = eps});
  (void)victim.insert_batch(chosen_keys<split_block_bloom_filter>(hasher()));
  EXPECT_DOUBLE_EQ(share_of_ones(victim), 8.0 * keys / static_cast<double>(victim.size_in_bits()));
  const std::uint64_t hits = passed(victim, 100'000);
  EXPECT_TRUE(binomial_gate(hits, 100'000, victim.expected_fpr()));
  EXPECT_GT(hits, 5 * eps * 100'000) << "the attack should work";
}

// The attacker can only assume the unkeyed hash, or a key of his own: the keys he chooses are then
// as good as random.
TEST(Pollution, OfAKeyedBloomFilterDoesNothing) {
  const auto plan = bloom_filter::plan({.keys = keys, .fpr = eps});
  const auto m = static_cast<double>(plan.bits);
  for (const hasher& belief : {hasher(), hasher::keyed({1, 2, 3})}) {
    bloom_filter victim({.keys = keys, .fpr = eps, .hash = hasher::keyed(support::victims_secret)});
    (void)victim.insert_batch(chosen_keys<bloom_filter>(belief));
    const double sigma = std::sqrt(sizing::bloom_variance_of_zeros(keys, m, plan.probes));
    EXPECT_TRUE(statistics::within(m * (1 - victim.fill()),
                                   sizing::bloom_expected_zeros(keys, m, plan.probes), sigma, 6));
    EXPECT_TRUE(
        binomial_gate(passed(victim, 1'000'000), 1'000'000, std::pow(victim.fill(), plan.probes)));
    EXPECT_LT(victim.expected_fpr(), 1.25 * eps)
        << "6 sigmas of the fill are a quarter of the rate";
  }
}

TEST(Pollution, OfAKeyedSplitBlockFilterDoesNothing) {
  split_block_bloom_filter victim(
      {.keys = keys, .fpr = eps, .hash = hasher::keyed(support::victims_secret)});
  (void)victim.insert_batch(chosen_keys<split_block_bloom_filter>(hasher()));
  EXPECT_TRUE(binomial_gate(passed(victim, 1'000'000), 1'000'000, victim.expected_fpr()));
  EXPECT_LT(victim.expected_fpr(), 1.5 * eps);
}

}  // namespace
}  // namespace umbel::pollution_test
