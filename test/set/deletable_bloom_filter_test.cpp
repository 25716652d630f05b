// deletable_bloom_filter_test.cpp - deletable Bloom filter [RMVM10]: which keys can be erased, how
// often, and that no erase removes another key.
#include <umbel/set/deletable_bloom_filter.hpp>

#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/base/error.hpp>
#include <umbel/engine/probe/slice_probes.hpp>
#include <umbel/sizing/deletable.hpp>

#include "support/erase_walks.hpp"
#include "support/statistics_gate.hpp"

namespace umbel::deletable_bloom_filter_test {
namespace {

using core::erasure;
using statistics::member;

struct figure {
  std::uint64_t bits;
  unsigned probes;
  std::uint64_t keys, regions;
  double share;
};
// The formula of [RMVM10]; `bits` includes the flags.
constexpr figure figures[] = {{1024, 7, 64, 32, 0.352},
                              {1024, 7, 64, 64, 0.783},
                              {1024, 7, 100, 64, 0.239},
                              {4096, 7, 256, 256, 0.781},
                              {4096, 5, 128, 128, 0.990}};

TEST(DeletableBloomFilter, SharesMatchReferenceFigures) {
  for (const figure& f : figures)
    EXPECT_NEAR(sizing::deletable_share(static_cast<double>(f.keys), f.probes,
                                        static_cast<double>(f.bits - f.regions),
                                        static_cast<double>(f.regions)),
                f.share, 0.001);
}

// 400 real filters of each row. Keys of one filter share its regions, so the share of one filter
// deviates by up to 0.15 and the mean by 0.0075 (0.002 in the last row). The formula treats the
// regions of a key as independent: 0.01.
TEST(DeletableBloomFilter, AsManyKeysCanBeErasedAsTheFormulaSays) {
  for (const figure& f : figures) {
    double sum = 0;
    constexpr unsigned filters = 400;
    for (unsigned seed = 0; seed < filters; ++seed) {
      deletable_bloom_filter filter({.keys = f.keys,
                                     .bits = f.bits,
                                     .probes = f.probes,
                                     .regions = f.regions,
                                     .hash = hasher::seeded(seed)});
      EXPECT_EQ(filter.size_in_bits(), f.bits);
      for (std::uint64_t i = 0; i < f.keys; ++i) filter.insert(member(i, seed));
      std::uint64_t can = 0;
      for (std::uint64_t i = 0; i < f.keys; ++i) can += filter.erasable(member(i, seed));
      sum += static_cast<double>(can) / static_cast<double>(f.keys);
    }
    EXPECT_NEAR(sum / filters, f.share, f.share > 0.9 ? 0.01 : 0.0375)
        << f.bits << ", " << f.keys << ", " << f.regions;
  }
}

// The invariant of the class, cell by cell: in a region without its flag every set bit belongs to
// exactly one of the keys that are in, and every key that is in has all its bits set.
template <class Index>
class Owned : public ::testing::Test {};
using indexes = ::testing::Types<core::k_probes, core::slice_probes>;
TYPED_TEST_SUITE(Owned, indexes);
TYPED_TEST(Owned, BitsOutsideOfFlaggedRegionsHaveOneOwner) {
  core::probes<TypeParam, cells::flagged_bits> engine(TypeParam(2100, 6, 0),
                                                      cells::flagged_bits(2100, 131));
  std::multimap<std::uint64_t, std::uint64_t> owners;  // of bits
  std::set<std::uint64_t> in;
  std::mt19937_64 random(7);
  const auto key = [](std::uint64_t i) { return hasher()(member(i)); };
  const auto bits_of = [&](std::uint64_t i) {
    std::set<std::uint64_t> out;
    core::each_of(engine.index(), engine.index().start(key(i)),
                  [&](std::uint64_t bit) { out.insert(bit); });
    return out;
  };
  std::uint64_t refused = 0, done = 0;
  for (unsigned step = 0; step < 4000; ++step) {
    const std::uint64_t i = random() % 100;
    if (!in.contains(i)) {
      engine.insert(key(i));
      in.insert(i);
      for (const auto bit : bits_of(i)) owners.emplace(bit, i);
    } else if (engine.erase(key(i)) == erasure::done) {
      ++done;
      in.erase(i);
      std::erase_if(owners, [&](const auto& own) { return own.second == i; });
    } else {
      ++refused;
    }
    if (step % 50 != 0) continue;
    for (std::uint64_t bit = 0; bit < engine.cells().size(); ++bit) {
      if (engine.cells().free(bit)) {
        ASSERT_EQ(owners.count(bit), engine.cells().test(bit) ? 1U : 0U)
            << "bit " << bit << ", step " << step;
      }
    }
    for (const auto member_in : in) ASSERT_TRUE(engine.may_contain(key(member_in)));
  }
  EXPECT_GT(done, 100U);
  EXPECT_GT(refused, 50U);
}

TEST(DeletableBloomFilter, AKeyInsertedTwiceIsNotErased) {
  deletable_bloom_filter filter({.keys = 100, .fpr = 0.01});
  filter.insert("once");
  filter.insert("twice");
  filter.insert("twice");
  EXPECT_EQ(filter.try_erase("twice"), erasure::refused);
  EXPECT_TRUE(filter.may_contain("twice"));
  EXPECT_FALSE(filter.erasable("twice"));
  EXPECT_EQ(filter.try_erase("never"), erasure::absent);
  EXPECT_EQ(filter.try_erase("once"), erasure::done);
  EXPECT_FALSE(filter.may_contain("once"));
  EXPECT_EQ(filter.try_erase("once"), erasure::absent);
}

TEST(DeletableBloomFilter, ErasingANonMemberMakesMembersForgotten) {
  test::expect_erased_non_members_harm_members(
      deletable_bloom_filter({.keys = 200, .fpr = 0.1, .regions = 500}), 200, 100);
}

RC_GTEST_PROP(DeletableBloomFilterProperty, ForgetsNothingThatIsIn,
              (const test::erase_steps& steps)) {
  test::forgets_nothing_that_is_in(deletable_bloom_filter({.keys = 40, .fpr = 0.05}), steps,
                                   [](auto&, auto&) {});
}
// Region flags are an add-on: they work over a partitioned filter as well as over a plain one.
using deletable_partitioned = basic_deletable_bloom_filter<core::slice_probes>;
RC_GTEST_PROP(DeletableBloomFilterProperty, ForgetsNothingOverAPartitionedFilter,
              (const test::erase_steps& steps)) {
  test::forgets_nothing_that_is_in(deletable_partitioned({.keys = 40, .fpr = 0.05}), steps,
                                   [](auto&, auto&) {});
}
TEST(DeletableBloomFilter, APartitionedFilterErrsAndErasesAsAPlainOneDoes) {
  constexpr std::uint64_t n = 20'000, trials = 400'000;
  deletable_partitioned filter({.keys = n, .fpr = 0.01});
  const auto keys = statistics::members(n);
  filter.insert_batch(std::span(keys).first(n / 2));
  const double cells = static_cast<double>(filter.size_in_bits() - filter.regions());
  EXPECT_NEAR(static_cast<double>(filter.erase_batch(std::span(keys).first(n / 4))) / (n / 4.0),
              sizing::deletable_share(n / 2.0, filter.probes(), cells,
                                      static_cast<double>(filter.regions())),
              0.02);
  for (const auto key : std::span(keys).subspan(n / 4, n / 4)) ASSERT_TRUE(filter.may_contain(key));
  filter.clear();
  filter.insert_batch(keys);
  EXPECT_TRUE(
      statistics::binomial_gate(statistics::passed(filter, trials), trials, filter.expected_fpr()));
  EXPECT_LE(deletable_partitioned::plan({.keys = n, .fpr = 0.01}).fpr, 0.01);
}

TEST(DeletableBloomFilter, RefusesImpossibleRegions) {
  EXPECT_THROW(deletable_bloom_filter({.keys = 10, .bits = 100, .regions = 100}), bad_parameter);
  EXPECT_THROW(deletable_bloom_filter({.keys = 10, .fpr = 0.01, .regions = 1000}), bad_parameter);
  EXPECT_NO_THROW(deletable_bloom_filter({.keys = 10, .bits = 1}));
  EXPECT_NO_THROW(basic_deletable_bloom_filter<core::slice_probes>({.keys = 10, .fpr = 0.01}));
}

}  // namespace
}  // namespace umbel::deletable_bloom_filter_test
