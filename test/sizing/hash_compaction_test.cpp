// hash_compaction_test.cpp - rate of hash compaction [WL93] in an ordered table [AK74] against
// simulated tables, and its plans.
#include <umbel/sizing/hash_compaction.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace umbel::sizing::hash_compaction_test {
namespace {

// Layers from the largest fingerprint down, by definition: each key goes to the first slot from its
// home slot that no larger one occupies; keys with equal fingerprints there share it. The rate of a
// search is counted home slot by home slot.
double rate_of_a_table(std::uint64_t n, std::uint64_t m, unsigned values, std::mt19937_64& random) {
  std::vector<std::vector<std::uint64_t>> homes(values);
  for (std::uint64_t i = 0; i < n; ++i) {
    const auto v = random() % values;
    homes[v].push_back(random() % m);
  }
  std::vector<char> taken(m), mine(m);
  std::vector<std::uint64_t> end(m);
  std::uint64_t accepted = 0;
  for (const auto& layer : homes) {
    auto free =
        static_cast<std::uint64_t>(std::find(taken.begin(), taken.end(), 0) - taken.begin());
    for (std::uint64_t h = m; h-- > 0; end[h] = free)
      if (!taken[h]) free = h;
    std::fill(mine.begin(), mine.end(), 0);
    for (const auto h : layer) mine[end[h]] = 1;
    for (const auto slot : end) accepted += mine[slot] != 0;
    for (std::uint64_t h = 0; h < m; ++h)
      if (mine[h]) taken[h] = 1;
  }
  return static_cast<double>(accepted) / (static_cast<double>(m) * values);
}

// The mean over tables, within five standard deviations as measured; the fitted term is within 1 %
// where it is used.
TEST(HashCompaction, RateMatchesSimulatedTables) {
  std::mt19937_64 random(1);
  struct shape {
    std::uint64_t n, m;
    unsigned r;
  };
  for (const auto [n, m, r] : {shape{3000, 5000, 1}, shape{3000, 5000, 2}, shape{4000, 5000, 3},
                               shape{4250, 5000, 5}, shape{4000, 5000, 6}, shape{850, 1000, 7},
                               shape{90, 100, 7}, shape{85, 100, 4}, shape{10, 12, 6}}) {
    double sum = 0, squares = 0;
    const int rounds = 300;
    for (int i = 0; i < rounds; ++i) {
      const double rate = rate_of_a_table(n, m, (1U << r) - 1, random);
      sum += rate;
      squares += rate * rate;
    }
    const double mean = sum / rounds,
                 deviation = std::sqrt((squares / rounds - mean * mean) / rounds);
    // Small tables: only the first term depends on their number of slots.
    const double model = m < 1000 ? 0.05 : 0.01;
    EXPECT_NEAR(compaction_fpr(n, m, r), mean, 5 * deviation + model * mean)
        << n << " " << m << " " << r;
  }
}

TEST(HashCompaction, ClosedFormAndLayersAgree) {
  for (const unsigned r : {6U, 7U, 8U})
    for (const double a : {0.1, 0.5, 0.7, 0.8, 0.85}) {
      const double exact = compaction_fpr_by_layers(a, (1U << r) - 1);
      const std::uint64_t m = 1'000'000'000;
      const auto n = static_cast<std::uint64_t>(a * static_cast<double>(m));
      EXPECT_NEAR(compaction_fpr(n, m, r), exact, 0.014 * exact) << r << " " << a;
    }
}

TEST(HashCompaction, RatesMatchReferenceValues) {
  EXPECT_EQ(compaction_fpr(0, 100, 8), 0);
  EXPECT_EQ(compaction_fpr(5, 1, 1), 1);
  EXPECT_NEAR(compaction_fpr(1, 10, 20), 0.1 / ((1 << 20) - 1), 1e-11)
      << "one home and one fingerprint of all";
  EXPECT_NEAR(compaction_fpr(1000, 1000, 1), 1 - std::exp(-1), 1e-3)
      << "one bit per slot is a bitmap";
  // Wide fingerprints: a/(1 - a) of 2^-r, against ((1 - a)^-2 - 1)/2 for an unordered table, which
  // is 49.5 at 0.9.
  EXPECT_NEAR(compaction_fpr(900'000'000, 1'000'000'000, 40) * 0x1p40, 9, 1e-5);
  EXPECT_DOUBLE_EQ(compaction_probes(0.9), 5.5);
  EXPECT_NEAR(compaction_insert_probes(0.9), 50.5, 1e-9);
}

TEST(HashCompaction, PlansAreTheSmallest) {
  for (const std::uint64_t n : {1000U, 100'000U})
    for (const double eps : {0.3, 0.1, 0.01, 1.0 / 256, 1e-4, 1e-9}) {
      const auto plan = plan_compaction_for_rate(n, eps, 0.95);
      EXPECT_LE(plan.fpr, eps);
      EXPECT_LE(static_cast<double>(n), 0.95 * static_cast<double>(plan.slots));
      for (unsigned r = 1; r <= 50; ++r) {  // no width does with fewer bits
        const auto m = (plan.slots * plan.width - 1) / r;
        if (static_cast<double>(n) > 0.95 * static_cast<double>(m)) break;
        EXPECT_GT(compaction_fpr(n, m, r), eps) << n << " " << eps << " " << r;
      }
      const auto room = compaction_room_for(plan.slots * plan.width, eps, 0.95);
      EXPECT_GE(room.keys, n);
      EXPECT_LE(static_cast<double>(room.keys), 1.01 * static_cast<double>(n));
      const auto sized = plan_compaction_for_bits(n, plan.slots * plan.width, 0.95);
      EXPECT_EQ(sized.width, plan.width);
      EXPECT_EQ(sized.slots, plan.slots);
    }
}

// The table of the guide.
TEST(HashCompaction, BitsPerKeyAreLog2OfTheRateAndFive) {
  const auto per_key = [](double eps) {
    const auto plan = plan_compaction_for_rate(1'000'000, eps, 0.95);
    return static_cast<double>(plan.slots * plan.width) / 1e6;
  };
  EXPECT_NEAR(per_key(1.0 / 256), 12.3, 0.1);
  EXPECT_NEAR(per_key(0x1p-16), 21.3, 0.1);
  EXPECT_NEAR(per_key(0x1p-20), 25.5, 0.1);
  EXPECT_NEAR(per_key(0x1p-30), 36.0, 0.2);
}

}  // namespace
}  // namespace umbel::sizing::hash_compaction_test
