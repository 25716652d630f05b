// banked_bloom_filter_test.cpp - banked Bloom filter [BLB08]: its rate, sizes, folds and
// cardinality. Bounds as in bloom_rate_test.cpp.
#include <umbel/set/banked_bloom_filter.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "support/filter_bits.hpp"
#include "support/statistics_gate.hpp"

namespace umbel::banked_bloom_filter_test {
namespace {

using statistics::binomial_gate;
using statistics::members;
using statistics::passed;
using support::words_of;

// (1 - (1 - k/m)^n)^k, planned and measured.
TEST(BankedBloomFilter, RateIsItsFormula) {
  for (const std::uint64_t bits_per_key : {8U, 10U, 16U})
    for (const std::uint64_t banks : {0U, 64U}) {
      constexpr std::uint64_t n = 20'000, trials = 400'000;
      const banked_options options{.keys = n, .bits = bits_per_key * n, .banks = banks};
      const auto plan = banked_bloom_filter::plan(options);
      const auto m = static_cast<double>(plan.bits);
      EXPECT_NEAR(plan.fpr, std::pow(1 - std::pow(1 - plan.probes / m, n), plan.probes), 1e-9);
      banked_bloom_filter filter(options);
      (void)filter.insert_batch(members(n));
      const std::uint64_t hits = passed(filter, trials);
      EXPECT_TRUE(binomial_gate(hits, trials, std::pow(filter.fill(), filter.probes())))
          << "given the fill";
      EXPECT_TRUE(binomial_gate(hits, trials, plan.fpr, 0.06))
          << "one filter's fill: 5 deviations of 1.2 %";
      for (const auto key : members(n)) ASSERT_TRUE(filter.may_contain(key));
    }
}

// Many small filters: here the difference from a plain filter shows, and no model error is allowed.
TEST(BankedBloomFilter, SmallFilters) {
  constexpr std::uint64_t m = 256, n = 24, filters = 1000, non_members = 2000;
  constexpr unsigned k = 8;
  std::uint64_t hits = 0;
  double rates = 0, fill = 0;
  for (std::uint64_t f = 0; f < filters; ++f) {
    banked_bloom_filter filter({.keys = n, .bits = m, .probes = k, .hash = hasher::seeded(f)});
    ASSERT_EQ(filter.size_in_bits(), m);
    (void)filter.insert_batch(members(n, f));
    hits += passed(filter, non_members, f);
    double rate = 1;  // one probe in every bank: as many banks as probes
    for (const std::uint64_t word : words_of(filter))
      rate *= std::popcount(word & 0xFFFFFFFF) / 32.0 * (std::popcount(word >> 32) / 32.0);
    rates += rate / filters;
    fill += filter.fill() / filters;
  }
  EXPECT_TRUE(binomial_gate(hits, filters * non_members, rates, 0));
  // A bit stays clear with probability (1 - k/m)^n. The deviation over all filters is below
  // sqrt(1/4 / (m filters)).
  EXPECT_TRUE(statistics::within(fill, 1 - std::pow(1 - double{k} / m, n),
                                 std::sqrt(0.25 / (m * filters))));
}

TEST(BankedBloomFilter, SizesAreWholeBanks) {
  const auto plan = banked_bloom_filter::plan({.keys = 100, .bits = 1001, .probes = 5});
  EXPECT_EQ(plan.bits, 1000U) << "eight banks of 125";
  EXPECT_EQ(banked_bloom_filter::plan({.keys = 100, .bits = 1001, .probes = 5, .banks = 64}).bits,
            960U);
  for (const double fpr : {0.1, 0.01, 1e-5}) {
    const auto grown = banked_bloom_filter::plan({.keys = 3000, .fpr = fpr});
    EXPECT_LE(grown.fpr, fpr);
    EXPECT_EQ(grown.bits % std::bit_ceil(grown.probes), 0U);
    const auto room = banked_bloom_filter::plan({.fpr = fpr, .bits = grown.bits});
    EXPECT_LE(room.fpr, fpr);
    EXPECT_GE(room.keys, 2900U);
  }
}

TEST(BankedBloomFilter, RefusesWrongBanks) {
  for (const std::uint64_t banks : {3U, 4U, 8192U})
    EXPECT_THROW(
        (void)banked_bloom_filter::plan({.keys = 10, .bits = 1000, .probes = 5, .banks = banks}),
        bad_parameter)
        << banks;
  EXPECT_THROW((void)banked_bloom_filter::plan({.keys = 10, .bits = 1000, .probes = 1025}),
               bad_parameter);
}

TEST(BankedBloomFilter, EveryFoldIsTheFilterBuiltThatSmall) {
  banked_bloom_filter filter({.keys = 100, .bits = 8 * 96, .probes = 5});
  (void)filter.insert_batch(members(100));
  for (std::uint64_t bits = 8 * 48; bits >= std::uint64_t{8} * 3; bits /= 2) {
    filter.fold();
    banked_bloom_filter small({.keys = 100, .bits = bits, .probes = 5});
    (void)small.insert_batch(members(100));
    EXPECT_EQ(filter, small) << bits;
  }
  const auto before = filter;
  try {
    filter.fold();
    ADD_FAILURE() << "three bits in a bank";
  } catch (const bad_parameter& refused) {
    EXPECT_EQ(std::string(refused.what()),
              "cannot halve banks of 3 bits: the number of bits in each must be even");
  }
  EXPECT_EQ(filter, before);
}

// Bound: 5 of the filters' own standard errors, over 8 filters; at small sizes too.
TEST(BankedBloomFilter, Cardinality) {
  for (const auto& [bits, n] : {std::pair{65'536U, 6'000U}, std::pair{256U, 20U}}) {
    double sum = 0, variance = 0;
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      banked_bloom_filter filter({.keys = n, .bits = bits, .probes = 7});
      EXPECT_EQ(filter.cardinality().value, 0);
      (void)filter.insert_batch(members(n, seed));
      sum += filter.cardinality().value;
      variance += filter.cardinality().standard_error * filter.cardinality().standard_error;
    }
    EXPECT_TRUE(statistics::within(sum, 8.0 * n, std::sqrt(variance))) << bits;
  }
  banked_bloom_filter a({.keys = 30, .bits = 256, .probes = 8}), b = a;
  (void)a.insert_batch(members(30));
  (void)b.insert_batch(members(40));
  const overlap both = a.overlap_with(b);
  EXPECT_NEAR(both.common_raw, both.first.value + both.second.value - both.either.value, 1e-9);
}

TEST(BankedBloomFilter, MergesOnlyWithFiltersOfTheSameShape) {
  banked_bloom_filter a({.keys = 9, .bits = 1024, .probes = 5}),
      b({.keys = 9, .bits = 1024, .probes = 5, .banks = 16});
  try {
    a.merge(b);
    ADD_FAILURE() << "8 banks and 16";
  } catch (const incompatible& refused) {
    EXPECT_EQ(std::string(refused.what()),
              "these filters differ in shape: 1024 bits, 5 probes, 8 banks against 1024 bits, 5 "
              "probes, 16 banks; "
              "build both with the same options");
  }
}

}  // namespace
}  // namespace umbel::banked_bloom_filter_test
