// weighted_bloom_filter_test.cpp - weighted Bloom filter [BGJ06], [ZLS08]: the number of probes
// depends on the key; the plain case, no false negatives, and the rate of a query mix.
#include <umbel/set/weighted_bloom_filter.hpp>

#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/codec/codec.hpp>
#include <umbel/set/bloom_filter.hpp>
#include <umbel/sizing/popularity.hpp>

#include "support/environment.hpp"
#include "support/filter_bits.hpp"
#include "support/gate.hpp"
#include "support/keys.hpp"

namespace umbel::test::weighted_bloom_filter_test {
namespace {

using numbers = std::vector<std::pair<digest, unsigned>>;
numbers all_with(const std::vector<digest>& keys, unsigned probes) {
  numbers out;
  for (const digest& d : keys) out.emplace_back(d, probes);
  return out;
}

TEST(Weighted, UniformProbesMakeAPlainFilter) {
  for (const std::uint64_t bits : {1000UL, 20'000UL}) {
    const auto keys = members(bits / 10, 860);
    const weighted_options options{.keys = bits / 10, .bits = bits};
    bloom_filter plain({.keys = bits / 10, .bits = bits});
    plain.insert_batch(keys);
    for (const bool tabled : {false, true}) {
      weighted_bloom_filter filter =
          tabled ? weighted_bloom_filter(all_with(keys, plain.probes()), options)
                 : weighted_bloom_filter(options);
      filter.insert_batch(keys);
      EXPECT_EQ(support::words_of(filter), support::words_of(plain));
      EXPECT_DOUBLE_EQ(filter.expected_fpr(plain.probes()), plain.expected_fpr());
      if (!tabled) {
        EXPECT_DOUBLE_EQ(filter.expected_fpr(), plain.expected_fpr());
      }
      for (const digest& d : non_members(5000, 860)) {
        if (filter.probes_of(d) == plain.probes()) {
          ASSERT_EQ(filter.may_contain(d), plain.may_contain(d));
        } else {
          ASSERT_TRUE(tabled) << "taken for a key of the table";
        }
      }
    }
  }
}

TEST(Weighted, HasNoFalseNegativesAndKeepsNumbersOfProbes) {
  const std::uint64_t n = small_or(10'000, 100'000);
  const auto keys = members(n, 861);
  numbers table;
  for (std::uint64_t i = 0; i < n / 2; ++i)
    table.emplace_back(keys[i], static_cast<unsigned>(i % 64));
  weighted_bloom_filter filter(table, {.keys = n, .bits = 16 * n, .probes = 3});
  filter.insert_batch(keys);
  const auto said = std::make_unique<bool[]>(n);
  filter.may_contain_batch(keys, {said.get(), n});
  for (std::uint64_t i = 0; i < n; ++i) {
    ASSERT_TRUE(said[i]) << i;
    ASSERT_TRUE(filter.may_contain(keys[i])) << i;
    if (i < n / 2) {
      ASSERT_EQ(filter.probes_of(keys[i]), i % 64);
    }
  }
  std::uint64_t mistaken = 0;
  for (const digest& d : non_members(1'000'000, 861)) mistaken += filter.probes_of(d) != 3;
  EXPECT_TRUE(binomial_gate(mistaken, 1'000'000, filter.table().mistaken() * 63 / 64));
  const auto again = decode<weighted_bloom_filter>(encode(filter));
  EXPECT_TRUE(again == filter);
  EXPECT_TRUE(again.may_contain(keys[0])) << "no probes: in";
  EXPECT_GT(filter.size_in_bits(), 16 * n + table.size() * 22);
  EXPECT_LT(filter.size_in_bits(), 16 * n + table.size() * 32);
}
// A key with fewer probes uses the first positions of the same walk.
TEST(Weighted, ProbesAreThoseOfAPlainFilterAsFarAsTheyGo) {
  for (const unsigned probes : {1U, 4U, 63U}) {
    const auto keys = members(50, 862);
    weighted_bloom_filter filter(all_with(keys, probes), {.keys = 50, .bits = 5000, .probes = 2});
    bloom_filter plain({.keys = 50, .bits = 5000, .probes = probes});
    for (const digest& d : keys) {
      EXPECT_EQ(filter.insert(d), plain.insert(d));
    }
    EXPECT_EQ(support::words_of(filter), support::words_of(plain));
  }
  weighted_bloom_filter none(all_with(members(50, 862), 0),
                             {.keys = 50, .bits = 5000, .probes = 2});
  EXPECT_FALSE(none.insert(members(50, 862)[7]));
  EXPECT_EQ(none.fill(), 0);
  const auto asked = joined(members(50, 862), non_members(50, 862));
  bool said[100];
  none.may_contain_batch(asked, said);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(said[i], i < 50) << i;
}

// The table may be any function of the digest: here one bit selects one of two classes, and nothing
// is stored.
struct by_parity {
  [[nodiscard]] std::optional<unsigned> probes(digest d) const noexcept {
    return d.lo % 2 == 0 ? std::optional(9U) : std::nullopt;
  }
};
TEST(Weighted, ClassesMayBeAFunctionOfTheCaller) {
  const std::uint64_t n = 20'000, asked = small_or(50'000, 400'000);
  core::probes<core::counted_probes<by_parity>, cells::bits> filter(
      {core::k_probes(10 * n, 4), by_parity()});
  const auto keys = members(n, 865);
  filter.insert(keys.size(), detail::digest_list{keys.data()});
  for (const digest& d : keys) ASSERT_TRUE(filter.may_contain(d));
  const double fill =
      static_cast<double>(filter.cells().storage().ones()) / static_cast<double>(10 * n);
  EXPECT_NEAR(fill, -std::expm1(-(9.0 + 4) / 2 / 10), 0.01)
      << "half of the keys set nine bits, half of them four";
  std::uint64_t of_class[2] = {}, passed[2] = {};
  for (const digest& d : non_members(asked, 865))
    ++of_class[d.lo % 2], passed[d.lo % 2] += filter.may_contain(d);
  EXPECT_TRUE(binomial_gate(passed[0], of_class[0], std::pow(fill, 9)));
  EXPECT_TRUE(binomial_gate(passed[1], of_class[1], std::pow(fill, 4)));
}

// A popular tenth of the keys gets 90 % of the queries: the mix errs as predicted, and far less
// than a plain filter of the same size.
TEST(Weighted, AMixOfQueriesErrsAsPredicted) {
  const std::uint64_t objects = small_or(20'000, 200'000);
  const auto all = members(objects, 863);  // a tenth of them are members, hot or not
  const auto is_hot = [](std::uint64_t i) { return i % 10 == 0; };
  const auto is_in = [](std::uint64_t i) { return scatter(i) % 10 == 0; };
  const auto classes = sizing::hot_and_cold(static_cast<double>(objects), 0.1, 0.1, 0.9);
  const std::uint64_t bits = objects * 8 / 10;
  const auto probes = sizing::whole_probes(classes, static_cast<double>(bits));
  EXPECT_GT(probes[0], probes[1] + 4);
  numbers hot;
  for (std::uint64_t i = 0; i < objects; ++i)
    if (is_hot(i)) hot.emplace_back(all[i], probes[0]);
  weighted_bloom_filter filter(hot, {.keys = objects / 10, .bits = bits, .probes = probes[1]});
  bloom_filter plain({.keys = objects / 10, .bits = bits});
  for (std::uint64_t i = 0; i < objects; ++i)
    if (is_in(i)) filter.insert(all[i]), plain.insert(all[i]);
  std::uint64_t asked[2] = {}, wrong[2] = {}, plain_wrong = 0;
  for (std::uint64_t i = 0; i < objects; ++i) {
    if (is_in(i)) {
      ASSERT_TRUE(filter.may_contain(all[i]));
      continue;
    }
    ++asked[is_hot(i)];
    wrong[is_hot(i)] += filter.may_contain(all[i]);
    plain_wrong += plain.may_contain(all[i]);
  }
  EXPECT_TRUE(binomial_gate(wrong[1], asked[1], filter.expected_fpr(probes[0]), 0.05));
  EXPECT_TRUE(binomial_gate(wrong[0], asked[0], filter.expected_fpr(probes[1]), 0.05));
  const double predicted = sizing::popular_fpr(classes, probes, static_cast<double>(bits));
  const double by_fill =
      0.9 * filter.expected_fpr(probes[0]) + 0.1 * filter.expected_fpr(probes[1]);
  EXPECT_NEAR(by_fill, predicted, 0.1 * predicted);
  const double plain_rate =
      static_cast<double>(plain_wrong) / static_cast<double>(asked[0] + asked[1]);
  EXPECT_LT(by_fill, 0.3 * plain_rate);
}

TEST(Weighted, TablesMustAgreeInUnions) {
  const auto keys = members(200, 864);
  const weighted_options options{.keys = 400, .bits = 8000, .probes = 3};
  weighted_bloom_filter a(all_with(keys, 9), options), b(all_with(keys, 9), options),
      other(all_with(keys, 8), options), none(options);
  a.insert_batch(std::vector<digest>(keys.begin(), keys.begin() + 100));
  b.insert_batch(std::vector<digest>(keys.begin() + 100, keys.end()));
  EXPECT_THROW(a.merge(other), incompatible);
  EXPECT_THROW(a.merge(none), incompatible);
  a.merge(b);
  for (const digest& d : keys) EXPECT_TRUE(a.may_contain(d));
  a.fold();
  for (const digest& d : keys) EXPECT_TRUE(a.may_contain(d));
  EXPECT_EQ(a.probes_of(keys[0]), 9U);
}
TEST(Weighted, RefusesImpossibleOptions) {
  const weighted_options options{.keys = 10, .bits = 100};
  EXPECT_THROW(weighted_bloom_filter(numbers{{digest{1, 2}, 64}}, options), bad_parameter);
  EXPECT_THROW(weighted_bloom_filter(numbers{{digest{1, 2}, 4}, {digest{1, 2}, 5}}, options),
               conflict);
  EXPECT_NO_THROW(weighted_bloom_filter(numbers{{digest{1, 2}, 4}, {digest{1, 2}, 4}}, options));
  EXPECT_TRUE(weighted_bloom_filter(numbers{}, options) == weighted_bloom_filter(options));
}

}  // namespace
}  // namespace umbel::test::weighted_bloom_filter_test
