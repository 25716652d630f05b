// erase.cpp - keys that are taken out again: never at the cost of another key, as long as only keys that are in are erased.
#include <random>

#include "support/kind_test.hpp"

namespace umbel::test {
namespace {

// Of a key that is in: 1 if one copy was taken out, 0 if the structure kept it.
[[nodiscard]] std::size_t erase_one(structure& from, const digest& key) { return from.erase(std::span(&key, 1)); }

class Erasing : public kind_test {};

// Inserts, legal erases and now and then a trip through bytes, beside a count of the copies of every key.
TEST_P(Erasing, AWalkForgetsNothing) {
  const std::uint64_t pool = small_or(300, 5'000), steps = small_or(5'000, 1'000'000);
  const auto keys = members(pool, 400);
  std::vector<unsigned> copies(pool);
  std::uint64_t in = 0;
  auto walked = create(pool, {.fpr = 0.01});
  std::mt19937_64 random(401);
  for (std::uint64_t step = 0; step < steps; ++step) {
    const std::uint64_t i = random() % pool;
    if (copies[i] < 2 && in < pool && (copies[i] == 0 || random() % 8 == 0)) {
      walked->insert(std::span(&keys[i], 1));
      ++copies[i], ++in;
    } else if (copies[i] > 0 && erase_one(*walked, keys[i]) == 1) {
      --copies[i], --in;
    }
    if (copies[i] > 0) {
      ASSERT_TRUE(walked->may_contain_one(keys[i])) << "step " << step;
    }
    if (random() % (steps / 16) != 0 && step + 1 != steps) continue;
    walked = kind().decode(walked->encode(), {});
    for (std::uint64_t k = 0; k < pool; ++k) {
      if (copies[k] > 0) {
        ASSERT_TRUE(walked->may_contain_one(keys[k])) << "step " << step << ", key " << k;
      }
    }
  }
}

// Where nothing was refused, nothing is left.
TEST_P(Erasing, WhatIsErasedIsGone) {
  const auto keys = members(1000, 402);
  const auto emptied = grow(keys);
  EXPECT_GT(emptied->expected_fpr(), 0);
  if (emptied->erase(keys) != keys.size()) return;
  EXPECT_EQ(emptied->expected_fpr(), 0);
  EXPECT_EQ(stranger_hits(*emptied, 10'000, 402), 0U);
  EXPECT_NO_THROW(emptied->insert(keys)) << "the room is back";
  EXPECT_TRUE(forgets_nothing(*emptied, keys));
}

TEST_P(Erasing, WhatIsCertainlyAbsentChangesNothing) {
  const auto keys = members(500, 403);
  const auto made = grow(keys);
  const auto before = made->encode();
  std::uint64_t tried = 0;
  for (const digest& d : members(2000, 404)) {
    if (made->may_contain_one(d)) continue;
    EXPECT_EQ(erase_one(*made, d), 0U);
    ++tried;
  }
  EXPECT_GT(tried, 1500U);
  EXPECT_EQ(made->encode(), before);
}

TEST_P(Erasing, ABatchTakesOutWhatSingleCallsDo) {
  const auto keys = members(2000, 405);
  const auto one_by_one = grow(keys), at_once = grow(keys);
  std::size_t done = 0;
  for (const digest& d : std::span(keys).first(1500)) done += erase_one(*one_by_one, d);
  EXPECT_EQ(at_once->erase(std::span(keys).first(1500)), done);
  EXPECT_TRUE(at_once->equals(*one_by_one));
}

UMBEL_KINDS_THAT([](const any::kind& k) { return grows(k) && erases(k) && remembers(k); }, Erasing);

}  // namespace
}  // namespace umbel::test
