// vector_quotient_filter_test.cpp - vector quotient filter [PCDBFJ21]: tags in one of two blocks;
// found, erased, moved when both are full, at the published rate.
#include <umbel/set/vector_quotient_filter.hpp>

#include <random>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "support/statistics_gate.hpp"

namespace umbel::vector_quotient_filter_test {
namespace {

using statistics::binomial_gate;
using statistics::members;
using statistics::passed;

constexpr double rates[] = {0.01, 1e-4};  // one for each width of tags

TEST(VectorQuotientFilter, RatesMatchReferenceValues) {
  // .0047 times the load with tags of 8 bits, 2.4e-5 times the load with 16.
  for (const auto& [fpr, tags, slope] : {std::tuple{0.01, 48.0, 0.0047}, {1e-4, 28.0, 2.4e-5}}) {
    constexpr std::uint64_t n = 200'000;
    vector_quotient_filter f({.keys = n, .fpr = fpr});
    ASSERT_EQ(f.insert_batch(members(n)), n);
    const double load = static_cast<double>(n) / (static_cast<double>(f.lines()) * tags);
    EXPECT_GT(load, 0.93);
    EXPECT_NEAR(f.expected_fpr(), slope * load, 0.03 * slope * load);
    EXPECT_TRUE(binomial_gate(passed(f, 4'000'000), 4'000'000, f.expected_fpr()));
  }
}

// Both widths, both kernels, batches and single calls: the same table.
TEST(VectorQuotientFilter, BothKernelsGiveTheSame) {
  for (const double fpr : rates) {
    const auto keys = members(20'000);
    std::vector<vector_quotient_filter> made;
    std::vector<std::uint64_t> hits;
    for (const auto level : {cells::kernel::level::portable, cells::kernel::level::avx2}) {
      cells::kernel::use(level);
      vector_quotient_filter f({.keys = keys.size(), .fpr = fpr}), g = f;
      EXPECT_EQ(f.insert_batch(keys), keys.size());
      for (const auto key : keys) ASSERT_TRUE(g.try_insert(key));
      EXPECT_EQ(f, g);
      EXPECT_EQ(f.erase_batch(std::span(keys).first(5'000)), 5'000U);
      for (const auto key : std::span(keys).subspan(5'000)) ASSERT_TRUE(f.may_contain(key));
      hits.push_back(passed(f, 50'000));
      made.push_back(f);
    }
    cells::kernel::use(cells::kernel::best());
    EXPECT_EQ(made[0], made[1]);
    EXPECT_EQ(hits[0], hits[1]);
  }
}

// Legal erases only, compared with counts of all copies. The filter is nearly full throughout.
TEST(VectorQuotientFilter, AMillionRandomOperationsLoseNoKey) {
  for (const double fpr : rates) {
    constexpr std::uint64_t pool = 4'000, room = 3'000;
    const auto keys = members(pool);
    std::vector<unsigned> copies(pool);
    std::uint64_t in = 0;
    vector_quotient_filter f({.keys = room, .fpr = fpr});
    std::mt19937_64 random(3);
    for (int step = 0; step < 500'000; ++step) {
      const std::uint64_t i = random() % pool;
      if (copies[i] < 2 && in < room) {
        ASSERT_TRUE(f.try_insert(keys[i]).has_value()) << step;
        ++copies[i], ++in;
      } else if (copies[i] > 0) {
        ASSERT_TRUE(f.erase(keys[i])) << step;
        --copies[i], --in;
      }
      const std::uint64_t asked = random() % pool;
      ASSERT_TRUE(copies[asked] == 0 || f.may_contain(keys[asked])) << step;
    }
    EXPECT_EQ(f.copies(), in);
    for (std::uint64_t i = 0; i < pool; ++i)
      while (copies[i]-- > 0) ASSERT_TRUE(f.erase(keys[i]));
    EXPECT_EQ(f.copies(), 0U);
    EXPECT_EQ(f, vector_quotient_filter({.keys = room, .fpr = fpr}))
        << "nothing is left, not a bit";
  }
}

// Past the planned load tags are moved to their other block; none is lost, up to the last key that
// fits.
TEST(VectorQuotientFilter, FillsFarPastThePlannedLoad) {
  for (const double fpr : rates) {
    vector_quotient_filter f({.keys = 50'000, .fpr = fpr});
    const auto keys = members(60'000);
    std::size_t taken = 0;
    while (taken < keys.size() && f.try_insert(keys[taken])) ++taken;
    const auto before = f;
    EXPECT_FALSE(f.try_insert(keys[taken]).has_value());
    EXPECT_EQ(f, before) << "refused, with nothing changed";
    EXPECT_GT(
        static_cast<double>(taken) / (static_cast<double>(f.lines()) * (fpr == 0.01 ? 48 : 28)),
        0.98);
    for (const auto key : std::span(keys).first(taken)) ASSERT_TRUE(f.may_contain(key));
    EXPECT_EQ(f.copies(), taken);
  }
}

TEST(VectorQuotientFilter, HoldsTwoBlocksOfCopies) {
  vector_quotient_filter f({.keys = 5'000, .fpr = 0.01});
  int copies = 0;
  while (f.try_insert("often")) ++copies;
  EXPECT_EQ(copies, 96);
  EXPECT_THROW(f.insert("often"), full);
  EXPECT_FALSE(f.erase("never"));
  for (; copies > 0; --copies) ASSERT_TRUE(f.erase("often"));
  EXPECT_FALSE(f.erase("often"));
}

TEST(VectorQuotientFilter, AnIllegalEraseTakesAnotherKeysTag) {
  vector_quotient_filter f({.keys = 1000, .fpr = 0.01});
  (void)f.insert_batch(members(1000));
  for (std::uint64_t i = 0;; ++i) {
    if (!f.may_contain(statistics::non_member(i))) continue;
    EXPECT_TRUE(f.erase(statistics::non_member(i)));
    break;
  }
  EXPECT_EQ(f.copies(), 999U);
}

TEST(VectorQuotientFilter, RefusesRatesOutOfReach) {
  for (const double fpr : {1e-5, 1e-6, 1e-12}) {
    try {
      (void)vector_quotient_filter::plan({.keys = 100'000, .fpr = fpr});
      ADD_FAILURE() << fpr;
    } catch (const bad_parameter& refused) {
      EXPECT_NE(std::string(refused.what()).find("out of this structure's reach"),
                std::string::npos);
    }
  }
}

}  // namespace
}  // namespace umbel::vector_quotient_filter_test
