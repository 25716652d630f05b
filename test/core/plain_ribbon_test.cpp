// plain_ribbon_test.cpp - how often a standard ribbon's draw succeeds, what a homogeneous one lets pass, ends of blocks, and
// the answers of interleaved columns beside those of slots one by one.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/cells/columns.hpp>
#include <umbel/solve/band.hpp>

#include "support/environment.hpp"
#include "support/ribbon_built.hpp"

namespace plain_ribbon_test {
namespace {

using namespace ribbon_test;
using fuse_test::digest_of;
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
    const umbel::index::ribbon at(draw, shape, slots);
    for (std::uint64_t i = 0; i < keys; ++i) {
      const auto row = at.at<Word>(digest_of(i, 41));
      // Any value: a row that is a sum of others has theirs once in 2^64.
      rows[i] = {row.coefficients, digest_of(i, 42).lo, static_cast<std::uint32_t>(shape.starts(slots) - 1 - row.back),
                 0};
    }
    room.assign(slots, {});
    out += umbel::solve::band<Word>(room).insert(rows);
  }
  return out;
}

// [DW21] at 2^17 slots: so many slots per key for one failure in 2, in 20 and in 1000; 5 deviations.
TEST(StandardRibbon, SucceedsAsOftenAsItsTableSays) {
  const unsigned draws = umbel::test::sanitized ? 5 : 60;
  const struct {
    ribbon_preset preset;
    double slots_per_key, failures;
  } table[] = {{ribbon_preset::standard_64, 1.0632, 1.0 / 2},    {ribbon_preset::standard_64, 1.0940, 1.0 / 20},
               {ribbon_preset::standard_64, 1.1389, 1.0 / 1000}, {ribbon_preset::standard_128, 1.0218, 1.0 / 2},
               {ribbon_preset::standard_128, 1.0361, 1.0 / 20},  {ribbon_preset::standard_128, 1.0581, 1.0 / 1000}};
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
        attempts += 1 + static_cast<double>(parts(built(pairs(n, 8, seed), {.preset = preset}))["base_attempt"]);
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
    EXPECT_NEAR(static_cast<double>(r.size_in_bits()), static_cast<double>(ribbon::plan(n, 8, 0, preset).bits),
                0.035 * static_cast<double>(r.size_in_bits()));
    EXPECT_EQ(parts(r)["thresholds"] + parts(r)["exceptions"] + parts(r)["base_slots"], 0U);
  }
}

// The share of strangers whose word is 0, over 2^-8.
double passing(const ribbon& r, std::size_t asked, std::uint64_t seed) {
  std::size_t hits = 0;
  r.values(
      asked, [seed](std::size_t i) { return digest_of(i, seed); }, [](umbel::digest) { return std::uint64_t{0}; },
      [&](std::size_t, std::uint64_t, std::uint64_t value) { hits += value == 0; });
  return 256.0 * static_cast<double>(hits) / static_cast<double>(asked);
}
double passing(ribbon_preset preset, double slots_per_key, std::uint64_t n, std::uint64_t seed) {
  const auto all = pairs(n, 8, 100 + seed);
  const double usual = static_cast<double>(ribbon::plan(n, 8, 8, preset).cells) / static_cast<double>(n);
  const ribbon r = built(all, {.width = 8, .preset = preset, .layer_scale = slots_per_key / usual});
  for (std::size_t i = 0; i < 1000; ++i) EXPECT_EQ(r.value(all[i].key), 0U);
  return passing(r, 400'000, 200 + seed);
}

// Every member answers 0, repeats change nothing, and the bytes depend on the set alone.
TEST(HomogeneousRibbon, MembersAnswerZero) {
  for (const auto preset : {ribbon_preset::homogeneous_64, ribbon_preset::homogeneous_128}) {
    for (const std::uint64_t n : {0U, 1U, 2U, 63U, 64U, 65U, 127U, 128U, 129U, 999U, 1000U, 40'000U}) {
      auto all = pairs(n, 8, 21);
      const ribbon::build_options how{.width = 8, .preset = preset, .threads = 2, .shard_from = 10'000};
      const ribbon r = built(all, how);
      EXPECT_EQ(parts(r)["base_attempt"], 0U);  // any draw will do
      for (const valued& v : all) ASSERT_EQ(r.value(v.key), 0U) << n;
      all.insert(all.end(), all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n / 2));
      EXPECT_EQ(built(shuffled(all, 5), how), r) << n;
    }
  }
}

// At the planned size strangers pass at 2^-8 on these seeds; a draw in twenty with 64 coefficients would exceed the bound
// (bench/derive/ribbon). Far below that size they pass more often, by a factor that one crowded stretch decides: 1.2 to 5.5
// with 64 coefficients and 1.06 slots per key, 1.1 to 14 with 128 and 1.02, in earlier measurements of 8 to 16 seeds; the
// bounds allow twice that. 400,000 strangers: a deviation is 2.5 %.
TEST(HomogeneousRibbon, ErrsAtItsRateWhereItHasRoom) {
  const std::uint64_t n = umbel::test::sanitized ? 20'000 : 300'000;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    EXPECT_NEAR(passing(ribbon_preset::homogeneous_64, 1.11, n, seed), 1, 5 * 0.025) << seed;
    EXPECT_NEAR(passing(ribbon_preset::homogeneous_128, 1.05, n, seed), 1, 5 * 0.025) << seed;
  }
}
TEST(HomogeneousRibbon, ErrsMoreWhereItHasNone) {
  if (umbel::test::sanitized) GTEST_SKIP() << "many keys";
  double most_64 = 0, most_128 = 0;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    most_64 = std::max(most_64, passing(ribbon_preset::homogeneous_64, 1.06, 300'000, seed));
    most_128 = std::max(most_128, passing(ribbon_preset::homogeneous_128, 1.02, 300'000, seed));
  }
  EXPECT_GE(most_64, 1.2);
  EXPECT_LE(most_64, 11);
  EXPECT_GE(most_128, 1.1);
  EXPECT_LE(most_128, 28);
}
// Small ones have no crowded stretch at all.
TEST(HomogeneousRibbon, FewKeysErrNoMore) {
  for (const auto preset : {ribbon_preset::homogeneous_64, ribbon_preset::homogeneous_128}) {
    for (const std::uint64_t n : {50U, 1000U, 8000U, 12'000U}) {
      double sum = 0;
      for (std::uint64_t seed = 0; seed < 10; ++seed)
        sum += passing(built(pairs(n, 8, seed), {.width = 8, .preset = preset}), 100'000, 300 + seed);
      EXPECT_NEAR(sum / 10, 1, 5 * std::sqrt(256.0 / 1e6)) << n;
    }
  }
}

// The words of interleaved columns are those of slots that are looked at one by one, from every offset in a block (0 too,
// where the run ends one block earlier) and up to the very last slot.
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
