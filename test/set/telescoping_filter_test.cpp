// telescoping_filter_test.cpp - false positives are unlearned, and no key with them.
// Source     Sheet 03 section 13: on 10^6 Zipf(1) queries over 10^5 strangers, false positives fall by more than 5.
#include <umbel/set/telescoping_filter.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <unordered_map>
#include <vector>

#include <gtest/gtest.h>

#include "support/statistics_gate.hpp"

namespace umbel::telescoping_filter_test {
namespace {

using statistics::binomial_gate;
using statistics::members;
using statistics::passed;
using statistics::stranger;

// The keys themselves, filed by home.
struct shelf {
  explicit shelf(const telescoping_filter& of) : filter(of) {}
  void add(std::uint64_t key) { homes[filter.home(key)].push_back(filter.hash()(key)); }
  void drop(std::uint64_t key) {
    auto& at = homes[filter.home(key)];
    at.erase(std::find(at.begin(), at.end(), filter.hash()(key)));
  }
  template <class Visit>
  void operator()(std::uint64_t home, Visit&& visit) const {
    if (const auto found = homes.find(home); found != homes.end())
      for (const digest d : found->second) visit(d);
  }
  const telescoping_filter& filter;
  std::unordered_map<std::uint64_t, std::vector<digest>> homes;
};

struct filled {
  explicit filled(std::uint64_t n, double fpr) : keys(members(n)), filter({.keys = n, .fpr = fpr}), store(filter) {
    EXPECT_EQ(filter.insert_batch(keys), n);
    for (const auto key : keys) store.add(key);
  }
  std::vector<std::uint64_t> keys;
  telescoping_filter filter;
  shelf store;
};

TEST(TelescopingFilter, WhatWasReportedDoesNotPassAgain) {
  filled f(20'000, 0.02);
  std::uint64_t reported = 0;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    if (!f.filter.may_contain(stranger(i))) continue;
    EXPECT_GT(f.filter.adapt(stranger(i), f.store), 0U);
    EXPECT_FALSE(f.filter.may_contain(stranger(i)));
    ++reported;
  }
  EXPECT_GT(reported, 200U);
  for (const auto key : f.keys) ASSERT_TRUE(f.filter.may_contain(key));
}

// A filter that has unlearned much errs on new strangers as often as one that has not.
TEST(TelescopingFilter, FreshStrangersPassAsBefore) {
  filled f(50'000, 0.02);
  const double rate = sizing::quotient_fpr(50'000, f.filter.slots(), f.filter.width());
  EXPECT_TRUE(binomial_gate(passed(f.filter, 400'000, 1), 400'000, rate));
  for (std::uint64_t i = 0; i < 200'000; ++i)
    if (f.filter.may_contain(stranger(i, 2))) (void)f.filter.adapt(stranger(i, 2), f.store);
  EXPECT_TRUE(binomial_gate(passed(f.filter, 400'000, 3), 400'000, rate));
  for (const auto key : f.keys) ASSERT_TRUE(f.filter.may_contain(key));
}

TEST(TelescopingFilter, PopularStrangersPassOnce) {
  filled f(50'000, 1.0 / 256);
  const telescoping_filter still = f.filter;
  constexpr std::uint64_t strangers = 100'000, queries = 1'000'000;
  std::vector<double> weights(strangers);
  for (std::uint64_t i = 0; i < strangers; ++i) weights[i] = 1 / static_cast<double>(i + 1);
  std::discrete_distribution<std::uint64_t> zipf(weights.begin(), weights.end());
  double adapted = 0, plain = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {  // which of the first strangers pass is chance: three lists of them
    std::mt19937_64 random(seed);
    for (std::uint64_t i = 0; i < queries; ++i) {
      const std::uint64_t key = stranger(zipf(random), seed);
      plain += still.may_contain(key);
      if (!f.filter.may_contain(key)) continue;
      ++adapted;
      (void)f.filter.adapt(key, f.store);
    }
  }
  EXPECT_GT(plain, 5 * adapted) << plain / 3e6 << " per query against " << adapted / 3e6;
  for (const auto key : f.keys) ASSERT_TRUE(f.filter.may_contain(key));
}

TEST(TelescopingFilter, ErasesWithTheStoreHarmNobody) {
  filled f(5'000, 0.2);
  std::mt19937_64 random(4);
  std::vector<std::uint64_t> in = f.keys;
  for (int step = 0; step < 20'000; ++step) {
    if (random() % 2 == 0) {
      if (const auto key = stranger(random() % 5'000); f.filter.may_contain(key)) (void)f.filter.adapt(key, f.store);
    } else if (in.size() > 1000 && random() % 4 == 0) {
      std::swap(in[random() % in.size()], in.back());
      ASSERT_TRUE(f.filter.erase(in.back(), f.store)) << step;
      f.store.drop(in.back());
      in.pop_back();
    }
    ASSERT_TRUE(f.filter.may_contain(in[random() % in.size()])) << step;
  }
  for (const auto key : in) ASSERT_TRUE(f.filter.may_contain(key));
}

}  // namespace
}  // namespace umbel::telescoping_filter_test
