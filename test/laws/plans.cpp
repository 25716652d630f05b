// plans.cpp - a plan is kept: the structure has the size that was planned, and the rate asked for is the rate promised,
// or the wish is refused; never is less promised in silence.
#include <cmath>

#include <umbel/sizing/subset.hpp>

#include "support/kind_test.hpp"

namespace umbel::test {
namespace {

class Plans : public kind_test {
 protected:
  [[nodiscard]] any::options wish(std::uint64_t n, double fpr) const {
    any::options out{.keys = n, .fpr = fpr};
    if (is_map(kind())) out.value_bits = value_bits_of(kind());
    return out;
  }
};

TEST_P(Plans, PromiseTheRateAskedForOrRefuse) {
  for (const std::uint64_t n : {1ULL, 3ULL, 1000ULL, 1'000'000ULL, 1ULL << 40}) {
    for (double fpr = 0.75; fpr >= 0x1p-64; fpr /= 3) {
      try {
        const auto plan = kind().plan(wish(n, fpr));
        // Widths are chosen with a slack of 1e-9 in log2.
        ASSERT_LE(plan.fpr, fpr * (1 + 1e-8)) << "asked " << fpr << " for " << n << " keys, promised " << plan;
        EXPECT_EQ(plan.keys, n);
        EXPECT_GE(plan.bits, 1U);
      } catch (const bad_parameter&) {
      }
    }
  }
}

// The size is planned before keys are known; static builds may draw another graph or another code: 6 % from 1e4 keys on.
TEST_P(Plans, PredictTheSize) {
  for (const std::uint64_t n : {10'000, 30'000, 100'000}) {
    if (small() && n > 10'000) break;
    for (const double fpr : {0.1, 0.01, 1.0 / 256, 1e-4}) {
      if (!in_reach(kind(), wish(n, fpr))) continue;
      const auto plan = kind().plan(wish(n, fpr));
      const auto made = build(members(n, 110), {.fpr = fpr});
      const auto planned = static_cast<double>(plan.bits);
      EXPECT_NEAR(static_cast<double>(made->size_in_bits()), planned, 0.06 * planned) << plan;
    }
  }
}

TEST_P(Plans, MoreKeysOrALowerRateTakeMoreBits) {
  std::uint64_t before = 0;
  for (const std::uint64_t n : {1000, 2000, 5000, 20'000, 100'000}) {
    const auto bits = kind().plan(wish(n, 0.01)).bits;
    EXPECT_GT(bits, before) << n;
    before = bits;
  }
  umbel::plan last{.fpr = 1};
  for (const double fpr : {0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4}) {
    if (!in_reach(kind(), wish(10'000, fpr))) continue;
    const auto next = kind().plan(wish(10'000, fpr));
    if (next.fpr < last.fpr)
      EXPECT_GT(next.bits, last.bits) << fpr;
    else  // a kind of few forms promises more than it was asked for
      EXPECT_EQ(next.bits, last.bits) << fpr;
    last = next;
  }
}

// No structure beats n log2(1/fpr); a plan below it would be a lie.
TEST_P(Plans, StayAboveTheLowerBound) {
  for (const double fpr : {0.1, 0.01, 1e-3, 1e-6}) {
    if (!in_reach(kind(), wish(100'000, fpr))) continue;
    const auto plan = kind().plan(wish(100'000, fpr));
    EXPECT_GE(static_cast<double>(plan.bits), -100'000 * std::log2(plan.fpr)) << plan;
  }
}

class GrowingPlans : public kind_test {};  // static kinds take their size from keys and rate

// Of keys, fpr and bits any two give the third, consistently.
TEST_P(GrowingPlans, AnyTwoOfThree) {
  const auto plan = kind().plan({.keys = 10'000, .fpr = 0.01});
  const auto by_bits = kind().plan({.keys = 10'000, .bits = plan.bits});
  EXPECT_EQ(by_bits.bits, plan.bits);
  EXPECT_NEAR(by_bits.fpr, plan.fpr, 0.01 * plan.fpr);
  const auto by_room = kind().plan({.fpr = 0.01, .bits = plan.bits});
  EXPECT_EQ(by_room.bits, plan.bits);
  EXPECT_NEAR(static_cast<double>(by_room.keys), 10'000, 100);
  EXPECT_LE(by_room.fpr, 0.01 * (1 + 1e-9));
  const auto made = kind().create({.fpr = 0.01, .bits = plan.bits});
  EXPECT_EQ(made->size_in_bits(), plan.bits);
}

TEST_P(GrowingPlans, BuildsWithTwoOfThree) {
  const auto keys = members(1000, 111);
  for (const any::options& how :
       {any::options{.fpr = 0.01}, any::options{.bits = 16'384}, any::options{.keys = 5000, .fpr = 0.01},
        any::options{.keys = 5000, .bits = 65'536}, any::options{.fpr = 0.01, .bits = 16'384}})
    EXPECT_TRUE(forgets_nothing(*build(keys, how), keys));
}

// An exact set has no rate: its size follows from both sides of its universe.
class ExactPlans : public kind_test {};
TEST_P(ExactPlans, PredictTheSize) {
  for (const std::uint64_t n : {1000, 10'000, 100'000}) {
    if (small() && n > 10'000) break;
    const auto plan = kind().plan({.keys = n, .universe = 4 * n});  // others_than gives three for each
    EXPECT_EQ(plan.fpr, 0);
    EXPECT_GE(static_cast<double>(plan.bits), sizing::subset_bits(static_cast<double>(4 * n), static_cast<double>(n)));
    const auto planned = static_cast<double>(plan.bits);
    EXPECT_NEAR(static_cast<double>(build(members(n, 112))->size_in_bits()), planned,
                (n < 10'000 ? 0.12 : 0.06) * planned)
        << plan;
  }
}
TEST_P(ExactPlans, RefuseARateAndASmallUniverse) {
  EXPECT_THROW((void)kind().plan({.keys = 10, .universe = 20, .fpr = 0.01}), bad_parameter);
  EXPECT_THROW((void)kind().plan({.keys = 10, .universe = 9}), bad_parameter);
  EXPECT_THROW((void)kind().build(spooled(members(10, 113)), {}), bad_parameter);
}

UMBEL_KINDS_THAT(errs, Plans);
UMBEL_KINDS_THAT(is_exact, ExactPlans);
UMBEL_KINDS_THAT(grows, GrowingPlans);

}  // namespace
}  // namespace umbel::test
