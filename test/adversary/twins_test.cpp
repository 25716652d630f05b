// twins_test.cpp - crafted collisions (attack A1): one inserted key must not make other crafted
// keys pass.
// Shows      Unkeyed, under any seed the attacker knows, 255 crafted twins of one key always pass.
//            Keyed, they pass at the planned rate: binomial bound of 5 sigmas.
#include <gtest/gtest.h>

#include "support/adversary.hpp"
#include "support/crafted_twins.hpp"

namespace umbel::twins_test {
namespace {

using support::at_the_honest_rate;
using support::crafted_twins;

TEST(CraftedTwins, ShareAllBitsOfAnUnkeyedDigest) {
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{42}, ~std::uint64_t{0}}) {
    const auto twins = crafted_twins(seed, 1);
    const digest all = hasher::seeded(seed)(twins[0]);
    for (const auto& twin : twins) ASSERT_EQ(hasher::seeded(seed)(twin), all);
    EXPECT_NE(hasher::seeded(seed + 1)(twins[1]), hasher::seeded(seed + 1)(twins[0]))
        << "crafted for one seed";
    EXPECT_NE(hasher::keyed(support::victims_secret)(twins[1]),
              hasher::keyed(support::victims_secret)(twins[0]));
    EXPECT_NE(twins[0], twins[1]);
  }
}

template <class Filter>
class Twins : public ::testing::Test {};
TYPED_TEST_SUITE(Twins, support::attacked_filters);

struct tally {
  std::uint64_t hits = 0, asked = 0;
};

// A filter at capacity; of each of eight families one twin is inserted and the others are queried.
template <class Filter>
tally attack(Filter& victim, std::uint64_t seed_the_attacker_knows) {
  tally out;
  (void)victim.insert_batch(statistics::members(992));
  for (std::uint64_t family = 0; family < 8; ++family) {
    const auto twins = crafted_twins(seed_the_attacker_knows, family);
    (void)victim.insert(twins[0]);
    for (std::size_t i = 1; i < twins.size(); ++i, ++out.asked)
      out.hits += victim.may_contain(twins[i]);
  }
  return out;
}

TYPED_TEST(Twins, AllHitAnUnkeyedFilter) {
  for (const std::uint64_t seed : {0U, 42U}) {
    TypeParam victim({.keys = 1000, .fpr = 0.01, .hash = hasher::seeded(seed)});
    const tally found = attack(victim, seed);
    EXPECT_EQ(found.hits, found.asked) << "the attack should work: a seed is not a key";
  }
}

TYPED_TEST(Twins, HitAKeyedFilterAtThePlannedRate) {
  TypeParam victim({.keys = 1000, .fpr = 0.01, .hash = hasher::keyed(support::victims_secret)});
  const tally found = attack(victim, 0);
  EXPECT_TRUE(at_the_honest_rate(found.hits, found.asked, victim.expected_fpr()));
}

}  // namespace
}  // namespace umbel::twins_test
