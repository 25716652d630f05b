// fuse_exact_test.cpp - every key answers its value: all small sets, the sizes at which the
// published shape fails, all widths, and values that are all alike.
#include <gtest/gtest.h>

#include <umbel/base/integers.hpp>
#include <umbel/engine/retrieval/fuse.hpp>
#include <umbel/engine/retrieval/peeled_build.hpp>

#include "support/fuse_built.hpp"
#include "support/fuse_keys.hpp"
#include "support/fuse_parts.hpp"

namespace fuse_exact_test {
namespace {

using namespace fuse_test;
using fuse = umbel::core::peeled<umbel::core::fuse<3>>;
using umbel::detail::low_mask;

TEST(FuseExact, EmptyAnswersZero) {
  for (const unsigned width : {1U, 8U, 64U}) {
    const fuse f = built({}, {.width = width});
    EXPECT_EQ(f.keys(), 0U);
    EXPECT_EQ(f.size_in_bits(), 0U);
    EXPECT_EQ(f.value(digest_of(1, 1)), 0U);
  }
  EXPECT_EQ(fuse().value({}), 0U);
}

TEST(FuseExact, EverySmallNumberOfKeys) {
  for (std::uint64_t n = 0; n <= 300; ++n) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const unsigned width = 1 + static_cast<unsigned>(n * 5 + seed) % 64;
      const auto all = pairs(n, width, seed);
      const fuse f = built(all, {.width = width});
      ASSERT_EQ(f.keys(), n);
      ASSERT_EQ(wrong(f, all), 0U) << n << " keys, seed " << seed;
    }
  }
}

// Just below a step of the segment count nearly every graph of the published shape fails.
TEST(FuseExact, TheHolesOfThePublishedShape) {
  for (const std::uint64_t n : {3551U, 11521U, 12372U, 13224U, 37454U, 39202U, 126131U, 416077U}) {
    const auto all = pairs(n, 8, 7);
    const fuse f = built(all, {.width = 8});
    EXPECT_EQ(wrong(f, all), 0U) << n;
    EXPECT_LE(n, 0.90 * static_cast<double>(parts(f)["segments"] << parts(f)["length_bits"])) << n;
  }
}

TEST(FuseExact, AroundEveryPowerOfTwo) {
  for (unsigned bits = 9; bits <= 17; ++bits) {
    for (const int off : {-1, 0, 1}) {
      const auto all = pairs((std::uint64_t{1} << bits) + static_cast<std::uint64_t>(off), 5, bits);
      EXPECT_EQ(wrong(built(all, {.width = 5}), all), 0U) << all.size();
    }
  }
}

// Narrow rows carry their value in the sum, wide ones beside it; the border moves with the number
// of keys.
TEST(FuseExact, EveryWidth) {
  for (const std::uint64_t n : {3U, 1000U, 20'000U}) {
    for (unsigned width = 1; width <= 64; ++width) {
      const auto all = pairs(n, width, width);
      const fuse f = built(all, {.width = width});
      ASSERT_EQ(f.width(), width);
      ASSERT_EQ(wrong(f, all), 0U) << n << " keys of width " << width;
    }
  }
}

TEST(FuseExact, ValuesAllAlike) {
  for (const unsigned width : {1U, 8U, 13U, 33U, 64U}) {
    for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{1}, low_mask(width)}) {
      auto all = pairs(5000, width, 3);
      for (auto& v : all) v.value = value;
      EXPECT_EQ(wrong(built(all, {.width = width}), all), 0U)
          << value << " in " << width << " bits";
    }
  }
  auto all = pairs(100, 8, 3);
  for (auto& v : all) v.value = 0;
  const fuse zeros = built(all, {.width = 8});
  // nothing was ever set
  for (std::uint64_t i = 0; i < 1000; ++i) EXPECT_EQ(zeros.value(digest_of(i, 99)), 0U);
}

// Published values of m/n; the engine may round up to whole words, and no more than its plan says.
TEST(FuseExact, TakesWhatThePlanSays) {
  struct expected {
    std::uint64_t n;
    double cells_per_key;
  };
  for (const auto& [n, cells_per_key] :
       {expected{100, 1.92}, {1000, 1.41}, {10'000, 1.28}, {100'000, 1.19}, {1'000'000, 1.131}}) {
    const fuse f = built(pairs(n, 8, 4), {.width = 8});
    const auto plan = fuse::plan(n, 8, 8);
    const parts in(f);
    const auto cells = (in["segments"] + 2) << in["length_bits"];
    EXPECT_EQ(plan.keys, n);
    EXPECT_GE(plan.cells, cells);
    EXPECT_LT(plan.cells, cells + 64);
    EXPECT_EQ(plan.bits, f.size_in_bits());
    EXPECT_DOUBLE_EQ(plan.fpr, 1.0 / 256);
    EXPECT_NEAR(static_cast<double>(cells) / static_cast<double>(n), cells_per_key, 0.01) << n;
  }
  EXPECT_EQ(fuse::plan(0, 8, 8).bits, 0U);
}

}  // namespace
}  // namespace fuse_exact_test
