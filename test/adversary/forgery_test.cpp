// forgery_test.cpp - forged false positives (attack A3), about 1/eps hashes each, and replay of one
// found online (A4).
// Shows      Unkeyed, every forged key passes. Keyed, forgeries pass at the planned rate. A false
//            positive found by queries passes for ever, keyed or not: only an adaptive filter could
//            help, and these are not.
#include <gtest/gtest.h>

#include "support/adversary.hpp"

namespace umbel::forgery_test {
namespace {

using support::at_the_honest_rate;
using support::attackers_copy;

constexpr std::uint64_t keys = 1000, forged = 2000;
constexpr double eps = 0.01;

template <class Filter>
class Forgery : public ::testing::Test {
 protected:
  static Filter victim_with(const hasher& hash) {
    Filter out({.keys = keys, .fpr = eps, .hash = hash});
    (void)out.insert_batch(statistics::members(keys));
    return out;
  }
  // The attacker knows the members and rebuilds the filter under the hash he assumes. Returns the
  // number of hashes he needed; `out` are non-members that pass his copy.
  static std::uint64_t forge(const hasher& belief, std::vector<std::uint64_t>& out) {
    attackers_copy<Filter> copy({.keys = keys, .fpr = eps}, belief);
    (void)copy.shadow().insert_batch(statistics::members(keys));
    std::uint64_t tried = 0;
    for (; out.size() < forged; ++tried)
      if (copy.shadow().may_contain(statistics::non_member(tried)))
        out.push_back(statistics::non_member(tried));
    return tried;
  }
  static std::uint64_t hits(const Filter& victim, const std::vector<std::uint64_t>& asked) {
    std::uint64_t sum = 0;
    for (const auto key : asked) sum += victim.may_contain(key);
    return sum;
  }
};
TYPED_TEST_SUITE(Forgery, support::attacked_filters);

TYPED_TEST(Forgery, AlwaysPassesAnUnkeyedFilter) {
  for (const hasher& known : {hasher(), hasher::seeded(0xfeed)}) {
    std::vector<std::uint64_t> crafted;
    const std::uint64_t tried = this->forge(known, crafted);
    EXPECT_EQ(this->hits(this->victim_with(known), crafted), forged) << "the attack should work";
    EXPECT_LT(tried, 2 * forged / eps) << "and costs about 1/eps hashes a key";
  }
}

TYPED_TEST(Forgery, PassesAKeyedFilterAtThePlannedRate) {
  const TypeParam victim = this->victim_with(hasher::keyed(support::victims_secret));
  for (const hasher& belief : {hasher(), hasher::keyed({1})}) {
    std::vector<std::uint64_t> crafted;
    (void)this->forge(belief, crafted);
    EXPECT_TRUE(at_the_honest_rate(this->hits(victim, crafted), forged, victim.expected_fpr()));
  }
}

// A4: finding one costs 1/eps queries, and it passes for ever.
TYPED_TEST(Forgery, FoundByAskingIsReplayedEvenIfKeyed) {
  const TypeParam victim = this->victim_with(hasher::keyed(support::victims_secret));
  std::uint64_t question = 0;
  while (!victim.may_contain(statistics::non_member(question))) ++question;
  EXPECT_LT(question, 20 / eps);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(victim.may_contain(statistics::non_member(question)));
}

}  // namespace
}  // namespace umbel::forgery_test
