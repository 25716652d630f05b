// ribbon_filter_test.cpp - ribbon filters and maps (BuRR) [DW21], [DHSW22]: the rate, values found,
// and the sizes of presets.
#include <cmath>
#include <optional>

#include <gtest/gtest.h>

#include <umbel/map/ribbon_map.hpp>
#include <umbel/set/ribbon_filter.hpp>

#include "support/gate.hpp"
#include "support/keys.hpp"

namespace umbel::ribbon_filter_test {
namespace {

using umbel::ribbon_filter;
using umbel::ribbon_map;
using umbel::ribbon_preset;
using umbel::test::members;

// 5 deviations of a binomial.
TEST(RibbonFilter, ErrsAtItsRate) {
  constexpr std::size_t asked = 400'000;
  for (const auto preset : {ribbon_preset::fast, ribbon_preset::compact, ribbon_preset::smallest,
                            ribbon_preset::standard_64, ribbon_preset::homogeneous_64,
                            ribbon_preset::homogeneous_128}) {
    for (const int bits : {1, 4, 8}) {
      const double rate = std::exp2(-bits);
      const auto set = ribbon_filter::build(members(30'000, 1), {.fpr = rate, .preset = preset});
      // One more column, because 2^-10 of the rate is added.
      if (preset == ribbon_preset::homogeneous_64)
        EXPECT_DOUBLE_EQ(set.expected_fpr(), rate / 2 * (1 + 0x1p-10));
      else
        EXPECT_NEAR(set.expected_fpr(), rate, 1e-9 * rate);
      const auto non_members = members(asked, 2);
      const auto answers = std::make_unique<bool[]>(asked);
      set.may_contain_batch(non_members, {answers.get(), asked});
      const auto hits = static_cast<double>(std::count(answers.get(), answers.get() + asked, true));
      const double expected = set.expected_fpr();
      EXPECT_NEAR(hits, expected * asked, 5 * std::sqrt(expected * (1 - expected) * asked)) << bits;
    }
  }
}

// Rows and tags of the first layer are cut from one product: keys with a pattern show whether they
// are independent.
TEST(RibbonFilter, KeysWithAPatternErrAtItsRate) {
  constexpr std::uint64_t n = 100'000, asked = 1'000'000;
  const auto reversed = [](std::uint64_t x) {
    std::uint64_t out = 0;
    for (int i = 0; i < 64; ++i) out |= (x >> i & 1) << (63 - i);
    return out;
  };
  std::uint64_t (*const patterns[])(std::uint64_t) = {
      [](std::uint64_t i) { return i; }, [](std::uint64_t i) { return i * 4096; },
      [](std::uint64_t i) { return i << 40; },
      [](std::uint64_t i) { return i % 1024 << 32 | i / 1024; }};
  for (const auto& pattern : patterns)
    for (const bool turned : {false, true}) {
      const auto key = [&](std::uint64_t i) { return turned ? reversed(pattern(i)) : pattern(i); };
      std::vector<std::uint64_t> keys(n);
      for (std::uint64_t i = 0; i < n; ++i) keys[i] = key(i);
      for (const int bits : {2, 8, 13}) {
        const auto set = ribbon_filter::build(keys, {.fpr = std::exp2(-bits)});
        std::uint64_t hits = 0;
        for (std::uint64_t i = 0; i < n; ++i) ASSERT_TRUE(set.may_contain(keys[i]));
        for (std::uint64_t i = n; i < n + asked; ++i) hits += set.may_contain(key(i));
        EXPECT_TRUE(test::binomial_gate(hits, asked, std::exp2(-bits), test::exact_model))
            << "pattern " << &pattern - patterns << (turned ? ", reversed, " : ", ") << bits
            << " bits";
      }
    }
}

// A tag has up to 64 bits, and all of them count.
TEST(RibbonFilter, EveryBitOfATagIsBalanced) {
  constexpr std::uint64_t asked = 200'000;
  for (unsigned bit = 0; bit < 64; ++bit) {
    std::uint64_t ones = 0, alike = 0;
    for (const digest d : members(asked, 9)) {
      const std::uint64_t tag = core::ribbon::tag_word(d), next = tag >> ((bit + 1) % 64);
      ones += tag >> bit & 1;
      alike += (tag >> bit ^ next) & 1;
    }
    EXPECT_TRUE(test::binomial_gate(ones, asked, 0.5, test::exact_model)) << bit;
    EXPECT_TRUE(test::binomial_gate(alike, asked, 0.5, test::exact_model)) << bit;
  }
}

TEST(RibbonFilter, HomogeneousPresetsKeepTheirRate) {
  const auto plan = [](double fpr, ribbon_preset preset) {
    return ribbon_filter::plan({.keys = 1000, .fpr = fpr, .preset = preset});
  };
  for (const auto preset : {ribbon_preset::homogeneous_64, ribbon_preset::homogeneous_128})
    for (const double fpr : {0.5, 0.3, 0.01, 0.004, 1.0 / 256, 1e-6, 0x1p-40, 0x1p-45}) {
      EXPECT_LE(plan(fpr, preset).fpr, fpr * (1 + 1e-8)) << fpr;
      EXPECT_GT(2.01 * plan(fpr, preset).fpr, fpr / 2) << "no more columns than it takes";
    }
  EXPECT_THROW((void)plan(0x1p-46, ribbon_preset::homogeneous_64), bad_parameter);
  EXPECT_THROW((void)ribbon_filter::build(members(10, 1),
                                          {.fpr = 1e-15, .preset = ribbon_preset::homogeneous_64}),
               bad_parameter);
  EXPECT_LE(plan(0x1p-64, ribbon_preset::homogeneous_128).fpr, 0x1p-64 * (1 + 1e-8));
  // Without a rate it has eight columns, and reports the rate they give.
  const auto usual =
      ribbon_filter::build(members(1000, 1), {.preset = ribbon_preset::homogeneous_64});
  EXPECT_DOUBLE_EQ(usual.expected_fpr(), (1 + 0x1p-10) / 256);
}

TEST(RibbonFilter, SmallerPresetsAreSmaller) {
  const auto keys = members(200'000, 3);
  const auto size = [&](ribbon_preset preset) {
    return ribbon_filter::build(keys, {.fpr = 1.0 / 256, .preset = preset}).size_in_bits();
  };
  EXPECT_LT(size(ribbon_preset::compact), size(ribbon_preset::fast));
  EXPECT_LT(size(ribbon_preset::smallest), size(ribbon_preset::compact));
}

// A homogeneous ribbon cannot detect non-members.
TEST(RibbonMap, HomogeneousPresetsAreRefused) {
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs{{1, 2}};
  for (const auto preset : {ribbon_preset::homogeneous_64, ribbon_preset::homogeneous_128}) {
    EXPECT_THROW((void)ribbon_map::build(pairs, {.value_bits = 6, .preset = preset}),
                 umbel::bad_parameter);
    EXPECT_THROW((void)ribbon_map::plan({.keys = 5, .value_bits = 6, .preset = preset}),
                 umbel::bad_parameter);
  }
}

TEST(RibbonMap, FindsAndRefuses) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs;
  for (std::uint64_t i = 0; i < 5000; ++i) pairs.emplace_back(i, i % 61);
  const auto map = ribbon_map::build(pairs, {.value_bits = 6, .fpr = 0.001});
  for (const auto& [k, value] : pairs) {
    EXPECT_EQ(map.find(k), std::optional(value));
    EXPECT_EQ(map.value(k), value);
  }
  std::size_t believed = 0;
  for (std::uint64_t i = 0; i < 20'000; ++i) believed += map.find(1'000'000 + i).has_value();
  EXPECT_LE(static_cast<double>(believed), 20.0 + 5 * std::sqrt(20.0));  // 2^-10 of 20,000

  pairs.emplace_back(7, 8);
  EXPECT_THROW((void)ribbon_map::build(pairs, {.value_bits = 6}), umbel::conflict);
  pairs.back() = {5000, 64};
  EXPECT_THROW((void)ribbon_map::build(pairs, {.value_bits = 6}), umbel::bad_parameter);
}

}  // namespace
}  // namespace umbel::ribbon_filter_test
