// cardinality.cpp - structures that estimate their number of keys are right within their own
// standard error.
// Bounds     The estimate is unbiased to first order; its bias is about a/m of its variance over n,
//            far below one standard error at these sizes. So (estimate - n)/error over 50 seeds has
//            mean 0 and deviation 1: each lies within 5, and their root mean square within 1 +-
//            5/sqrt(100).
#include <cmath>

#include "support/gate.hpp"
#include "support/kind_test.hpp"

namespace umbel::test {
namespace {

class Cardinality : public kind_test {};

TEST_P(Cardinality, IsWithinItsStandardError) {
  for (const std::uint64_t n : {2000ULL, static_cast<unsigned long long>(small_or(3000, 20'000))}) {
    double squares = 0;
    constexpr int rounds = 50;
    for (int seed = 0; seed < rounds; ++seed) {
      const auto made = build(members(n, 121 + static_cast<std::uint64_t>(seed)));
      const auto told = *made->cardinality();
      ASSERT_FALSE(told.saturated);
      ASSERT_TRUE(within(told.value, static_cast<double>(n), told.standard_error))
          << "seed " << 121 + seed;
      squares += std::pow((told.value - static_cast<double>(n)) / told.standard_error, 2);
    }
    EXPECT_NEAR(std::sqrt(squares / rounds), 1, five_sigmas / std::sqrt(2.0 * rounds))
        << "n = " << n;
  }
}

TEST_P(Cardinality, AnEmptyStructureHasNoKeys) {
  const auto told = *build({})->cardinality();
  EXPECT_NEAR(told.value, 0, 1e-9);
  EXPECT_FALSE(told.saturated);
}

class DistinctCardinality : public kind_test {};
TEST_P(DistinctCardinality, DoesNotCountRepeats) {
  const auto keys = members(500, 180);
  const auto once = create(1000), twice = create(1000);
  once->insert(keys);
  twice->insert(joined(keys, keys));
  EXPECT_EQ(once->cardinality()->value, twice->cardinality()->value);
}

TEST_P(Cardinality, OfAFullFilterIsSaturatedNeverInfinite) {
  const auto crowded = create(10);
  (void)fill(*crowded, members(small_or(5000, 20'000), 181));
  const auto told = *crowded->cardinality();
  EXPECT_TRUE(told.saturated);
  EXPECT_TRUE(std::isfinite(told.value)) << told.value;
}

UMBEL_KINDS_ONLY(infers, Cardinality, inferring_kinds);
bool infers_distinct_keys(const any::kind& kind) { return infers(kind) && is_a_set(kind); }
UMBEL_KINDS_ONLY(infers_distinct_keys, DistinctCardinality, inferring_kinds);

// Two sets with a common part. The errors of the three cardinalities may have the same sign, so
// they are added.
class Overlap : public kind_test {};
TEST_P(Overlap, IsWithinTheErrorsOfItsParts) {
  const auto common = members(800, 191);
  const auto a = create(4000), b = create(4000);
  a->insert(joined(common, members(1200, 192)));
  b->insert(joined(common, members(700, 193)));
  const overlap told = a->overlap_with(*b);
  EXPECT_EQ(told.first.value, a->cardinality()->value);
  EXPECT_EQ(told.second.value, b->cardinality()->value);
  const double error =
      told.first.standard_error + told.second.standard_error + told.either.standard_error;
  EXPECT_TRUE(within(told.common, 800, error)) << told.common;
  EXPECT_TRUE(within(told.either.value, 2700, told.either.standard_error)) << told.either.value;
  a->merge(*b);
  EXPECT_NEAR(told.either.value, a->cardinality()->value, 1e-6 * told.either.value);
  EXPECT_THROW((void)a->overlap_with(*create(5000)), incompatible);
}

bool infers_overlaps(const any::kind& kind) { return infers(kind) && kind.traits().mergeable; }
UMBEL_KINDS_ONLY(infers_overlaps, Overlap, without(inferring_kinds, {"hash-compaction-filter"}));

}  // namespace
}  // namespace umbel::test
