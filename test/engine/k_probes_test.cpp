// k_probes_test.cpp - the probes of a Bloom filter: fixed for ever, inside, foldable, and spread
// evenly. Golden positions were derived in Python from the text of doc/format.md.
#include <umbel/engine/probe/k_probes.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/engine/probe/index.hpp>
#include <umbel/hash/hasher.hpp>

#include "support/statistics_gate.hpp"

namespace umbel::core::k_probes_test {
namespace {

static_assert(core::index<k_probes>);

using positions = std::vector<std::uint64_t>;

positions of(const k_probes& at, digest d) {
  positions out;
  (void)all_of(at, d, [&](std::uint64_t i) {
    out.push_back(i);
    return true;
  });
  return out;
}
constexpr digest example{0x0123456789abcdef, 0xfedcba9876543210};
digest random_digest(std::uint64_t i) {
  return {statistics::scatter(2 * i), statistics::scatter(2 * i + 1)};
}

TEST(KProbes, PositionsAreFixedForEver) {
  EXPECT_EQ(of(k_probes(1, 8), example), positions(8, 0));
  EXPECT_EQ(of(k_probes(2, 8), example), (positions{1, 1, 0, 0, 1, 0, 1, 0}));
  EXPECT_EQ(of(k_probes(1021, 8), example), (positions{715, 977, 85, 3, 962, 240, 723, 373}));
  EXPECT_EQ(of(k_probes(4095, 8), example),
            (positions{2871, 3921, 341, 12, 3860, 966, 2902, 1498}));
  EXPECT_EQ(of(k_probes(4096, 8), example),
            (positions{1642, 2354, 1324, 2646, 2225, 61, 251, 2793}));
  EXPECT_EQ(of(k_probes(95'851, 8), example),
            (positions{38439, 55107, 30986, 61929, 52083, 1450, 5880, 65373}));
  EXPECT_EQ(of(k_probes((std::uint64_t{1} << 32) + 15, 8), example),
            (positions{1722431966, 2469278570, 1388469490, 2774972035, 2333818895, 65010070,
                       263512871, 2929327297}));
  EXPECT_EQ(of(k_probes(std::uint64_t{1} << 56, 3), example),
            (positions{28897613046026636, 41427619802532290, 23294652463580212}));
  EXPECT_EQ(of(k_probes(95'851, 8, 7), example),
            (positions{3258, 28451, 49838, 67421, 81198, 91170, 1486, 3848}));
  EXPECT_EQ(of(k_probes(1021, 8, 0, core::scheme::triple), example),
            (positions{409, 586, 330, 659, 554, 15, 62, 696}));
  EXPECT_EQ(of(k_probes(95'851, 8, 0, core::scheme::independent), example),
            (positions{67214, 91781, 7995, 285, 90372, 22622, 67936, 35081}));
}

TEST(KProbes, StaysInside) {
  for (const std::uint64_t cells :
       {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{4095},
        std::uint64_t{4096}, std::uint64_t{1} << 33, sizing::max_bits})
    for (std::uint64_t i = 0; i < 2'000; ++i)
      for (const std::uint64_t position : of(k_probes(cells, 20), random_digest(i)))
        ASSERT_LT(position, cells);
}

// Below 4096 cells every probe is drawn by itself, from there on a walk serves.
TEST(KProbes, ChangesItsSchemeAt4096Cells) {
  for (std::uint64_t i = 0; i < 100; ++i) {
    const digest d = random_digest(i);
    EXPECT_EQ(of(k_probes(4095, 9), d), of(k_probes(4095, 9, 0, core::scheme::independent), d));
    EXPECT_EQ(of(k_probes(4096, 9), d), of(k_probes(4096, 9, 0, core::scheme::triple), d));
  }
  EXPECT_NE(k_probes(4096, 9), k_probes(4096, 9, 0, core::scheme::independent))
      << "a different placement, and it says so";
}

// The law that makes filters fold: halving the cells halves every position, in either scheme.
TEST(KProbes, HalvedPositionsAreHalf) {
  for (const std::uint64_t cells : {std::uint64_t{2}, std::uint64_t{1022}, std::uint64_t{4096},
                                    std::uint64_t{6000}, std::uint64_t{1} << 40}) {
    const k_probes whole(cells, 12), half = whole.halved();
    EXPECT_EQ(half.cells(), cells / 2);
    EXPECT_EQ(half.probes(), 12U);
    for (std::uint64_t i = 0; i < 1'000; ++i) {
      auto expected = of(whole, random_digest(i));
      for (auto& position : expected) position /= 2;
      ASSERT_EQ(of(half, random_digest(i)), expected) << cells;
    }
  }
}

// A longer walk begins as the shorter one; another salt draws other cells.
TEST(KProbes, ProbesAndSalts) {
  for (std::uint64_t i = 0; i < 100; ++i) {
    const auto many = of(k_probes(10'000, 30), random_digest(i)),
               few = of(k_probes(10'000, 5), random_digest(i));
    EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
    EXPECT_NE(of(k_probes(10'000, 30, 1), random_digest(i)), many);
    EXPECT_EQ(of(k_probes(10'000, 30), random_digest(i)), many) << "deterministic";
  }
}

// Each probe by itself is uniform, and so is each pair of neighbouring probes (16 x 16 cells):
// counters as keys.
TEST(KProbes, PositionsAreUniform) {
  constexpr std::uint64_t keys = 100'000;
  const hasher hash;
  for (const std::uint64_t cells : {1000U, 4096U, 100'000U}) {
    const k_probes at(cells, 8);
    std::vector<std::vector<std::uint64_t>> single(8, std::vector<std::uint64_t>(100)),
        pairs(7, std::vector<std::uint64_t>(256));
    for (std::uint64_t i = 0; i < keys; ++i) {
      const auto where = of(at, hash(i));
      for (unsigned p = 0; p < 8; ++p) ++single[p][where[p] * 100 / cells];
      if (cells % 16 == 0)
        for (unsigned p = 0; p < 7; ++p)
          ++pairs[p][where[p] * 16 / cells * 16 + where[p + 1] * 16 / cells];
    }
    if (cells % 100 == 0) {
      for (const auto& counts : single) EXPECT_TRUE(statistics::uniform(counts)) << cells;
    }
    if (cells % 16 == 0) {
      for (const auto& counts : pairs) EXPECT_TRUE(statistics::uniform(counts)) << cells;
    }
  }
}

// Walks that close early would probe fewer cells: the number of distinct positions is that of
// independent draws. Bound: mean over 20,000 keys; one key's count has variance below k^2/(2m), so
// 5 sigmas are 5 k / sqrt(2 m 20000).
TEST(KProbes, WalksDoNotRepeatThemselves) {
  constexpr unsigned probes = 14;
  for (const double cells : {512.0, 4096.0, 65'536.0}) {
    const k_probes at(static_cast<std::uint64_t>(cells), probes);
    double sum = 0;
    for (std::uint64_t i = 0; i < 20'000; ++i) {
      const auto where = of(at, random_digest(i));
      sum += static_cast<double>(std::set<std::uint64_t>(where.begin(), where.end()).size());
    }
    const double expected = cells * (1 - std::pow(1 - 1 / cells, probes));
    EXPECT_TRUE(statistics::within(sum / 20'000, expected, probes / std::sqrt(2 * cells * 20'000)))
        << cells;
  }
}

TEST(KProbes, RefusesImpossibleShapes) {
  EXPECT_THROW(k_probes(0, 1), bad_parameter);
  EXPECT_THROW(k_probes(sizing::max_bits + 1, 1), bad_parameter);
  EXPECT_THROW(k_probes(10, 0), bad_parameter);
  EXPECT_THROW(k_probes(10, sizing::bloom_max_probes + 1), bad_parameter);
  EXPECT_THROW(k_probes(10, 1, 0, static_cast<core::scheme>(13)), bad_parameter);
  EXPECT_THROW(k_probes(10, 1, 0, static_cast<core::scheme>(~std::uint64_t{0})), bad_parameter);
  EXPECT_NO_THROW(k_probes(1, 1));
  EXPECT_NO_THROW(k_probes(sizing::max_bits, sizing::bloom_max_probes));
}

TEST(Placement, AllOfStopsAtTheFirstNo) {
  unsigned seen = 0;
  EXPECT_FALSE(all_of(k_probes(100, 10), example, [&](std::uint64_t) { return ++seen < 4; }));
  EXPECT_EQ(seen, 4U);
  EXPECT_TRUE(all_of(k_probes(100, 10), example, [](std::uint64_t) { return true; }));
}

}  // namespace
}  // namespace umbel::core::k_probes_test
