// exact_cascade_set_test.cpp - exact set as a filter cascade (CRLite) [LCL17]: no error on the
// universe at any share of members; sizes match the published formula.
#include <string>

#include <gtest/gtest.h>

#include <umbel/codec/codec.hpp>
#include <umbel/set/exact_cascade_set.hpp>
#include <umbel/sizing/subset.hpp>

#include "support/environment.hpp"
#include "support/gate.hpp"
#include "support/keys.hpp"
#include "support/universe.hpp"

namespace umbel::test::exact_cascade_set_test {
namespace {

exact_cascade_set built(const universe& of, const exact_cascade_options& how = {}) {
  return of.build<exact_cascade_set>(how);
}

TEST(ExactCascade, NoErrorAtAnyShareOfMembers) {
  const std::uint64_t n = small_or(10'000, 100'000);
  for (const double share : {0.0001, 0.001, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 0.999, 0.9999}) {
    const auto in = static_cast<std::uint64_t>(share * static_cast<double>(n));
    const auto all = universe_of(in, n - in, 1);
    const auto set = built(all);
    EXPECT_TRUE(all.told_by(set)) << share;
    EXPECT_EQ(set.inverted(), share > 0.5);
    EXPECT_EQ(set.keys(), in);
    EXPECT_EQ(set.universe(), n);
  }
}

TEST(ExactCascade, SmallUniversesOneByOne) {
  for (std::uint64_t in = 0; in <= 12; ++in)
    for (std::uint64_t out = 0; out <= 12; ++out)
      for (std::uint64_t seed = 1; seed <= small_or(3, 20); ++seed) {
        const auto all = universe_of(in, out, seed);
        const auto set = built(all);
        ASSERT_TRUE(all.told_by(set)) << in << " of " << in + out << ", " << seed;
        ASSERT_EQ(set.layers() == 0, in == 0 || out == 0);
      }
}

// The universe given with or without the members, with repeats, in any order: the same bytes.
TEST(ExactCascade, TheUniverseIsASet) {
  const auto all = universe_of(2000, 5000, 2);
  const auto bytes = encode(built(all));
  EXPECT_EQ(encode(built({all.in, joined(all.out, all.in)})), bytes);
  EXPECT_EQ(encode(built({joined(all.in, all.in), shuffled(joined(all.out, all.out), 3)},
                         {.threads = 2})),
            bytes);
  EXPECT_EQ(encode(built({shuffled(all.in, 4), joined(all.out, {all.in[7]})})), bytes);
}

TEST(ExactCascade, TakesKeysOfAnyType) {
  const std::vector<std::string> revoked{"ant", "bee", ""},
      known{"ant", "cat", "dog", std::string("a\0b", 3)};
  const auto set = exact_cascade_set::build(revoked, known, {.hash = hasher::seeded(5)});
  for (const auto& k : revoked) EXPECT_TRUE(set.contains(k));
  for (const auto* k : {"cat", "dog"}) EXPECT_FALSE(set.contains(k));
  EXPECT_FALSE(set.contains(known[3]));
  EXPECT_EQ(set.universe(), 6U);
}

// [LCL17]: with 1e5 keys on the smaller side all fluctuations are below the 3 % that rounding the
// number of probes may cost.
TEST(ExactCascade, SizesFollowTheFormula) {
  if (small()) GTEST_SKIP() << "full-size runs only";
  for (const std::uint64_t others : {100'000U, 200'000U, 450'000U, 1'000'000U}) {
    for (const bool inverted : {false, true}) {
      const auto set =
          built(inverted ? universe_of(others, 99'999, 5) : universe_of(100'000, others, 5));
      const double formula = sizing::exact_cascade_bits(100'000, static_cast<double>(others));
      EXPECT_NEAR(static_cast<double>(set.size_in_bits()), formula, 0.03 * formula) << others;
      EXPECT_GT(static_cast<double>(set.size_in_bits()),
                sizing::subset_bits(static_cast<double>(set.universe()),
                                    static_cast<double>(set.keys())));
    }
  }
}

// The published shape, scaled down: one certificate in 70 is revoked.
TEST(ExactCascade, OneKeyInSeventyTakesThePublishedSize) {
  if (small()) GTEST_SKIP() << "full-size runs only";
  const std::uint64_t revoked = 50'000, valid = 3'450'000;
  const auto all = universe_of(revoked, valid, 6);
  const auto set = built(all, {.threads = 2});
  const double formula =
      sizing::exact_cascade_bits(static_cast<double>(revoked), static_cast<double>(valid));
  EXPECT_NEAR(static_cast<double>(set.size_in_bits()), formula, 0.03 * formula);
  EXPECT_TRUE(all.told_by(set));
}

// Outside the universe nothing is promised, but the share of positive answers follows from the
// fills.
TEST(ExactCascade, OutsideTheUniverseTheRateIsKnown) {
  const std::uint64_t trials = small_or(50'000, 500'000);
  for (const std::uint64_t in : {2000U, 20'000U, 60'000U}) {
    const auto set = built(universe_of(in, 40'000, 7));
    std::uint64_t hits = 0;
    for (std::uint64_t i = 0; i < trials; ++i)
      hits += set.contains(digest_of(non_member_number(i, 8)));
    EXPECT_TRUE(binomial_gate(hits, trials, set.expected_fpr())) << in;
  }
}

}  // namespace
}  // namespace umbel::test::exact_cascade_set_test
