// ribbon_test.cpp - every key answers its value: all presets, widths and small sizes, layers far
// too small, repeats, conflicts; the same bytes for any order and number of threads; and the bits
// promised per key.
#include <gtest/gtest.h>
#include <algorithm>

#include <umbel/base/integers.hpp>
#include <umbel/engine/retrieval/ribbon/ribbon.hpp>
#include <umbel/engine/retrieval/tagged.hpp>

#include "support/environment.hpp"
#include "support/gate.hpp"
#include "support/ribbon_built.hpp"

namespace ribbon_test {
namespace {

using fuse_test::digest_of;
using umbel::test::shuffled;

TEST(RibbonExact, EmptyAnswersZero) {
  for (const auto preset : presets) {
    const ribbon r = built({}, {.width = 8, .preset = preset});
    EXPECT_EQ(r.keys(), 0U);
    EXPECT_EQ(r.size_in_bits(), 0U);
    EXPECT_EQ(r.value(digest_of(1, 1)), 0U);
  }
  EXPECT_EQ(ribbon().value({}), 0U);
}

TEST(RibbonExact, SmallNumbersOfKeysAndThoseAroundAWidth) {
  for (const auto preset : presets) {
    for (const std::uint64_t n : {1U, 2U, 3U, 31U, 63U, 64U, 65U, 100U, 127U, 128U, 129U, 191U,
                                  999U, 1000U, 1001U, 1999U, 2000U, 2001U, 4096U}) {
      for (std::uint64_t seed = 0; seed < 5; ++seed) {
        const unsigned width = 1 + static_cast<unsigned>(n * 5 + seed * 11) % 64;
        const auto all = pairs(n, width, seed);
        const ribbon r = built(all, {.width = width, .preset = preset});
        ASSERT_EQ(r.keys(), n);
        ASSERT_EQ(wrong(r, all), 0U)
            << n << " keys, width " << width << ", preset " << static_cast<int>(preset);
      }
    }
  }
}

TEST(RibbonExact, EveryWidth) {
  for (const auto preset : presets) {
    for (unsigned width = 1; width <= 64; ++width) {
      const auto all = pairs(3000, width, width);
      ASSERT_EQ(wrong(built(all, {.width = width, .preset = preset}), all), 0U) << width;
    }
  }
}

// Values that are all alike are a system that any solution of the others solves: rows without a
// slot of their own.
TEST(RibbonExact, ValuesAllAlike) {
  for (const auto preset : presets) {
    for (const std::uint64_t value : {0U, 1U}) {
      auto all = pairs(5000, 1, 3);
      for (valued& v : all) v.value = value;
      const ribbon r = built(all, {.width = 1, .preset = preset});
      EXPECT_EQ(r.keys(), all.size());
      EXPECT_EQ(wrong(r, all), 0U);
    }
  }
}

TEST(RibbonExact, LayersFarTooSmall) {
  for (const auto preset : bumped) {
    for (const double scale : {0.001, 0.1, 0.5, 0.9, 1.1, 2.0}) {
      const auto all = pairs(20'000, 7, 5);
      const ribbon r =
          built(all, {.width = 7, .preset = preset, .shard_from = 8000, .layer_scale = scale});
      EXPECT_EQ(wrong(r, all), 0U) << scale;
    }
  }
}

// Digests of one narrow range would all fall into one shard: shards are joined then.
TEST(RibbonExact, DigestsOfANarrowRange) {
  auto all = pairs(20'000, 8, 6);
  for (valued& v : all) v.key.hi = v.key.hi >> 9 | std::uint64_t{5} << 55;
  const ribbon r = built(all, {.width = 8, .shard_from = 4000});
  EXPECT_EQ(wrong(r, all), 0U);
  EXPECT_EQ(parts(r).shards(0), 1U);
  EXPECT_LT(static_cast<double>(r.size_in_bits()), 1.02 * 8 * 20'000);
}

TEST(RibbonRepeats, AreDropped) {
  for (const auto preset : presets) {
    for (const unsigned width : {1U, 8U}) {
      for (const std::uint64_t n : {1U, 50U, 6000U}) {
        const auto once = pairs(n, width, 9);
        auto twice = once;
        twice.insert(twice.end(), once.begin(), once.end());
        auto one_more = once;
        one_more.push_back(once[n / 2]);
        const ribbon::build_options how{.width = width, .preset = preset, .shard_from = 4000};
        const ribbon r = built(once, how);
        EXPECT_EQ(built(shuffled(twice, 1), how), r) << n;
        EXPECT_EQ(built(shuffled(one_more, 2), how), r) << n;
      }
    }
  }
}

TEST(RibbonRepeats, TwoValuesAreAConflictThatNamesTheKey) {
  for (const auto preset : presets) {
    for (const std::uint64_t n : {2U, 100U, 6000U}) {
      auto all = pairs(n, 8, 11);
      valued other = all[n / 3];
      other.value ^= 0x40;
      all.push_back(other);
      try {
        (void)built(shuffled(all, 3), {.width = 8, .preset = preset});
        FAIL() << n;
      } catch (const umbel::core::digest_conflict& clash) {
        EXPECT_EQ(clash.key, other.key);
        EXPECT_EQ(clash.first ^ clash.second, 0x40U);
      }
    }
  }
  std::vector<valued> many;  // one key, many values
  for (std::uint64_t i = 0; i < 3000; ++i) many.push_back({digest_of(1, 1), i % 256});
  EXPECT_THROW((void)built(many, {.width = 8}), umbel::core::digest_conflict);
}

TEST(RibbonBytes, DependOnTheSetAlone) {
  const auto all = pairs(40'000, 8, 13);
  for (const auto preset : presets) {
    const ribbon one = built(all, {.width = 8, .preset = preset, .shard_from = 8000});
    EXPECT_GE(parts(one).shards(0), 8U);
    EXPECT_EQ(wrong(one, all), 0U);
    for (const unsigned threads : {2U, 3U})
      EXPECT_EQ(built(shuffled(all, threads),
                      {.width = 8, .preset = preset, .threads = threads, .shard_from = 8000}),
                one);
  }
}

// The portable parities and the vector kernels, over every width; single queries run the kernel
// that was in use when the ribbon was built.
TEST(RibbonKernels, AgreeOnNonMembers) {
  using umbel::cells::kernel::level;
  constexpr level levels[] = {level::portable, level::avx2, level::avx512};
  for (const auto preset : presets) {
    for (unsigned width = 1; width <= 64; ++width) {
      std::vector<std::uint64_t> expected;
      for (const level l : levels) {
        umbel::cells::kernel::use(l);
        const ribbon r = built(pairs(500, width, 15), {.width = width, .preset = preset});
        std::vector<std::uint64_t> found(300);
        r.values(
            found.size(), [](std::size_t i) { return digest_of(i, 77); },
            [](umbel::digest) { return std::uint64_t{0}; },
            [&](std::size_t i, std::uint64_t, std::uint64_t v) { found[i] = v; });
        for (std::size_t i = 0; i < found.size(); ++i)
          ASSERT_EQ(found[i], r.value(digest_of(i, 77))) << width;
        if (expected.empty()) expected = found;
        ASSERT_EQ(found, expected) << width;
      }
      umbel::cells::kernel::use(umbel::cells::kernel::best());
    }
  }
}

// Single queries of several shards and layers, members and non-members, by every kernel; also of a
// copy, whose original is gone.
TEST(RibbonKernels, AgreeOnSingleQueries) {
  using umbel::cells::kernel::level;
  const auto all = pairs(30'000, 8, 19);
  const auto built_under = [&](level l, ribbon_preset preset) {
    umbel::cells::kernel::use(l);
    const ribbon r = ribbon::build(spooled(all), {.width = 8, .preset = preset, .shard_from = 8000},
                                   [](const valued& v) { return ribbon::tag_word(v.key) & 0xFF; });
    const ribbon copy = r;
    umbel::cells::kernel::use(umbel::cells::kernel::best());
    return copy;
  };
  for (const auto preset : presets) {
    const ribbon portable = built_under(level::portable, preset),
                 vectors = built_under(umbel::cells::kernel::best(), preset);
    ASSERT_EQ(portable, vectors);
    for (const valued& v : all) ASSERT_TRUE(portable.matches(v.key) && vectors.matches(v.key));
    std::size_t passing = 0;
    for (std::uint64_t i = 0; i < 50'000; ++i) {
      const umbel::digest d = digest_of(i, 78);
      ASSERT_EQ(portable.value(d), vectors.value(d));
      const bool passes = portable.value(d) == (ribbon::tag_word(d) & 0xFF);
      ASSERT_EQ(portable.matches(d), passes);
      ASSERT_EQ(vectors.matches(d), passes);
      passing += passes;
    }
    EXPECT_TRUE(umbel::test::binomial_gate(passing, 50'000, 1.0 / 256, umbel::test::exact_model))
        << static_cast<int>(preset);
  }
  EXPECT_FALSE(ribbon().matches({}));
}

// Layers, shards, exceptions and rests of batches; digests made one by one, from a list, of
// integers; tags and other notes.
TEST(RibbonKernels, AgreeOnBatchesOfAllKinds) {
  using umbel::cells::kernel::level;
  std::vector<std::uint64_t> numbers(2100);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = umbel::detail::mix64(i);
  std::vector<umbel::digest> digests;
  for (const std::uint64_t x : numbers) digests.push_back(umbel::detail::integer_digest(x, 99));
  const umbel::detail::integer_digests<std::uint64_t> of_numbers{numbers.data(), 99};
  struct answer {
    std::uint64_t key, note, value;
  };
  const umbel::detail::digest_list listed{digests.data()};
  for (const auto preset : presets) {
    for (const unsigned width : {8U, 13U}) {
      const ribbon r =
          built(pairs(20'000, width, 15), {.width = width, .preset = preset, .shard_from = 4000});
      const auto hold = [&](std::size_t total, auto digest_at, auto note_of) {
        std::vector<answer> found(total +
                                  // looked at afterwards: a sink is inlined into every loop, many
                                  // times over
                                  1);
        std::size_t count = 0;
        r.values(total, digest_at, note_of,
                 [&](std::size_t i, std::uint64_t note, std::uint64_t v) {
          found[std::min(count++, total)] = {i, note, v};
        });
        ASSERT_EQ(count, total);
        for (std::size_t i = 0; i < total; ++i) {
          ASSERT_EQ(found[i].key, i);
          ASSERT_EQ(found[i].note, ribbon::tag_word(digests[i]) & 0x7FF);
          ASSERT_EQ(found[i].value, r.value(digests[i]))
              << i << " of " << total << ", width " << width;
        }
      };
      for (const level l : {level::portable, level::avx2, level::avx512}) {
        umbel::cells::kernel::use(l);
        const auto tag = [](std::uint64_t word) { return word & 0x7FF; };
        const auto other = [](umbel::digest d) { return ribbon::tag_word(d) & 0x7FF; };
        for (const std::size_t total :
             {0U, 1U, 7U, 8U, 9U, 63U, 300U, 1023U, 1024U, 1025U, 1031U, 2100U}) {
          hold(total, of_numbers, other);
          hold(total, listed, other);
          hold(
              total, [&](std::size_t i) { return digests[i]; }, other);
          hold(total, of_numbers, tag);
          hold(total, listed, tag);
        }
      }
      umbel::cells::kernel::use(umbel::cells::kernel::best());
    }
  }
}

// Above r bits per key, all that is stored counted, in percent: what bench/derive/ribbon prints, to
// a tenth of a point, and at r = 8 no more than 0.30, 0.12 and 0.06. The plan may not promise less
// than what is built by more than one block a layer.
TEST(RibbonSize, OverheadOfAMillionKeys) {
  const std::uint64_t n = umbel::test::sanitized ? 100'000 : 1'000'000;
  constexpr unsigned widths[] = {1, 2, 4, 8, 16};
  const double table[3][5] = {{1.60, 0.81, 0.42, 0.23, 0.13},
                              {0.44, 0.24, 0.14, 0.09, 0.07},
                              {0.32, 0.17, 0.09, 0.05, 0.03}};
  const double most[] = {0.30, 0.12, 0.06};
  for (std::size_t i = 0; i < std::size(widths); ++i) {
    const unsigned width = widths[i];
    const auto all = pairs(n, width, 17);
    for (const auto preset : bumped) {
      const ribbon r = built(all, {.width = width, .preset = preset});
      EXPECT_EQ(wrong(r, all), 0U);
      const double bits = static_cast<double>(r.size_in_bits());
      const auto number = static_cast<std::size_t>(preset);
      const double overhead = 100 * (bits / static_cast<double>(width * n) - 1);
      if (n == 1'000'000) {
        EXPECT_NEAR(overhead, table[number][i], 0.1) << width;
        if (width == 8) {
          EXPECT_LE(overhead, most[number]);
        }
      }
      EXPECT_NEAR(bits, static_cast<double>(ribbon::plan(n, width, 0, preset).bits),
                  4 * 128 * width + 0.001 * bits);
    }
  }
}

// What layer 0 bumps is its overload, to half a point, and less than a thousandth of its slots stay
// empty. Its layer 1 tells how many it bumped, to a block.
TEST(RibbonSize, LayersBumpTheirOverloadAndFillTheirSlots) {
  const std::uint64_t n = umbel::test::sanitized ? 100'000 : 1'000'000;
  const auto all = pairs(n, 16, 18);
  for (const auto preset : bumped) {
    const ribbon r = built(all, {.width = 16, .preset = preset});
    const double overload = umbel::sizing::shape_of(preset).overload;
    const double passed_on = static_cast<double>(parts(r).slots(1)) / (1 - overload);
    EXPECT_NEAR(passed_on / static_cast<double>(n), overload, 0.005);
    const auto slots = static_cast<double>(parts(r).slots(0));
    EXPECT_LT((slots - (static_cast<double>(n) - passed_on)) / slots,
              umbel::test::sanitized ? 0.003 : 0.001);
  }
}

TEST(RibbonErrors, AnUnknownPresetIsRefused) {
  EXPECT_THROW((void)built(pairs(3, 8, 1), {.width = 8, .preset = static_cast<ribbon_preset>(7)}),
               umbel::bad_parameter);
  EXPECT_THROW((void)ribbon::plan(3, 8, 8, static_cast<ribbon_preset>(99)), umbel::bad_parameter);
}

}  // namespace
}  // namespace ribbon_test
