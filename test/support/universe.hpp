// universe.hpp - a universe of members and others, and whether an exact set answers all of it
// correctly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/core/spool.hpp>

#include "support/keys.hpp"

namespace umbel::test {

[[nodiscard]] inline digest_spool spool_from(std::span<const digest> keys,
                                             const spool_options& room = {}) {
  digest_spool out(room);
  out.add(keys);
  return out;
}

// Batch and single answers for keys that are all members or all others.
template <class Set>
[[nodiscard]] ::testing::AssertionResult answers_all(const Set& set, std::span<const digest> keys,
                                                     bool expected) {
  const auto said = std::make_unique<bool[]>(keys.size() + 1);
  set.contains_batch(keys, {said.get(), keys.size()});
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (said[i] != expected || set.contains(keys[i]) != expected)
      return ::testing::AssertionFailure() << "key " << i << " of " << keys.size();
  return ::testing::AssertionSuccess();
}

struct universe {
  std::vector<digest> in, out;
  template <class Set>
  [[nodiscard]] Set build(const typename Set::options_type& how = {}) const {
    return Set::build(spool_from(in), spool_from(out), how);
  }
  template <class Set>
  [[nodiscard]] ::testing::AssertionResult told_by(const Set& set) const {
    auto members = answers_all(set, in, true);
    return members ? answers_all(set, out, false) : members;
  }
};
[[nodiscard]] inline universe universe_of(std::uint64_t in, std::uint64_t out, std::uint64_t seed) {
  return {members(in, seed), non_members(out, seed)};
}

}  // namespace umbel::test
