// plans.cpp - plans are kept: the structure has the planned size, and the rate asked for is
// promised or the options are refused; no kind silently promises less.
#include <cmath>
#include <map>
#include <set>

#include <umbel/sizing/subset.hpp>

#include "support/kind_test.hpp"
#include "support/rates.hpp"

namespace umbel::test {
namespace {

class Plans : public kind_test {
 protected:
  [[nodiscard]] any::options options(std::uint64_t n, double fpr) const {
    any::options out{.keys = n, .fpr = fpr};
    if (is_map(kind())) out.value_bits = value_bits_of(kind());
    return out;
  }
};

TEST_P(Plans, PromiseTheRateAskedForOrRefuse) {
  for (const std::uint64_t n : {1ULL, 3ULL, 1000ULL, 1'000'000ULL, 1ULL << 40}) {
    unsigned promised = 0;
    for (double fpr = 0.75; fpr >= 0x1p-64; fpr /= 3) {
      try {
        const auto plan = kind().plan(options(n, fpr));
        // Widths are chosen with a slack of 1e-9 in log2.
        ASSERT_LE(plan.fpr, fpr * (1 + 1e-8))
            << "asked " << fpr << " for " << n << " keys, promised " << plan;
        EXPECT_EQ(plan.keys, n);
        EXPECT_GE(plan.bits, 1U);
        ++promised;
      } catch (const bad_parameter& refused) {
        EXPECT_NE(std::string_view(refused.what()), "") << fpr;
      }
    }
    // Of these 41 rates every kind accepts so many, except that a million million keys may be too
    // many for any.
    EXPECT_GE(promised, n == 1ULL << 40 ? 0U : 4U) << n;
  }
}

// The size is planned before keys are known. Static builds may draw another graph or another code:
// 6 % from 1e4 keys on.
TEST_P(Plans, PredictTheSize) {
  for (const std::uint64_t n : {10'000, 30'000, 100'000}) {
    if (small() && n > 10'000) break;
    for (const double fpr : {0.1, 0.01, 1.0 / 256, 1e-4}) {
      if (!in_reach(kind(), options(n, fpr))) continue;
      const auto plan = kind().plan(options(n, fpr));
      const auto made = build(members(n, 110), {.fpr = fpr});
      const auto planned = static_cast<double>(plan.bits);
      EXPECT_NEAR(static_cast<double>(made->size_in_bits()), planned, 0.06 * planned) << plan;
    }
  }
}

TEST_P(Plans, MoreKeysOrALowerRateTakeMoreBits) {
  std::uint64_t before = 0;
  for (const std::uint64_t n : {1000, 2000, 5000, 20'000, 100'000}) {
    const auto bits = kind().plan(options(n, 0.01)).bits;
    EXPECT_GT(bits, before) << n;
    before = bits;
  }
  umbel::plan last{.fpr = 1};
  for (const double fpr : {0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4}) {
    if (!in_reach(kind(), options(10'000, fpr))) continue;
    const auto next = kind().plan(options(10'000, fpr));
    if (next.fpr < last.fpr)
      EXPECT_GT(next.bits, last.bits) << fpr;
    else  // a kind of few forms promises more than it was asked for
      EXPECT_EQ(next.bits, last.bits) << fpr;
    last = next;
  }
}

// No structure takes less than n log2(1/fpr) bits; a plan below it would be wrong.
TEST_P(Plans, StayAboveTheLowerBound) {
  for (const double fpr : {0.1, 0.01, 1e-3, 1e-6}) {
    if (!in_reach(kind(), options(100'000, fpr))) continue;
    const auto plan = kind().plan(options(100'000, fpr));
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
       {any::options{.fpr = 0.01}, any::options{.bits = 16'384},
        any::options{.keys = 5000, .fpr = 0.01}, any::options{.keys = 5000, .bits = 65'536},
        any::options{.fpr = 0.01, .bits = 16'384}}) {
    // What a kind that may forget promises, it promises up to the planned number of keys.
    any::options counted = how;
    if (!(how.fpr && how.bits)) counted.keys = how.keys.value_or(keys.size());
    const auto planned = static_cast<std::size_t>(kind().plan(counted).keys);
    const auto held =
        std::span(keys).first(remembers(kind()) ? keys.size() : std::min(keys.size(), planned));
    EXPECT_TRUE(keeps_its_keys(*build(held, how), held));
  }
}

// An exact set has no rate: its size follows from both sides of its universe.
class ExactPlans : public kind_test {};
TEST_P(ExactPlans, PredictTheSize) {
  for (const std::uint64_t n : {1000, 10'000, 100'000}) {
    if (small() && n > 10'000) break;
    // others_than gives three for each.
    const auto plan = kind().plan({.keys = n, .universe = 4 * n});
    EXPECT_EQ(plan.fpr, 0);
    EXPECT_GE(static_cast<double>(plan.bits),
              sizing::subset_bits(static_cast<double>(4 * n), static_cast<double>(n)));
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

UMBEL_KINDS_BUT(errs, Plans, unrated_kinds);
UMBEL_KINDS_ONLY(is_exact, ExactPlans, exact_kinds);
UMBEL_KINDS_BUT(grows, GrowingPlans, static_kinds);

// Laws ask a kind only for rates in reach. The rates out of reach are pinned here, so that a kind
// cannot leave a law by refusing: every other kind accepts every rate that a law asks for, at every
// number of keys.
TEST(Reach, OnlyTheseRatesAreRefused) {
  using rates = std::set<double>;
  std::map<std::string_view, rates> refused;
  for (const any::kind* const kind : kinds_that(errs))
    for (const std::uint64_t n : {10, 100, 1000, 2000, 5000, 10'000, 30'000, 100'000})
      for (const double fpr : asked_rates) {
        any::options asked{.keys = n, .fpr = fpr};
        if (is_map(*kind)) asked.value_bits = value_bits_of(*kind);
        if (!in_reach(*kind, asked)) refused[kind->name()].insert(fpr);
      }
  EXPECT_EQ(refused, (std::map<std::string_view, rates>{
                         {"adaptive-cuckoo-filter", {1e-9, 1e-12}},
                         {"cuckoo-filter", {1e-9, 1e-12}},
                         {"pattern-bloom-filter", {1e-7, 1e-9, 1e-12}},
                         {"prefix-filter", {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-9, 1e-12}},
                         {"register-bloom-filter", {1e-12}},
                         {"split-bloom-filter", {1e-12}},
                         {"taffy-block-filter", {1e-9, 1e-12}},
                         {"taffy-cuckoo-filter", {1e-7, 1e-9, 1e-12}},
                         {"vector-quotient-filter", {1e-5, 1e-6, 1e-7, 1e-9, 1e-12}}}));
}

}  // namespace
}  // namespace umbel::test
