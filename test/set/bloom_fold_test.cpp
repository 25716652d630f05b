// bloom_fold_test.cpp - halving a Bloom filter gives, bit for bit, the filter built at half the
// size, repeatedly.
// Idea       With fastrange a fold is new[j] = old[2j]
// old[2j+1], and position' = position / 2.
#include <umbel/set/bloom_filter.hpp>

#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include <umbel/engine/probe/k_probes.hpp>
#include <umbel/engine/probe/probes.hpp>

#include "support/filter_bits.hpp"
#include "support/statistics_gate.hpp"

namespace umbel::bloom_fold_test {
namespace {

using core::k_probes;
using statistics::member;
using support::bit_of;
using support::words_of;

bloom_filter filled(std::uint64_t m, unsigned k) {
  bloom_filter out({.keys = 1000, .bits = m, .probes = k});
  (void)out.insert_batch(statistics::members(400));
  return out;
}

// The filter of the same keys with m bits, under the probing scheme of `original` bits: a fold
// keeps the scheme.
void expect_built_small(const bloom_filter& folded, std::uint64_t m, unsigned k,
                        std::uint64_t original) {
  const auto how =
      original < k_probes::independent_below ? core::scheme::independent : core::scheme::triple;
  core::probes<k_probes, cells::bits> small(k_probes(m, k, 0, how));
  for (const auto key : statistics::members(400)) (void)small.insert(folded.hash()(key));
  const auto words = words_of(folded);
  ASSERT_EQ(folded.size_in_bits(), m);
  for (std::uint64_t i = 0; i < m; ++i)
    ASSERT_EQ(bit_of(words, i), small.cells().test(i)) << m << " bits, bit " << i;
}

TEST(BloomFold, EveryFoldIsTheFilterBuiltThatSmall) {
  for (const std::uint64_t m :
       {std::uint64_t{1} << 16, std::uint64_t{3} << 13, std::uint64_t{1001} * 64,
        std::uint64_t{157} * 64, std::uint64_t{1} << 11, std::uint64_t{130}, std::uint64_t{4096},
        std::uint64_t{8192}}) {
    for (const unsigned k : {1U, 4U, 7U}) {
      auto filter = filled(m, k);
      for (std::uint64_t size = m; size % 2 == 0; size /= 2) {
        filter.fold();
        expect_built_small(filter, size / 2, k, m);
        for (const auto key : statistics::members(400)) ASSERT_TRUE(filter.may_contain(key));
      }
    }
  }
}

// At sizes where both use walks, it is also the same class built with fewer bits in its options.
TEST(BloomFold, EqualsAFreshFilterAtLargeSizes) {
  auto filter = filled(1 << 16, 5);
  for (std::uint64_t size = 1 << 15; size >= k_probes::independent_below; size /= 2) {
    filter.fold();
    EXPECT_EQ(filter, filled(size, 5)) << size;
    auto joined = filter;
    EXPECT_NO_THROW(joined.merge(filled(size, 5)));
  }
}

TEST(BloomFold, FoldedFiltersAcceptInserts) {
  auto filter = filled(1 << 14, 5);
  filter.fold();
  bloom_filter fresh({.keys = 1000, .bits = 1 << 13, .probes = 5});
  (void)fresh.insert_batch(statistics::members(400));
  for (std::uint64_t i = 400; i < 600; ++i) {
    EXPECT_EQ(filter.insert(member(i)), fresh.insert(member(i)));
    EXPECT_TRUE(filter.may_contain(member(i)));
  }
  EXPECT_EQ(filter, fresh);
}

// m = 2^t * odd can be halved t times. The next fold is refused and changes nothing.
TEST(BloomFold, OddSizesAreRefused) {
  auto filter = filled(64 * 157, 5);
  for (int i = 0; i < 6; ++i) filter.fold();
  ASSERT_EQ(filter.size_in_bits(), 157U);
  const auto before = filter;
  EXPECT_THROW(filter.fold(), bad_parameter);
  EXPECT_EQ(filter, before);
}

// The rate after t folds is the formula's at m / 2^t with the same k.
TEST(BloomFold, RateFollowsTheFormula) {
  constexpr std::uint64_t n = 20'000;
  bloom_filter filter({.keys = n, .bits = 1 << 19, .probes = 5});
  (void)filter.insert_batch(statistics::members(n));
  for (std::uint64_t m = 1 << 18; m >= 1 << 16; m /= 2) {
    filter.fold();
    const double p = sizing::bloom_fpr(n, m, 5);
    const auto trials = static_cast<std::uint64_t>(1e4 / p);
    EXPECT_TRUE(statistics::binomial_gate(statistics::passed(filter, trials), trials, p)) << m;
  }
}

}  // namespace
}  // namespace umbel::bloom_fold_test
