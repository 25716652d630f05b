// erase_walks.hpp - random erases compared with a multiset: legal erases lose no key, illegal ones
// do.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "support/rapidcheck_seeded.hpp"
#include "support/statistics_gate.hpp"

namespace umbel::test {

// A step inserts its key, or erases it if it is in; also(filter, in) is called after every step.
using erase_steps = std::vector<std::pair<bool, std::uint8_t>>;
template <class Filter, class Also>
void forgets_nothing_that_is_in(Filter filter, const erase_steps& steps, Also&& also) {
  std::multiset<std::uint8_t> in;
  for (const auto& [insert, key] : steps) {
    if (insert || !in.contains(key)) {
      filter.insert(key);
      in.insert(key);
    } else if (filter.erase(key)) {
      in.erase(in.find(key));
    }
    also(filter, in);
    for (const auto k : in) RC_ASSERT(filter.may_contain(k));
  }
}

// Why only inserted keys may be erased: the erase of a non-member that passes removes bits or tags
// of members.
template <class Filter>
void expect_erased_non_members_harm_members(Filter filter, std::uint64_t keys,
                                            std::uint64_t non_members) {
  const auto in = statistics::members(keys);
  filter.insert_batch(in);
  std::uint64_t erased = 0, forgotten = 0;
  for (std::uint64_t i = 0; i < non_members; ++i) erased += filter.erase(statistics::non_member(i));
  for (const auto key : in) forgotten += !filter.may_contain(key);
  EXPECT_GT(erased, 0U);
  EXPECT_GT(forgotten, 0U);
}

}  // namespace umbel::test
