// divisions_test.cpp - the first trials that divide keys: vectors, portable code and plain counting
// say the same.
#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/base/integers.hpp>
#include <umbel/cells/kernel/divisions.hpp>

namespace umbel::test {
namespace divisions_test {
namespace {

using namespace umbel::cells::kernel;

struct some_keys {
  some_keys(std::uint32_t count, std::uint64_t seed) {
    for (std::uint32_t i = 0; i < count; ++i) all.emplace_back(detail::remix(seed, i));
    std::stable_partition(all.begin(), all.end(),
                          [](const auto& key) { return !detail::is_turned(key.turn); });
    for (const auto& key : all) {
      hashes.push_back(key.hash);
      turns.push_back(key.turn);
      still += !detail::is_turned(key.turn);
    }
  }
  [[nodiscard]] divided_keys halves() const {
    return {hashes.data(), turns.data(), static_cast<std::uint32_t>(all.size())};
  }
  std::vector<detail::divided_key> all;
  std::vector<std::uint32_t> hashes, turns;
  std::uint32_t still = 0;
};

std::uint32_t plain_division(const some_keys& keys, const division& as, std::uint32_t limit) {
  for (std::uint32_t trial = 0; trial < limit; ++trial) {
    std::uint32_t low = 0, high = 0;
    for (const auto& key : keys.all) {
      low += key.under(trial) < as.bounds[0];
      high += key.under(trial) < as.bounds[1];
    }
    if (low == as.wanted[0] && high == as.wanted[1]) return trial;
  }
  return no_trial;
}
std::uint32_t plain_leaf(const some_keys& keys, std::uint32_t limit) {
  const auto size = static_cast<std::uint32_t>(keys.all.size());
  for (std::uint32_t trial = 0; trial < limit; ++trial) {
    std::vector<bool> seen(size);
    std::uint32_t apart = 0;
    for (const auto& key : keys.all) {
      std::uint32_t place = detail::leaf_place(key.under(trial / size), size);
      if (detail::is_turned(key.turn)) place = (place + size - trial % size) % size;
      apart += !seen[place];
      seen[place] = true;
    }
    if (apart == size) return trial;
  }
  return no_trial;
}

TEST(Divisions, AreFoundAsByPlainCounting) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const some_keys keys(30, seed);
    const division thirds{{0x55555555, 0xAAAAAAAA}, {10, 20}},
        halves{{1U << 31, 1U << 31}, {15, 15}};
    for (const division& as : {thirds, halves})
      for (const std::uint32_t limit : {8U, 64U, 4096U}) {
        const std::uint32_t found = portable::first_division(keys.halves(), as, limit);
        EXPECT_EQ(found, plain_division(keys, as, limit));
        EXPECT_EQ(found, first_division(keys.halves(), as, limit));
      }
  }
}
TEST(Divisions, LeavesAreFoundAsByPlainCounting) {
  for (std::uint32_t size = 2; size <= 9; ++size)
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const some_keys keys(size, seed);
      const std::uint32_t found = portable::first_leaf(keys.halves(), keys.still, 1 << 20);
      EXPECT_EQ(found, plain_leaf(keys, 1 << 20));
      EXPECT_EQ(found, first_leaf(keys.halves(), keys.still, 1 << 20));
    }
}
// The mean of geometric numbers, n of them: five deviations of it, which is itself over the root of
// n. Turned leaves are not quite independent trials, which costs a twentieth.
TEST(Divisions, TrialsAreAsGoodAsChance) {
  constexpr unsigned leaves = 1000;
  for (const auto& [size, mean] : {std::pair{5U, 26.04}, {7U, 163.4}, {8U, 416.1}}) {
    double sum = 0;
    for (std::uint64_t seed = 0; seed < leaves; ++seed) {
      const some_keys keys(size, 7000 + seed);
      sum += first_leaf(keys.halves(), keys.still, 1 << 30) + 1.0;
    }
    EXPECT_NEAR(sum / leaves / mean, 1.1, 0.1 + 5 / std::sqrt(leaves)) << size;
  }
}

TEST(NthOne, IsWhereTheBitIs) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    std::uint64_t word = detail::remix(1, seed);
    // also sparse ones
    for (std::uint64_t i = seed % 4; i > 0; --i) word &= detail::remix(2, seed + i);
    if (seed == 0) word = ~std::uint64_t{0};
    const detail::bit_counts set(word);
    EXPECT_EQ(set.all(), static_cast<unsigned>(std::popcount(word)));
    unsigned i = 0;
    for (unsigned at = 0; at < 64; ++at)
      if (word >> at & 1) {
        EXPECT_EQ(detail::nth_one(word, set, i++), at) << word;
      }
  }
}

}  // namespace
}  // namespace divisions_test
}  // namespace umbel::test
