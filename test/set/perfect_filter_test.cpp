// perfect_filter_test.cpp - fingerprints in the slots of a perfect hash [TRL12]: members have
// indices, and the rate depends on r alone.
#include <umbel/set/perfect_filter.hpp>

#include <vector>

#include <gtest/gtest.h>

#include "support/environment.hpp"
#include "support/keys.hpp"

namespace umbel::test {
namespace perfect_filter_test {
namespace {

TEST(PerfectFilter, NumbersItsMembers) {
  const auto keys = member_keys(5000, 1);
  const auto made = perfect_filter::build(keys, {.fpr = 1.0 / 1024});
  std::vector<bool> seen(keys.size());
  for (const std::uint64_t key : keys) {
    const auto slot = made.slot(key);
    ASSERT_TRUE(slot && *slot < keys.size());
    ASSERT_FALSE(seen[*slot]);
    seen[*slot] = true;
  }
  for (const std::uint64_t other : non_member_keys(20'000, 1))
    ASSERT_EQ(made.slot(other).has_value(), made.may_contain(other));
  EXPECT_FALSE(perfect_filter().slot(1).has_value());
}

// Figure 4 of [TRL12]: each slot holds the fingerprint of its key; a non-member sent to the slot
// passes if it has the same fingerprint.
TEST(PerfectFilter, ComparesWithTheFingerprintInTheSlot) {
  const auto keys = members(3000, 3);
  for (std::size_t i = 0; i < perfect_preset_names.size(); ++i) {
    const auto made =
        perfect_filter::build(keys, {.fpr = 1.0 / 16, .preset = static_cast<perfect_preset>(i)});
    std::vector<std::uint64_t> in_slot(keys.size());
    for (const digest& d : keys) in_slot[made.engine().retrieval().index(d)] = core::tag_of(d, 4);
    for (std::uint64_t slot = 0; slot < keys.size(); ++slot)
      ASSERT_EQ(made.engine().retrieval().get(slot), in_slot[slot]);
    std::uint64_t passed = 0;
    for (const digest& d : non_members(16'000, 3)) {
      ASSERT_EQ(made.may_contain(d),
                in_slot[made.engine().retrieval().index(d)] == core::tag_of(d, 4));
      passed += made.may_contain(d);
    }
    // 2^-4, five deviations
    EXPECT_NEAR(static_cast<double>(passed), 1000, 5 * 31) << perfect_preset_names[i];
  }
}

// r bits for every key plus the bits of the perfect hash: its cost does not grow with r.
TEST(PerfectFilter, TakesTheBitsOfItsFingerprintsAndItsHash) {
  const std::uint64_t n = small_or(20'000, 200'000);
  const auto keys = member_keys(n, 2);
  for (const unsigned r : {1U, 7U, 8U, 20U, 64U}) {
    const auto made = perfect_filter::build(keys, {.fpr = std::exp2(-static_cast<double>(r))});
    const double bits = static_cast<double>(made.size_in_bits()) / static_cast<double>(n);
    EXPECT_NEAR(bits, r + 2.36, 0.02) << r;
    EXPECT_EQ(made.expected_fpr(), std::exp2(-static_cast<double>(r)));
  }
}

}  // namespace
}  // namespace perfect_filter_test
}  // namespace umbel::test
