// pilots_test.cpp - pilot search (PTHash, PtrHash) [PT21], [GK25]: every key gets a different slot,
// at loads where buckets must be evicted; equal hashes are detected; both versions of the kernel
// agree.
#include <umbel/solve/pilots.hpp>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/base/pilot_slot.hpp>
#include <umbel/cells/kernel/pilots.hpp>

namespace umbel::solve {
namespace pilots_test {
namespace {

struct problem {
  std::vector<std::uint32_t> starts{0}, hashes;
  std::uint32_t slots = 0;
  [[nodiscard]] std::uint32_t buckets() const {
    return static_cast<std::uint32_t>(starts.size() - 1);
  }
};

problem random_problem(std::uint32_t keys, double lambda, double load, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto buckets = static_cast<std::uint32_t>(keys / lambda) + 1;
  std::vector<std::vector<std::uint32_t>> in(buckets);
  for (std::uint32_t i = 0; i < keys; ++i)
    in[random() % buckets].push_back(static_cast<std::uint32_t>(random()));
  problem out;
  for (const auto& bucket : in) {
    out.hashes.insert(out.hashes.end(), bucket.begin(), bucket.end());
    out.starts.push_back(static_cast<std::uint32_t>(out.hashes.size()));
  }
  out.slots = static_cast<std::uint32_t>(keys / load) + 1;
  return out;
}

struct answer {
  pilot_search::outcome outcome;
  std::vector<std::uint32_t> pilots;
  std::vector<std::uint32_t> taken;
  std::uint64_t evictions;
};
answer solved(const problem& p, std::uint64_t seed = 1,
              pilot_search::width as = pilot_search::width::byte) {
  answer out{
      {}, std::vector<std::uint32_t>(p.buckets()), std::vector<std::uint32_t>(p.slots / 32 + 1), 0};
  pilot_search search;
  out.outcome =
      search.run(p.starts, p.hashes.data(), p.slots, seed, as, out.pilots, out.taken.data());
  out.evictions = search.evictions();
  return out;
}

void expect_apart(pilot_search::width as) {
  for (const std::uint32_t keys : {1U, 2U, 10U, 100U, 5000U, 50'000U})
    for (const double load : {0.9, 0.99, 0.998}) {
      const problem p = random_problem(keys, 3, load, keys);
      const answer a = solved(p, 1, as);
      ASSERT_EQ(a.outcome, pilot_search::outcome::solved) << keys << " keys at load " << load;
      std::set<std::uint32_t> seen;
      for (std::uint32_t b = 0; b < p.buckets(); ++b)
        for (std::uint32_t i = p.starts[b]; i < p.starts[b + 1]; ++i) {
          const std::uint32_t slot =
              detail::pilot_slot(p.hashes[i], detail::pilot_word(a.pilots[b]), p.slots);
          ASSERT_LT(slot, p.slots);
          ASSERT_TRUE(seen.insert(slot).second) << keys << " keys at load " << load;
          ASSERT_TRUE((a.taken[slot / 32] >> slot % 32 & 1) != 0);
        }
      ASSERT_EQ(seen.size(), keys);
      std::uint32_t ones = 0;
      for (const std::uint32_t word : a.taken)
        ones += static_cast<std::uint32_t>(std::popcount(word));
      ASSERT_EQ(ones, keys) << "nothing else is taken";
      if (keys >= 5000 && load > 0.95) {
        EXPECT_EQ(a.evictions > 0, as == pilot_search::width::byte)
            << "the hard part was not tried";
      }
    }
}
TEST(PilotSearch, EveryKeyGetsItsOwnSlot) { expect_apart(pilot_search::width::byte); }
TEST(PilotSearch, EveryKeyGetsItsOwnSlotWithPilotsOfAnySize) {
  expect_apart(pilot_search::width::any);
}

TEST(PilotSearch, TheOrderWithinABucketDoesNotMatter) {
  problem p = random_problem(20'000, 3.5, 0.995, 3);
  const answer first = solved(p);
  std::mt19937_64 random(4);
  for (std::uint32_t b = 0; b < p.buckets(); ++b)
    std::shuffle(p.hashes.begin() + p.starts[b], p.hashes.begin() + p.starts[b + 1], random);
  const answer second = solved(p);
  EXPECT_GT(first.evictions, 0U);
  EXPECT_EQ(first.pilots, second.pilots);
  EXPECT_EQ(first.taken, second.taken);
}

TEST(PilotSearch, EqualHashesAreDetected) {
  for (const std::uint32_t copies : {2U, 3U, 33U, 5000U}) {
    problem p = random_problem(1000, 3, 0.9, copies);
    p.hashes.insert(p.hashes.begin(), copies, 42);
    for (std::uint32_t& start : p.starts) start += copies;
    p.starts[0] = 0;
    p.slots += copies;
    for (const auto as : {pilot_search::width::byte, pilot_search::width::any})
      EXPECT_EQ(solved(p, 1, as).outcome, pilot_search::outcome::twins) << copies;
  }
}

// More keys than slots: the search gives up and ends.
TEST(PilotSearch, GivesUpWhereThereIsNoRoom) {
  problem p = random_problem(300, 3, 0.9, 9);
  p.slots = 290;
  EXPECT_EQ(solved(p).outcome, pilot_search::outcome::stuck);
}

TEST(PilotKernel, VectorAndPortableCodeAgree) {
  std::mt19937_64 random(11);
  for (const std::uint32_t slots : {1U, 31U, 32U, 1000U, 200'000U})
    for (const unsigned share : {0U, 50U, 90U, 99U, 100U}) {  // of taken slots, in percent
      std::vector<std::uint32_t> taken(slots / 32 + 1);
      for (std::uint32_t s = 0; s < slots; ++s)
        if (random() % 100 < share) taken[s / 32] |= std::uint32_t{1} << s % 32;
      for (const std::size_t keys : {1U, 2U, 3U, 4U, 5U, 9U, 40U}) {
        std::vector<std::uint32_t> hashes(keys);
        for (auto& hash : hashes) hash = static_cast<std::uint32_t>(random());
        std::uint32_t a = 0, b = 0;
        do {
          const unsigned portable =
              cells::kernel::portable::next_free(hashes, slots, taken.data(), a, 256);
          const unsigned used = cells::kernel::next_free(hashes, slots, taken.data(), b, 256);
          ASSERT_EQ(portable, used);
          ASSERT_EQ(a, b);
          a += cells::kernel::pilots_at_once;
          b += cells::kernel::pilots_at_once;
        } while (a < 256);
      }
    }
}

}  // namespace
}  // namespace pilots_test
}  // namespace umbel::solve
