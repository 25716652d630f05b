// exception_list_test.cpp - a filter with an exact list of the false positives to reject: its size
// and its answers.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/set/binary_fuse_filter.hpp>
#include <umbel/sizing/remedy.hpp>

#include "support/environment.hpp"
#include "support/keys.hpp"

namespace umbel::test::exception_list_test {
namespace {

TEST(ExceptionList, RejectsTheListedKeysAtThePredictedSize) {
  const std::uint64_t n = small_or(5'000, 100'000);
  const auto keys = members(n, 1);
  const auto filter = binary_fuse_filter::build(keys, {.fpr = 1.0 / 256});
  std::vector<digest> exceptions;  // the false positives that were met, in full: w = 128
  for (const digest& d : non_members(10 * n, 1))
    if (filter.may_contain(d)) exceptions.push_back(d);
  std::sort(exceptions.begin(), exceptions.end());
  const auto flags = [&](const digest& d) {
    return filter.may_contain(d) && !std::binary_search(exceptions.begin(), exceptions.end(), d);
  };
  for (const digest& d : keys) ASSERT_TRUE(flags(d));
  for (const digest& d : exceptions) ASSERT_FALSE(flags(d));
  for (const digest& d : non_members(10 * n, 1)) ASSERT_FALSE(flags(d));

  const sizing::trouble met{.members = n, .cleared = exceptions.size()};
  const auto predicted =
      static_cast<double>(*sizing::price_remedy(met, sizing::remedy::exception_list));
  EXPECT_NEAR(static_cast<double>(filter.size_in_bits() + exceptions.size() * sizeof(digest) * 8),
              predicted, 0.02 * predicted);
  EXPECT_EQ(sizing::choose_remedy(met).which, sizing::remedy::two_value_map)
      << "3.9 % of them are past the crossing";
}

}  // namespace
}  // namespace umbel::test::exception_list_test
