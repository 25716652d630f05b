// remedy_test.cpp - known false positives rejected by a two-valued map: no cleared key is flagged,
// every member is, and sizes are as predicted.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/map/binary_fuse4_map.hpp>
#include <umbel/map/binary_fuse_map.hpp>
#include <umbel/sizing/remedy.hpp>

#include "support/environment.hpp"
#include "support/gate.hpp"
#include "support/keys.hpp"

namespace umbel::test::remedy_test {
namespace {

enum : std::uint64_t { cleared, flagged };

template <class Map>
void hold(unsigned arity, std::uint64_t n, std::uint64_t e, bool any_value) {
  SCOPED_TRACE(::testing::Message()
               << "arity " << arity << ", " << n << " members, " << e << " cleared");
  const auto members = member_keys(n, 1), wrong = non_member_keys(e, 1);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs;
  for (const std::uint64_t key : members) pairs.emplace_back(key, flagged);
  for (const std::uint64_t key : wrong) pairs.emplace_back(key, cleared);
  const sizing::trouble case_{.members = n, .cleared = e, .any_value = any_value, .arity = arity};
  const double fpr = any_value ? case_.fpr : 2 * case_.fpr;  // of non-members with a value
  const auto map = Map::build(pairs, {.value_bits = 1, .fpr = fpr});
  for (const std::uint64_t key : members) ASSERT_EQ(map.find(key), flagged);
  for (const std::uint64_t key : wrong) ASSERT_EQ(map.find(key), cleared);

  const auto predicted =
      static_cast<double>(*sizing::price_remedy(case_, sizing::remedy::two_value_map));
  EXPECT_NEAR(static_cast<double>(map.size_in_bits()), predicted, 0.02 * predicted);

  const std::uint64_t trials = small_or(100'000, 1'000'000);
  std::uint64_t answered = 0, wrongly = 0;
  for (const std::uint64_t key : non_member_keys(trials, 2)) {
    const auto found = map.find(key);
    answered += found.has_value();
    wrongly += found == flagged;
  }
  EXPECT_TRUE(binomial_gate(answered, trials, fpr, exact_model));
  EXPECT_TRUE(binomial_gate(wrongly, trials, fpr / 2, exact_model)) << "half of them are flagged";
}

TEST(TwoValueMap, ClearsTheGivenKeysAndLosesNoMember) {
  const std::uint64_t n = small_or(5'000, 100'000);
  for (const std::uint64_t e : {n / 100, n, 3 * n}) {
    hold<binary_fuse_map>(3, n, e, true);
    hold<binary_fuse4_map>(4, n, e, true);
    hold<binary_fuse_map>(3, n, e, false);
  }
}

}  // namespace
}  // namespace umbel::test::remedy_test
