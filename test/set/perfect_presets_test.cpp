// perfect_presets_test.cpp - what each preset of a perfect hash promises, and the GOV [GOV20] and
// BDZ [BPZ07] forms.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/codec/codec.hpp>
#include <umbel/engine/retrieval/peeled_build.hpp>
#include <umbel/set/perfect_hash.hpp>

#include "support/environment.hpp"
#include "support/file_image.hpp"
#include "support/fuse_parts.hpp"
#include "support/keys.hpp"

namespace umbel::test {
namespace perfect_presets_test {
namespace {

// Few keys, sizes at word boundaries, and sizes around one bucket of keys.
constexpr std::uint64_t sizes[] = {0, 1, 2, 3, 63, 64, 65, 1000, 1499, 1500, 1501, 20'000};

class PerfectPresets : public ::testing::TestWithParam<std::size_t> {
 protected:
  const perfect_preset preset_ = static_cast<perfect_preset>(GetParam());

  [[nodiscard]] perfect_hash built(const std::vector<digest>& keys, unsigned threads = 1) const {
    return perfect_hash::build(keys, {.preset = preset_, .threads = threads});
  }
};

TEST_P(PerfectPresets, EveryKeyHasAnIndexOfItsOwnBelowN) {
  for (const std::uint64_t n : sizes) {
    const auto keys = members(n, n + 21);
    const auto made = built(keys);
    ASSERT_EQ(made.keys(), n);
    std::vector<std::uint64_t> all(n);
    made.index_batch(keys, all);
    for (std::uint64_t i = 0; i < n; ++i) ASSERT_EQ(made.index(keys[i]), all[i]) << n << " keys";
    std::sort(all.begin(), all.end());
    for (std::uint64_t i = 0; i < n; ++i) ASSERT_EQ(all[i], i) << n << " keys";
  }
}
TEST_P(PerfectPresets, BytesFollowFromTheSetOfKeys) {
  for (const std::uint64_t n : sizes) {
    const auto keys = members(n, n + 22);
    const auto bytes = encode(built(keys));
    EXPECT_EQ(encode(built(shuffled(keys, 1))), bytes) << n << " keys";
    EXPECT_EQ(encode(built(shuffled(keys, 2), 2)), bytes) << n << " keys";
  }
}
TEST_P(PerfectPresets, NonMembersStayBelowN) {
  for (const std::uint64_t n : sizes) {
    const auto made = built(members(n, n + 23));
    for (const digest& d : non_members(2000, n))
      ASSERT_LT(made.index(d), std::max<std::uint64_t>(n, 1)) << n << " keys";
  }
}
TEST_P(PerfectPresets, UnknownFormsAreRefused) {
  const file_image good(encode(built(members(100, 24))));
  const auto form = good.field_places().front();
  ASSERT_EQ(good.entries().front().name, "perfect");
  for (const std::uint64_t unknown :
       {std::uint64_t{7}, std::uint64_t{8}, std::uint64_t{255}, ~std::uint64_t{0}}) {
    file_image other = good;
    EXPECT_THROW((void)decode<perfect_hash>(other.set(form, unknown).seal().bytes(), {}), corrupt)
        << unknown;
  }
}
// A file of one form does not load with the sections of another.
TEST_P(PerfectPresets, SectionsOfAnotherFormAreRefused) {
  const file_image good(encode(built(members(100, 25))));
  const auto place = good.field_places().front();
  const auto form = good.get<std::uint64_t>(place);
  for (std::uint64_t other = 0; other < 7; ++other) {
    file_image image = good;
    image.set(place, other).seal();
    if (other == form)
      EXPECT_NO_THROW((void)decode<perfect_hash>(image.bytes(), {}));
    else
      EXPECT_THROW((void)decode<perfect_hash>(image.bytes(), {}), corrupt) << other;
  }
}
INSTANTIATE_TEST_SUITE_P(All, PerfectPresets,
                         ::testing::Range(std::size_t{0}, perfect_preset_names.size()),
                         [](const auto& of) {
  return std::string(perfect_preset_names[of.param]);
});

TEST(PerfectPresetNames, UnknownOnesAreRefused) {
  auto preset = perfect_preset::solved;
  for (const char* const name : {"", "solve", "solved ", "Solved", "8"})
    EXPECT_FALSE(preset_named(name, preset)) << name;
  EXPECT_EQ(preset, perfect_preset::solved);
}

// 2.2 bits in cells and 64/1500 in the directory are 2.243; unused cells of blocks take 0.003 more.
// Counted in the file, whose header and sections take less than a thousand bytes.
TEST(SolvedHash, TakesTwoAndAQuarterBitsWithAllThatIsInTheFile) {
  for (const std::uint64_t n : {std::uint64_t{100'000}, small_or(200'000, 1'000'000)}) {
    const auto made =
        perfect_hash::build(members(n, 26), {.preset = perfect_preset::solved, .threads = 2});
    const auto bits = static_cast<double>(made.size_in_bits());
    EXPECT_LE(bits, 2.25 * static_cast<double>(n)) << n << " keys";
    const auto plan = perfect_hash::plan({.keys = n, .preset = perfect_preset::solved});
    EXPECT_EQ(plan.bits, made.size_in_bits()) << n << " keys";
    const auto file = static_cast<double>(encode(made).size());
    EXPECT_LE(8 * file, bits + 8000) << n << " keys";
    EXPECT_LE(8 * file / static_cast<double>(n), 2.30) << n << " keys";
  }
}
// The low bytes of the directory are the seeds: one system of seven has no solution, so 1.18 are
// drawn for a bucket.
TEST(SolvedHash, DrawsHardlyMoreThanOneSystemForABucket) {
  const file_image file(
      encode(perfect_hash::build(members(300'000, 27), {.preset = perfect_preset::solved})));
  double seeds = 0, buckets = 0;
  for (const auto& e : file.entries())
    for (std::uint64_t i = 0; e.name == "directory" && i + 8 < e.length; i += 8, ++buckets)
      seeds += file.get<std::uint8_t>(e.offset + i);
  EXPECT_EQ(buckets, 201);
  EXPECT_LE(seeds / buckets, 0.18 + 5 * 0.46 / 14);  // five deviations of the mean
}
// All keys in the first bucket, more than it can hold: the build draws again, and the file gives
// the same answers.
TEST(SolvedHash, CraftedDigestsAreDrawnAgain) {
  auto keys = members(20'000, 28);
  for (digest& d : keys) d.hi >>= 12;
  const auto made = perfect_hash::build(keys, {.preset = perfect_preset::solved});
  EXPECT_EQ(made.size_in_bits(),
            perfect_hash::plan({.keys = 20'000, .preset = perfect_preset::solved}).bits);
  EXPECT_EQ(
      perfect_hash::build(shuffled(keys, 3), {.preset = perfect_preset::solved, .threads = 2}),
      made);
  const file_image file(encode(made));
  EXPECT_EQ(file.get<std::uint64_t>(file.field_places()[2]), 1U);
  const auto again = decode<perfect_hash>(file.bytes(), {});
  std::vector<bool> seen(keys.size());
  for (const digest& d : keys) {
    const std::uint64_t index = again.index(d);
    ASSERT_LT(index, keys.size());
    ASSERT_FALSE(seen[index]);
    seen[index] = true;
  }
}
// Thousands of keys in one bucket and few in the others, which have the smallest possible size.
TEST(SolvedHash, BucketsOfAnySize) {
  for (const std::uint64_t few : {0U, 1U, 2U, 3U, 5U, 9U, 30U}) {
    auto keys = members(6000, few + 29);  // five buckets
    for (std::uint64_t i = 0; i < keys.size(); ++i)
      keys[i].hi =
          i < 4 * few ? keys[i].hi >> 3 | (i % 4 + 1) * 0x3333333333333334 : keys[i].hi >> 3;
    const auto made = perfect_hash::build(keys, {.preset = perfect_preset::solved});
    std::vector<std::uint64_t> all(keys.size());
    made.index_batch(keys, all);
    std::sort(all.begin(), all.end());
    for (std::uint64_t i = 0; i < keys.size(); ++i) ASSERT_EQ(all[i], i) << few;
  }
}

// At most two graphs on average, at each size.
TEST(PeeledHash, DrawsAtMostTwoGraphsOnAverage) {
  for (const std::uint64_t n : sizes) {
    if (n == 0) continue;
    const std::uint64_t seeds = n < 1000 ? 200 : 40;
    unsigned drawn = 0;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      digest_spool keys;
      for (const digest& d : members(n, 1000 + seed)) keys.add(d);
      drawn += fuse_test::drawn(
          core::bdz::table::build(keys, {.width = 2, .thirds = true},
                                  [](const digest&, auto) { return std::uint64_t{0}; }),
          n);
    }
    EXPECT_LE(drawn, 2 * seeds) << n << " keys";
  }
}

}  // namespace
}  // namespace perfect_presets_test
}  // namespace umbel::test
