// meta_test.cpp - sizes of the four forms of a meta-map directory, and which form a plan chooses.
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/engine/retrieval/fuse.hpp>
#include <umbel/engine/retrieval/peeled.hpp>
#include <umbel/sizing/meta.hpp>

namespace meta_test {
namespace {

using namespace umbel::sizing;
using enum meta_form;

constexpr double eps = 1.0 / 256;

// Sets with these frequencies.
meta_counts counts(unsigned databases, const std::vector<std::uint64_t>& frequencies, bool single,
                   std::uint64_t fullest) {
  return {.keys = std::accumulate(frequencies.begin(), frequencies.end(), std::uint64_t{0}),
          .databases = databases,
          .fullest = fullest,
          .single = single,
          .frequencies = frequencies};
}

TEST(MetaPrices, RoundsUpTheSumNotItsParts) {
  EXPECT_EQ(meta_width(8, eps), 16U);                // 256 owners
  EXPECT_EQ(meta_width(std::log2(129), eps), 16U);   // 129 / 2^16 <= 1/256, and 129 / 2^15 is more
  EXPECT_EQ(meta_width(std::log2(200), 0.01), 15U);  // 200 / 2^15 <= 0.01
  // 160 / 2^14 <= 0.01; rounding the parts separately would give 8 + 7.
  EXPECT_EQ(meta_width(std::log2(160), 0.01), 14U);
  EXPECT_EQ(meta_width(0, 0.5), 1U);
  EXPECT_EQ(meta_width(12, 0x1p-60), std::nullopt);
}

// The engine's rate equals that of sizing.
TEST(MetaPrices, AgreeWithTheEngine) {
  for (const std::uint64_t n : {1U, 10U, 1000U, 100'000U, 10'000'000U})
    for (const unsigned width : {1U, 9U, 64U}) {
      using engine = umbel::core::peeled<umbel::core::fuse<4>>;
      EXPECT_EQ(fuse_bits(4, n, width), engine::plan(n, width, 1).bits) << n;
      EXPECT_EQ(fuse_bits(3, n, width),
                umbel::core::peeled<umbel::core::fuse<3>>::plan(n, width, 1).bits)
          << n;
    }
}

// A bank may answer a non-member no more often than the other forms do, so each of its filters must
// err D times less.
TEST(MetaPrices, BanksAreHeldToTheSameRate) {
  for (const unsigned databases : {1U, 10U, 4096U}) {
    const double rate = meta_bank_rate(databases, eps);
    EXPECT_NEAR(1 - std::pow(1 - rate, databases), eps, 1e-12);
    // At eps = 1/256 two answers at once are rare.
    EXPECT_LE(meta_bank_extra(databases, rate), eps * 1.003);
    EXPECT_GE(meta_bank_extra(databases, rate), eps * (1 - 1e-12));
  }
}

TEST(MetaChoice, OneOwnerEach) {
  const auto chosen =
      choose_meta(counts(100, std::vector<std::uint64_t>(100, 1000), true, 1000), eps);
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->form, owner);
  EXPECT_EQ(chosen->width, 15U);
  EXPECT_EQ(chosen->bits, fuse_bits(4, 100'000, 15));
}
TEST(MetaChoice, AFewSets) {
  const auto chosen =
      choose_meta(counts(1000, {50'000, 25'000, 12'000, 13'000}, false, 80'000), eps);
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->form, dictionary);
  EXPECT_EQ(chosen->sets, 4U);
  EXPECT_EQ(chosen->width, 10U);
}
TEST(MetaChoice, FewDatabasesAndAllSets) {
  const auto chosen =
      choose_meta(counts(5, std::vector<std::uint64_t>(31, 3000), false, 48'000), eps);
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->form, bitmap);  // 5 bits say as much as the number of a set, and need no table
  EXPECT_EQ(chosen->width, 13U);
}
// Ten sets cover nine tenths of the keys; the rest have one set each. One escape number for all of
// those keeps numbers narrow.
TEST(MetaChoice, RareSetsEscape) {
  std::vector<std::uint64_t> frequencies(10, 9000);
  frequencies.resize(10 + 10'000, 1);
  const auto chosen = choose_meta(counts(40, frequencies, false, 90'000), eps);
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->form, dictionary);
  EXPECT_EQ(chosen->sets, 15U);
  EXPECT_EQ(chosen->width, 12U);
  EXPECT_LT(chosen->bits, price_meta_bitmap(counts(40, frequencies, false, 90'000), eps)->bits);
}
TEST(MetaChoice, TooManySetsForOtherFormsMakeABank) {
  const meta_counts many{.keys = 1'000'000, .databases = 500, .fullest = 5000, .single = false};
  const auto chosen = choose_meta(many, eps);
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->form, bank);
  EXPECT_FALSE(price_meta(many, eps, dictionary));
  EXPECT_FALSE(price_meta(many, eps, bitmap));
  EXPECT_FALSE(price_meta(many, eps, owner));
}
TEST(MetaChoice, AnEmptyMapTakesNoBits) {
  const auto chosen = choose_meta({.databases = 7}, eps);
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->form, owner);
  EXPECT_EQ(chosen->bits, 0U);
}

}  // namespace
}  // namespace meta_test
