// banked_test.cpp - k probes in k different banks, every bank used alike.
#include <umbel/engine/probe/banked.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/engine/probe/index.hpp>
#include <umbel/hash/hasher.hpp>

#include "support/schemes.hpp"
#include "support/statistics_gate.hpp"

namespace umbel::core::banked_test {
namespace {

static_assert(core::index<banked>);

using support::cells_of;

digest random_digest(std::uint64_t i) {
  return {statistics::scatter(2 * i), statistics::scatter(2 * i + 1)};
}

TEST(Banked, BanksOfAKeyAreNeighboursAndDiffer) {
  for (const std::uint64_t banks : {1U, 2U, 8U, 64U, 4096U})
    for (const unsigned probes : {1U, 2U, 7U, 8U, 64U, 1024U}) {
      if (probes > banks) continue;
      for (const std::uint64_t each : {1U, 3U, 64U}) {
        const banked at(banks * each, probes, banks);
        for (std::uint64_t i = 0; i < 100; ++i) {
          const auto cells = cells_of(at, random_digest(i));
          for (unsigned p = 0; p < probes; ++p) {
            ASSERT_LT(cells[p], at.cells());
            ASSERT_EQ(cells[p] / each, (cells[0] / each + p) % banks);
          }
        }
      }
    }
}

// Every probe falls into every bank, and in there on every cell, alike; counters as keys.
// Neighbouring probes are paired over 16 x 16 places within their banks.
TEST(Banked, UsesAllBanksEvenly) {
  constexpr std::uint64_t banks = 16, each = 256, probes = 7, keys = 100'000;
  const banked at(banks * each, probes, banks);
  const hasher hash;
  std::vector<std::vector<std::uint64_t>> by_bank(probes, std::vector<std::uint64_t>(banks)),
      by_place(probes, std::vector<std::uint64_t>(each)),
      by_pair(probes - 1, std::vector<std::uint64_t>(256));
  std::vector<std::uint64_t> all(banks * each);
  for (std::uint64_t i = 0; i < keys; ++i) {
    const auto cells = cells_of(at, hash(i));
    for (unsigned p = 0; p < probes; ++p) {
      ++by_bank[p][cells[p] / each];
      ++by_place[p][cells[p] % each];
      if (p > 0) ++by_pair[p - 1][cells[p - 1] % each / 16 * 16 + cells[p] % each / 16];
    }
    ++all[cells[0]];
  }
  for (const auto& counts : by_bank) EXPECT_TRUE(statistics::uniform(counts));
  for (const auto& counts : by_place) EXPECT_TRUE(statistics::uniform(counts));
  for (const auto& counts : by_pair) EXPECT_TRUE(statistics::uniform(counts));
  EXPECT_TRUE(statistics::uniform(all)) << "bank and place together";
}

TEST(Banked, HalvedPositionsAreHalf) {
  banked whole(96 * 64, 5, 8);
  for (; whole.cells() % 16 == 0; whole = whole.halved()) {
    const banked half = whole.halved();
    for (std::uint64_t i = 0; i < 300; ++i) {
      auto expected = cells_of(whole, random_digest(i));
      for (auto& cell : expected) cell /= 2;
      ASSERT_EQ(cells_of(half, random_digest(i)), expected) << half.cells();
    }
  }
  EXPECT_THROW((void)whole.halved(), bad_parameter) << "three cells in a bank";
}

std::string refusal_of(std::uint64_t cells, unsigned probes, std::uint64_t banks) {
  try {
    (void)banked(cells, probes, banks);
    return "taken";
  } catch (const bad_parameter& refused) {
    return refused.what();
  }
}

TEST(Banked, RefusesImpossibleShapes) {
  EXPECT_EQ(refusal_of(64, 1, 0), "banks: expected a power of two up to 4096, found 0");
  EXPECT_EQ(refusal_of(60, 1, 12), "banks: expected a power of two up to 4096, found 12");
  EXPECT_EQ(refusal_of(8192, 1, 8192), "banks: expected a power of two up to 4096, found 8192");
  EXPECT_EQ(refusal_of(64, 0, 8), "probes: expected 1 to the number of banks, 8, found 0");
  EXPECT_EQ(refusal_of(64, 9, 8), "probes: expected 1 to the number of banks, 8, found 9");
  EXPECT_EQ(refusal_of(4096, 1025, 4096), "probes: expected at most 1024, found 1025")
      << "as the filter's options";
  EXPECT_EQ(refusal_of(0, 1, 8), "cells: expected a multiple of 8 up to 2^56, found 0");
  EXPECT_EQ(refusal_of(68, 1, 8), "cells: expected a multiple of 8 up to 2^56, found 68");
  EXPECT_EQ(refusal_of(sizing::max_bits + 8, 1, 8),
            "cells: expected a multiple of 8 up to 2^56, found 72057594037927944");
  EXPECT_EQ(refusal_of(sizing::max_bits, 8, 8), "taken");
  EXPECT_EQ(refusal_of(1, 1, 1), "taken");
  EXPECT_EQ(refusal_of(4096, 1024, 4096), "taken");
}

}  // namespace
}  // namespace umbel::core::banked_test
