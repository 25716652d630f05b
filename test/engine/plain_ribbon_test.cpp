// plain_ribbon_test.cpp - how often a standard ribbon's draw succeeds, the rate that homogeneous
// ones keep, ends of blocks, and the answers of interleaved columns beside those of slots one by
// one.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/cells/columns.hpp>
#include <umbel/solve/band.hpp>
#include <umbel/solve/band_span.hpp>

#include "support/environment.hpp"
#include "support/gate.hpp"
#include "support/ribbon_built.hpp"

namespace plain_ribbon_test {
namespace {

using namespace ribbon_test;
using fuse_test::digest_of;
using umbel::test::binomial_gate;
using umbel::test::exact_model;
using umbel::test::no_more_than;
using umbel::test::shuffled;

// Draws of 2^17 slots that have room for so many keys, of `draws`.
template <class Word>
unsigned solved(ribbon_preset preset, std::uint64_t keys, unsigned draws) {
  constexpr std::uint64_t slots = 1 << 17;
  const auto& shape = umbel::sizing::shape_of(preset);
  std::vector<umbel::solve::band_slot<Word>> room(slots);
  std::vector<umbel::solve::band_row<Word>> rows(keys);
  unsigned out = 0;
  for (unsigned draw = 0; draw < draws; ++draw) {
    const umbel::core::ribbon_row at(draw, shape, slots);
    for (std::uint64_t i = 0; i < keys; ++i) {
      const auto row = at.at<Word>(digest_of(i, 41));
      // Any value: a row that is a sum of others has theirs once in 2^64.
      rows[i] = {row.coefficients, digest_of(i, 42).lo,
                 static_cast<std::uint32_t>(shape.starts(slots) - 1 - row.back), 0};
    }
    room.assign(slots, {});
    out += umbel::solve::band<Word>(room).insert(rows);
  }
  return out;
}

// [DW21] at 2^17 slots: so many slots per key for one failure in 2, in 20 and in 1000; 5
// deviations.
TEST(StandardRibbon, SucceedsAsOftenAsItsTableSays) {
  const unsigned draws = umbel::test::sanitized ? 5 : 60;
  const struct {
    ribbon_preset preset;
    double slots_per_key, failures;
  } table[] = {{ribbon_preset::standard_64, 1.0632, 1.0 / 2},
               {ribbon_preset::standard_64, 1.0940, 1.0 / 20},
               {ribbon_preset::standard_64, 1.1389, 1.0 / 1000},
               {ribbon_preset::standard_128, 1.0218, 1.0 / 2},
               {ribbon_preset::standard_128, 1.0361, 1.0 / 20},
               {ribbon_preset::standard_128, 1.0581, 1.0 / 1000}};
  for (const auto& row : table) {
    const auto keys = static_cast<std::uint64_t>((1 << 17) / row.slots_per_key);
    const double expected = draws * (1 - row.failures);
    const unsigned found = row.preset == ribbon_preset::standard_64
                               ? solved<std::uint64_t>(row.preset, keys, draws)
                               : solved<umbel::detail::uint128>(row.preset, keys, draws);
    EXPECT_NEAR(found, expected, 5 * std::sqrt(expected * row.failures) + 1) << row.slots_per_key;
  }
}

TEST(StandardRibbon, SmallOnesNeedFewDraws) {
  for (const auto preset : {ribbon_preset::standard_64, ribbon_preset::standard_128}) {
    for (const std::uint64_t n : {10U, 60U, 64U, 100U, 500U, 1000U, 3000U, 9000U}) {
      double attempts = 0;
      for (std::uint64_t seed = 0; seed < 40; ++seed)
        attempts += 1 + static_cast<double>(
                            parts(built(pairs(n, 8, seed), {.preset = preset}))["base_attempt"]);
      EXPECT_LE(attempts / 40, 2.0) << n;
    }
  }
}

TEST(StandardRibbon, AMillionKeys) {
  const std::uint64_t n = umbel::test::sanitized ? 50'000 : 1'000'000;
  const auto all = pairs(n, 8, 17);
  for (const auto preset : {ribbon_preset::standard_64, ribbon_preset::standard_128}) {
    const ribbon r = built(all, {.width = 8, .preset = preset});
    EXPECT_EQ(wrong(r, all), 0U);
    EXPECT_NEAR(static_cast<double>(r.size_in_bits()),
                static_cast<double>(ribbon::plan(n, 8, 0, preset).bits),
                0.035 * static_cast<double>(r.size_in_bits()));
    EXPECT_EQ(parts(r)["thresholds"] + parts(r)["exceptions"] + parts(r)["base_slots"], 0U);
  }
}

// Non-members of so many whose word is 0: they pass a homogeneous ribbon.
std::uint64_t passing(const ribbon& r, std::size_t asked, std::uint64_t seed) {
  std::uint64_t hits = 0;
  r.values(
      asked, [seed](std::size_t i) { return digest_of(i, seed); },
      [](umbel::digest) { return std::uint64_t{0}; },
      [&](std::size_t, std::uint64_t, std::uint64_t value) { hits += value == 0; });
  return hits;
}

// Every member answers 0, repeats change nothing, and the bytes depend on the set alone.
TEST(HomogeneousRibbon, MembersAnswerZero) {
  for (const auto preset : {ribbon_preset::homogeneous_64, ribbon_preset::homogeneous_128}) {
    for (const std::uint64_t n :
         {0U, 1U, 2U, 63U, 64U, 65U, 127U, 128U, 129U, 999U, 1000U, 40'000U}) {
      auto all = pairs(n, 8, 21);
      const ribbon::build_options how{
          .width = 8, .preset = preset, .threads = 2, .shard_from = 10'000};
      const ribbon r = built(all, how);
      for (const valued& v : all) ASSERT_EQ(r.value(v.key), 0U) << n;
      all.insert(all.end(), all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n / 2));
      EXPECT_EQ(built(shuffled(all, 5), how), r) << n;
    }
  }
}

// Rows of non-members that reduce to nothing are as many as the exact count says: systems with
// little room, with crowded ends and without.
template <class Word>
void sums_are_counted(ribbon_preset preset, std::uint64_t keys, std::uint64_t slots) {
  const auto& shape = umbel::sizing::shape_of(preset);
  const umbel::core::ribbon_row at(7, shape, slots);
  const std::uint64_t last = shape.starts(slots) - 1;
  std::vector<umbel::solve::band_slot<Word>> band(slots);
  const auto add = [&](std::uint64_t number, std::uint64_t seed, bool keep) {
    auto row = at.at<Word>(digest_of(number, seed));
    for (std::uint64_t s = last - row.back;; ++s, row.coefficients >>= 1) {
      if ((row.coefficients & 1) == 0) continue;
      if (band[s].coefficients == 0) {
        if (keep) band[s].coefficients = row.coefficients;
        return false;
      }
      row.coefficients ^= band[s].coefficients;
      if (row.coefficients == 0) return true;
    }
  };
  for (std::uint64_t i = 0; i < keys; ++i) add(i, 51, true);
  const double share =
      umbel::solve::span_share(std::span<const umbel::solve::band_slot<Word>>(band),
                               [&](std::uint64_t s) { return at.share(last - s); });
  const std::uint64_t asked = umbel::test::small() ? 20'000 : 100'000;
  // else nothing is seen
  EXPECT_GT(share * static_cast<double>(asked), 100) << keys << " keys, " << slots << " slots";
  std::uint64_t sums = 0;
  for (std::uint64_t i = 0; i < asked; ++i) sums += add(i, 52, false);
  EXPECT_TRUE(binomial_gate(sums, asked, share, exact_model))
      << keys << " keys, " << slots << " slots";
}
TEST(HomogeneousRibbon, SumsOfRowsAreCountedExactly) {
  using umbel::detail::uint128;
  for (const auto& [keys, slots] :
       {std::pair(20'000U, 20'288U), {20'000U, 20'480U}, {4000U, 4096U}, {312U, 320U}, {62U, 64U}})
    sums_are_counted<std::uint64_t>(ribbon_preset::homogeneous_64, keys, slots);
  for (const auto& [keys, slots] : {std::pair(20'000U, 20'096U),
                                    {20'000U, 20'160U},
                                    {3960U, 3968U},
                                    {312U, 320U},
                                    {125U, 128U}})
    sums_are_counted<uint128>(ribbon_preset::homogeneous_128, keys, slots);
}

// The planned rate holds for each of many consecutive seeds, and their mean is no lower: 5
// deviations each. One draw in twenty of 300,000 keys has a stretch so full that non-members there
// pass whatever the columns hold.
void keep_the_planned_rate(ribbon_preset preset, std::uint64_t n, std::uint64_t seeds,
                           std::uint64_t asked) {
  const double planned = ribbon::plan(n, 8, 8, preset).fpr;
  EXPECT_LE(planned, 1.001 / 256);
  std::uint64_t sum = 0;
  double draws = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const ribbon r = built(pairs(n, 8, 100 + seed), {.width = 8, .preset = preset});
    const std::uint64_t hits = passing(r, asked, 10'000 + seed);
    EXPECT_TRUE(no_more_than(hits, asked, planned, exact_model)) << n << " keys, seed " << seed;
    sum += hits;
    draws += 1 + static_cast<double>(parts(r)["base_attempt"]);
  }
  EXPECT_TRUE(binomial_gate(sum, seeds * asked, planned, exact_model)) << n << " keys";
  EXPECT_LE(draws, 1.3 * static_cast<double>(seeds)) << n << " keys";
}
TEST(HomogeneousRibbon, EverySeedKeepsThePlannedRate) {
  const bool few = umbel::test::sanitized || umbel::test::small();
  for (const auto preset : {ribbon_preset::homogeneous_64, ribbon_preset::homogeneous_128}) {
    for (const std::uint64_t n : {1U, 50U, 57U, 64U, 100U, 125U, 500U, 1000U, 8000U, 12'000U})
      keep_the_planned_rate(preset, n, few ? 3 : 100, 100'000);
    if (!few) keep_the_planned_rate(preset, 300'000, 40, 400'000);
  }
}
// A ribbon with too few slots is drawn again, and with more of them, until it keeps its rate all
// the same.
TEST(HomogeneousRibbon, OneWithoutRoomIsDrawnAgain) {
  for (const auto preset : {ribbon_preset::homogeneous_64, ribbon_preset::homogeneous_128})
    for (const std::uint64_t shard_from : {1000U, 1'000'000U}) {
      const auto all = pairs(20'000, 8, 61);
      const ribbon r =
          built(all, {.width = 8, .preset = preset, .shard_from = shard_from, .layer_scale = 0.9});
      EXPECT_EQ(parts(r).shards(0) > 1, shard_from == 1000);
      EXPECT_GT(parts(r)["base_attempt"], 0U);
      for (const valued& v : all) ASSERT_EQ(r.value(v.key), 0U);
      EXPECT_TRUE(no_more_than(passing(r, 400'000, 62), 400'000, r.filter_fpr(), exact_model));
    }
}

// The words of interleaved columns are those of slots that are looked at one by one, from every
// offset in a block (0 too, where the run ends one block earlier) and up to the very last slot.
template <class Word>
void compare_layouts() {
  constexpr unsigned width = 8 * sizeof(Word), slots = 4 * 64 + width;
  for (const unsigned columns : {1U, 8U, 13U}) {
    umbel::cells::columns cells(slots, columns);
    std::vector<std::uint64_t> rows(slots);  // as many bits of each as there are columns
    for (unsigned slot = 0; slot < slots; ++slot) {
      rows[slot] = digest_of(slot, columns).lo & ((std::uint64_t{1} << columns) - 1);
      for (unsigned c = 0; c < columns; ++c)
        cells.storage().data()[slot / 64 * columns + c] |= (rows[slot] >> c & 1) << slot % 64;
    }
    for (unsigned start = 0; start + width <= slots; ++start) {
      Word coefficients = digest_of(start, 9).hi | 1;
      if constexpr (width == 128) coefficients |= static_cast<Word>(digest_of(start, 10).lo) << 64;
      std::uint64_t expected = 0;
      for (unsigned j = 0; j < width; ++j)
        if (coefficients >> j & 1) expected ^= rows[start + j];
      const auto run = cells.of_any_width().run(start, coefficients);
      ASSERT_EQ(umbel::cells::kernel::portable::parities(run, columns), expected) << start;
#if defined(__x86_64__)
      if (umbel::cells::kernel::best() >= umbel::cells::kernel::level::avx2) {
        ASSERT_EQ(umbel::cells::kernel::avx2::parities(run, columns), expected) << start;
      }
      if (umbel::cells::kernel::best() >= umbel::cells::kernel::level::avx512) {
        ASSERT_EQ(umbel::cells::kernel::avx512::parities(run, columns), expected) << start;
      }
#endif
    }
  }
}
TEST(RibbonLayouts, InterleavedAnswersAreThoseOfRows) {
  compare_layouts<std::uint64_t>();
  compare_layouts<umbel::detail::uint128>();
}

}  // namespace
}  // namespace plain_ribbon_test
