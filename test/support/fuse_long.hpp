// fuse_long.hpp - tests that take minutes and gigabytes: compiled with all others, run only by
// `make test-long`.
#pragma once

#include <gtest/gtest.h>

#include "support/fuse_keys.hpp"

namespace fuse_test {

class long_test : public testing::Test {
 protected:
  void SetUp() override {
    if (!is_set("UMBEL_LONG")) GTEST_SKIP() << "run by `make test-long`, which sets UMBEL_LONG";
  }
};

// ask(first, keys) for consecutive runs of key numbers [0, count) of family `seed`, as digests.
template <class Ask>
void in_runs(std::uint64_t count, std::uint64_t seed, Ask&& ask) {
  constexpr std::uint64_t run = 1 << 14;
  std::vector<digest> keys;
  for (std::uint64_t first = 0; first < count; first += run) {
    keys.clear();
    for (std::uint64_t i = first; i < std::min(first + run, count); ++i)
      keys.push_back(digest_of(i, seed));
    ask(first, std::span<const digest>(keys));
  }
}

// The number of them that a set accepts.
template <class Set>
[[nodiscard]] std::uint64_t hits(const Set& set, std::uint64_t count, std::uint64_t seed) {
  std::uint64_t sum = 0;
  bool answers[1 << 14];
  in_runs(count, seed, [&](std::uint64_t, std::span<const digest> keys) {
    set.may_contain_batch(keys, answers);
    sum += static_cast<std::uint64_t>(std::count(answers, answers + keys.size(), true));
  });
  return sum;
}

}  // namespace fuse_test
