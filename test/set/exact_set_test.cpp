// exact_set_test.cpp - exact set (clubcard) [Sch25]: no error on the universe at any share of
// members and any division into blocks; sizes match the formula and are near the lower bound.
#include <cmath>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include <umbel/codec/codec.hpp>
#include <umbel/set/exact_set.hpp>
#include <umbel/sizing/cascade.hpp>
#include <umbel/sizing/exact_set.hpp>
#include <umbel/sizing/subset.hpp>

#include "support/environment.hpp"
#include "support/gate.hpp"
#include "support/keys.hpp"
#include "support/temp_dir.hpp"
#include "support/universe.hpp"

namespace umbel::test::exact_set_test {
namespace {

exact_set built(const universe& of, const exact_set_options& how = {}) {
  return of.build<exact_set>(how);
}

TEST(ExactSet, NoErrorAtAnyShareOfMembers) {
  for (const std::uint64_t n :
       {std::uint64_t{1000}, std::uint64_t{30'000}, small_or(10'000, 200'000)})
    for (const double share : {0.0, 0.001, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 0.999, 1.0}) {
      const auto in = static_cast<std::uint64_t>(std::lround(share * static_cast<double>(n)));
      const auto all = universe_of(in, n - in, 1);
      const auto set = built(all);
      EXPECT_TRUE(all.told_by(set)) << share << " of " << n;
      EXPECT_EQ(set.inverted(), share > 0.5);
      EXPECT_EQ(set.keys(), in);
      EXPECT_EQ(set.universe(), n);
      EXPECT_EQ(set.blocks(), 1U);
      EXPECT_EQ(set.passing() == 0, in == 0 || in == n);
    }
}

TEST(ExactSet, SmallUniversesOneByOne) {
  for (std::uint64_t in = 0; in <= 9; ++in)
    for (std::uint64_t out = 0; out <= 9; ++out)
      for (std::uint64_t seed = 1; seed <= small_or(2, 5); ++seed) {
        const auto all = universe_of(in, out, seed);
        ASSERT_TRUE(all.told_by(built(all))) << in << " of " << in + out << ", " << seed;
      }
  EXPECT_FALSE(exact_set().contains(1));
  EXPECT_EQ(encode(built({})), encode(exact_set()));
}

// With fewer than two non-members for each member there is no first stage; from there on it takes
// one bit more with every doubling.
TEST(ExactSet, RanksFollowTheRatioOfTheSides) {
  for (const auto& [others, rank] : std::map<std::uint64_t, unsigned>{{100, 0},
                                                                      {199, 0},
                                                                      {200, 1},
                                                                      {399, 1},
                                                                      {400, 2},
                                                                      {799, 2},
                                                                      {800, 3},
                                                                      {102'399, 9},
                                                                      {102'400, 10}}) {
    EXPECT_EQ(built(universe_of(100, others, 2)).rank(), rank) << others;
    EXPECT_EQ(built(universe_of(others, 100, 2)).rank(), rank) << others;
  }
}

// Given with or without the members, repeated, in any order, by any number of threads, from disk,
// in one system or in many shards: one set of bytes for each shape.
TEST(ExactSet, TheUniverseIsASet) {
  const temp_dir here;
  const std::uint64_t n = small_or(5000, 60'000);
  for (const std::uint64_t shard_from : {sizing::peel_shard_from, std::uint64_t{8000}}) {
    const auto all = universe_of(n / 5, n, 2);
    const auto bytes = encode(built(all, {.shard_from = shard_from}));
    const exact_set_options two{.threads = 2, .shard_from = shard_from};
    EXPECT_TRUE(encode(built({all.in, joined(all.out, all.in)}, two)) == bytes);
    EXPECT_TRUE(encode(built({joined(all.in, all.in), shuffled(joined(all.out, all.out), 3)},
                             two)) == bytes);
    const spool_options little{.memory_limit = 64 << 10, .directory = here.path()};
    const auto in = spool_from(shuffled(all.in, 4), little),
               out = spool_from(shuffled(all.out, 5), little);
    EXPECT_TRUE(out.spilled());
    EXPECT_TRUE(encode(exact_set::build(in, out, two)) == bytes);
    EXPECT_TRUE(here.names().empty());
  }
}

TEST(ExactSet, TakesKeysOfAnyType) {
  const std::vector<std::string> revoked{"ant", "bee", ""},
      known{"ant", "cat", "dog", std::string("a\0b", 3)};
  const auto set = exact_set::build(revoked, known, {.hash = hasher::seeded(5)});
  for (const auto& k : revoked) EXPECT_TRUE(set.contains(k));
  for (const auto* k : {"cat", "dog"}) EXPECT_FALSE(set.contains(k));
  EXPECT_FALSE(set.contains(known[3]));
  EXPECT_EQ(set.universe(), 6U);
}

// ---- sizes ----

// A non-member passes the first stage with probability 2^-rank. A small set is the best of several
// tries, part by part: the least of t normal deviations is `least[t]` on average, and deviates by
// less than 0.9.
TEST(ExactSet, TheFirstStagePassesTheExpectedShare) {
  const std::map<std::uint64_t, double> least{
      {3, -0.85}, {4, -1.03}, {8, -1.42}, {16, -1.77}, {32, -2.07}};
  const std::uint64_t n = small_or(20'000, 400'000);
  for (const std::uint64_t times : {2U, 3U, 5U, 20U, 100U, 999U}) {
    for (const std::uint64_t seed : {3U, 4U}) {
      const std::uint64_t in = n / times;
      const auto set = built(universe_of(in, n, seed));
      const double p = std::exp2(-static_cast<double>(set.rank()));
      const double mean = static_cast<double>(n) * p, deviation = std::sqrt(mean * (1 - p));
      const bool squares = sizing::exact_takes_squares(in, n);
      const std::uint64_t tries = squares ? sizing::exact_tries(in, n) : 1;
      if (tries == 1) {
        EXPECT_TRUE(binomial_gate(set.passing() - in, n, p, exact_model)) << times;
        continue;
      }
      const double over_parts =
          deviation * std::sqrt(static_cast<double>(sizing::square_parts(in)));
      EXPECT_NEAR(static_cast<double>(set.passing() - in), mean + least.at(tries) * over_parts,
                  5 * 0.9 * deviation)
          << times;
    }
  }
}

// Everything that is stored, against log2 C(u, members): at most 0.6 bits more per key of the
// smaller side, from 0.1 % to 99.9 % of a million keys. The shares just below 2^-r are the hardest:
// there the formula alone is 0.55 to 0.56 bits above the bound.
void stays_near_the_bound(std::initializer_list<std::uint64_t> sizes,
                          std::initializer_list<std::uint64_t> seeds) {
  if (small()) GTEST_SKIP() << "full-size runs only";
  constexpr std::uint64_t u = 1'000'000;
  for (const std::uint64_t in : sizes)
    for (const std::uint64_t seed : seeds) {
      const auto all = universe_of(in, u - in, seed);
      const auto set = built(all, {.threads = 2});
      const auto stored = static_cast<double>(std::min(in, u - in)),
                 bits = static_cast<double>(set.size_in_bits());
      const double bound = sizing::subset_bits(u, static_cast<double>(in));
      EXPECT_GT(bits, bound) << in;
      EXPECT_LE(bits, bound + 0.6 * stored) << in << ": " << (bits - bound) / stored << " above";
      EXPECT_LT(bits, sizing::exact_cascade_bits(stored, u - stored)) << in;
      // A file adds a header, aligned sections and checksums, and nothing else.
      EXPECT_LE(8.0 * static_cast<double>(encode(set).size()), bits + 8 * 2048) << in;
    }
}
TEST(ExactSet, StaysNearTheBoundWithAThousandMembers) { stays_near_the_bound({1000}, {5, 6, 7}); }
TEST(ExactSet, StaysNearTheBoundWithFewMembers) {
  stays_near_the_bound({1951, 3892, 7752, 10'000, 15'385, 30'303}, {5});
}
TEST(ExactSet, StaysNearTheBoundWithManyMembers) {
  stays_near_the_bound({33'000, 40'000, 58'824, 100'000, 111'112, 300'000, 500'000, 900'000}, {5});
}
TEST(ExactSet, StaysNearTheBoundWithFewOthers) {
  stays_near_the_bound({969'697, 990'000, 996'108, 998'049, 999'000}, {5});
}

// Between the sizes at which the keys are split into one more part, and where ribbons begin.
TEST(ExactSet, SmallSetsOfManyParts) {
  const std::uint64_t most = small_or(20'000, 98'304);
  for (const std::uint64_t n :
       std::initializer_list<std::uint64_t>{6143, 6144, 6145, 12'289, most, most + 1})
    for (const std::uint64_t in : {n / 2, n / 9}) {
      const auto all = universe_of(in, n - in, 8);
      const auto set = built(all, {.threads = 2});
      EXPECT_TRUE(all.told_by(set)) << in << " of " << n;
      EXPECT_TRUE(decode<exact_set>(encode(set)) == set);
      EXPECT_TRUE(all.told_by(decode<exact_set>(encode(set)))) << in << " of " << n;
    }
}

TEST(ExactSet, SizesFollowTheFormula) {
  if (small()) GTEST_SKIP() << "full-size runs only";
  for (const std::uint64_t others : {100'000U, 150'000U, 290'000U, 1'500'000U}) {
    for (const bool inverted : {false, true}) {
      const auto all = inverted ? universe_of(others, 99'999, 6) : universe_of(100'000, others, 6);
      const auto set = built(all);
      const double formula = sizing::exact_set_bits(all.in.size(), all.out.size());
      EXPECT_NEAR(static_cast<double>(set.size_in_bits()), formula, 0.02 * formula) << others;
      const auto plan =
          exact_set::plan({.keys = all.in.size(), .universe = all.in.size() + all.out.size()});
      EXPECT_NEAR(static_cast<double>(set.size_in_bits()), static_cast<double>(plan.bits),
                  0.01 * formula)
          << others;
    }
  }
}

// ---- blocks ----

struct divided {
  std::vector<std::pair<digest, std::uint64_t>> in, out;
  [[nodiscard]] exact_set build(const exact_set_options& how = {}) const {
    return exact_set::build(in, out, how);
  }
  [[nodiscard]] ::testing::AssertionResult told_by(const exact_set& set) const {
    for (const auto* const side : {&in, &out}) {
      std::vector<digest> keys;
      std::vector<std::uint64_t> blocks;
      for (const auto& [key, block] : *side) {
        keys.push_back(key);
        blocks.push_back(block);
      }
      const auto said = std::make_unique<bool[]>(keys.size() + 1);
      set.contains_batch(keys, blocks, {said.get(), keys.size()});
      for (std::size_t i = 0; i < keys.size(); ++i)
        if (said[i] != (side == &in) || set.contains(keys[i], blocks[i]) != (side == &in))
          return ::testing::AssertionFailure() << "key " << i << " of block " << blocks[i];
    }
    return ::testing::AssertionSuccess();
  }
};
// Every block holds the same numbers: a member of one block may be a non-member of another.
void add_block(divided& to, std::uint64_t block, std::uint64_t in, std::uint64_t out) {
  const auto keys = members(in + out, 9);
  for (std::uint64_t i = 0; i < in; ++i) to.in.emplace_back(keys[(i + block) % keys.size()], block);
  for (std::uint64_t i = in; i < in + out; ++i)
    to.out.emplace_back(keys[(i + block) % keys.size()], block);
}

TEST(ExactSetBlocks, NoErrorAtAnyShareOfMembers) {
  divided all;
  const std::pair<std::uint64_t, std::uint64_t> shares[] = {
      {0, 40},    {40, 0},    {1, 0},     {0, 1},     {1, 1}, {1, 900},    {900, 1},
      {500, 500}, {30, 2000}, {2000, 35}, {100, 250}, {7, 6}, {3000, 9000}};
  std::uint64_t block = ~std::uint64_t{0};  // numbers are whatever they are
  for (const auto& [in, out] : shares) add_block(all, block = block * 7 + 3, in, out);
  const auto set = all.build();
  EXPECT_TRUE(all.told_by(set));
  EXPECT_EQ(set.blocks(), std::size(shares));
  block = ~std::uint64_t{0};
  for (const auto& [in, out] : shares) {
    block = block * 7 + 3;
    EXPECT_TRUE(set.covers(block));
    EXPECT_EQ(set.inverted(block), in > out);
    const std::uint64_t less = std::min(in, out), more = std::max(in, out);
    EXPECT_EQ(set.rank(block), less == 0 ? 0 : sizing::exact_rank(less, more));
  }
  for (const std::uint64_t other : {std::uint64_t{0}, std::uint64_t{1}, block + 1}) {
    EXPECT_FALSE(set.covers(other));
    EXPECT_FALSE(set.contains(all.in[0].first, other)) << "an unknown block has no members";
  }
  const auto again = decode<exact_set>(encode(set));
  EXPECT_TRUE(again == set && all.told_by(again));
}

TEST(ExactSetBlocks, OrderAndRepeatsDoNotChangeTheBytes) {
  divided all;
  for (std::uint64_t block = 0; block < 60; ++block)
    add_block(all, block, block * block, 30 * (60 - block));
  const auto bytes = encode(all.build());
  divided other{shuffled(joined(all.in, all.in), 1), shuffled(joined(all.out, all.in), 2)};
  EXPECT_EQ(encode(other.build({.threads = 2})), bytes);
}

// One block with number 0 is the same as a set without blocks.
TEST(ExactSetBlocks, OneBlockEqualsASetWithoutBlocks) {
  divided one;
  add_block(one, 0, 300, 2000);
  universe plain;
  for (const auto& [key, block] : one.in) plain.in.push_back(key);
  for (const auto& [key, block] : one.out) plain.out.push_back(key);
  EXPECT_EQ(encode(one.build()), encode(built(plain)));
}

// The published list at a hundredth of its size: 11.7 of 816 million certificates. Issuers revoke
// so unevenly that the bound falls from 11.05 MB to 7.6 MB when issuers are separate blocks.
// Published sizes: 19.3 MB for a cascade, 8.5 MB for a clubcard [Sch25].
TEST(ExactSetBlocks, RevokedCertificatesTakeAboutThePublishedSize) {
  constexpr double mega = 8e6, revoked = 11.7e6, known = 816e6;
  const double whole = sizing::exact_set_bits(11'700'000, 804'300'000);
  EXPECT_NEAR(whole / mega, 11.81, 0.01);
  EXPECT_NEAR(sizing::subset_bits(known, revoked) / mega, 11.05, 0.01);
  EXPECT_NEAR(
      static_cast<double>(exact_set::plan({.keys = 11'700'000, .universe = 816'000'000}).bits) /
          mega,
      11.81, 0.005 * 11.81);
  if (small()) GTEST_SKIP() << "full-size runs only";

  // The shares of blocks fall geometrically around the mean, so that blocks save as much as issuers
  // do in the published list.
  constexpr unsigned blocks = 40;
  constexpr std::uint64_t each = 204'000;
  pair_spool in, out;
  digest_spool in_one, out_one;
  double formula = 0, bound = 0;
  std::uint64_t members = 0;
  for (unsigned block = 0; block < blocks; ++block) {
    const auto some = static_cast<std::uint64_t>(each * 0.1623 * std::exp2(-0.48 * block));
    members += some;
    formula += sizing::exact_set_bits(some, each - some);
    bound += sizing::subset_bits(static_cast<double>(each), static_cast<double>(some));
    for (std::uint64_t i = 0; i < each; ++i) {
      const auto record = exact_set::in_block(digest_of(member_number(i, 7)), block);
      (i < some ? in : out).add(record);
      (i < some ? in_one : out_one).add(record.key);
    }
  }
  const auto scale = static_cast<double>(members) / revoked;
  EXPECT_NEAR(scale, 0.01, 0.0002);
  EXPECT_NEAR(bound / scale / mega, 7.6, 0.05);

  const auto divided = exact_set::build_blocks(in, out, {.threads = 2});
  const auto bits = static_cast<double>(divided.size_in_bits());
  std::set<unsigned> ranks;
  for (unsigned block = 0; block < blocks; ++block) ranks.insert(divided.rank(block));
  // 1 % at this scale
  const auto fields = 64.0 * (5 * static_cast<double>(ranks.size() + 1) + 2) + 72.0 * blocks;
  EXPECT_NEAR(bits - fields, formula, 0.02 * formula);
  EXPECT_LT(bits / scale / mega, 8.5) << "the published clubcard";
  const auto one = exact_set::build(in_one, out_one, {.threads = 2});
  EXPECT_NEAR(static_cast<double>(one.size_in_bits()) / scale, whole, 0.02 * whole);
  EXPECT_LT(static_cast<double>(one.size_in_bits()) / scale / mega, 19.3)
      << "the published cascade";
  RecordProperty("megabytes", std::to_string(bits / scale / mega));
}

// Outside the universe nothing is promised, but the share of positive answers is known.
TEST(ExactSet, OutsideTheUniverseTheRateIsKnown) {
  const std::uint64_t trials = small_or(50'000, 500'000);
  for (const std::uint64_t in : {2000U, 20'000U, 60'000U, 500'000U}) {
    const auto set = built(universe_of(in, 40'000, 7));
    std::uint64_t hits = 0;
    for (std::uint64_t i = 0; i < trials; ++i)
      hits += set.contains(digest_of(non_member_number(i, 8)));
    EXPECT_TRUE(binomial_gate(hits, trials, set.expected_fpr())) << in;
  }
}

TEST(ExactSet, RefusesImpossiblePlans) {
  EXPECT_THROW((void)exact_set::plan({.keys = 10, .universe = 9}), bad_parameter);
  EXPECT_THROW((void)exact_set::plan({.keys = 10, .universe = std::uint64_t{1} << 60}),
               bad_parameter);
  EXPECT_EQ(exact_set::plan({.keys = 10, .universe = 10}).bits,
            built(universe_of(10, 0, 1)).size_in_bits());
  EXPECT_EQ(exact_set::plan({}).bits, 0U);
}

}  // namespace
}  // namespace umbel::test::exact_set_test
