// batch.cpp - a batch answers what single calls answer, key by key, at any length, and writes
// nothing else. Values, and the engine's own batches of small structures: both_paths.cpp.
#include <random>

#include "support/kind_test.hpp"

namespace umbel::test {
namespace {

class Batch : public kind_test {};
class DirectoryBatch : public kind_test {};
class GrowingBatch : public kind_test {};

// Half members, half non-members, in random order.
std::vector<digest> mixed(std::uint64_t n, std::uint64_t seed) {
  return shuffled(joined(members(n / 2, seed), non_members(n - n / 2, seed)), seed);
}

// Lengths around the groups of 16 and 64 and around the old chunk of 1024, where an off-by-one
// would live.
std::vector<std::size_t> lengths(std::uint64_t seed) {
  std::vector<std::size_t> out{0,   1,   2,   15,  16,   17,   31,   32,   33,  63,
                               64,  65,  79,  80,  81,   95,   96,   97,   127, 128,
                               129, 191, 192, 193, 1023, 1024, 1025, 2048, 3001};
  std::mt19937_64 random(seed);
  for (int i = 0; i < 60; ++i) out.push_back(random() % 301);
  return out;
}

TEST_P(Batch, AnswersAsSingleQueriesDo) {
  // A coarse rate, so that false positives take part too.
  const auto made = build(members(5000, 10), {.fpr = 0.2});
  const auto all = mixed(10'000, 10);
  std::mt19937_64 random(11);
  for (const std::size_t length : lengths(12)) {
    const auto part = std::span(all).subspan(random() % (all.size() - length), length);
    const auto room = std::make_unique<bool[]>(length + 2);
    room[0] = room[length + 1] = true;
    made->may_contain(part, std::span(room.get() + 1, length));
    for (std::size_t i = 0; i < length; ++i)
      ASSERT_EQ(room[i + 1], made->may_contain_one(part[i])) << "key " << i << " of " << length;
    ASSERT_TRUE(room[0] && room[length + 1]) << "wrote outside a batch of " << length;
  }
}

TEST_P(DirectoryBatch, TellsWhereAsForOneKey) {
  const auto made = build(members(5000, 19), {.fpr = 0.2});
  const std::size_t width = made->words_per_answer();
  const auto all = mixed(10'000, 19);
  for (const std::size_t length : lengths(20)) {
    const auto part = std::span(all).first(length);
    std::vector<std::uint64_t> rows((length + 1) * width, 12345), one(width);
    made->where(part, std::span(rows).first(length * width));
    for (std::size_t i = 0; i < length; ++i) {
      made->where(part.subspan(i, 1), one);
      ASSERT_TRUE(std::equal(one.begin(), one.end(), &rows[i * width])) << i << " of " << length;
    }
    EXPECT_EQ(rows[length * width], 12345U) << "wrote outside a batch of " << length;
  }
}

// The room for answers may be larger than the batch.
TEST_P(Batch, LeavesTheRestOfTheAnswersAlone) {
  const auto made = build(members(100, 15));
  bool room[100];
  std::fill(std::begin(room), std::end(room), true);
  made->may_contain(non_members(10, 15), room);
  EXPECT_TRUE(std::all_of(room + 10, room + 100, [](bool b) { return b; }));
}

TEST_P(GrowingBatch, InsertsAsOneByOne) {
  const auto keys = members(4000, 16);
  const auto single = create(keys.size());
  for (const digest& d : keys) single->insert(std::span(&d, 1));
  const auto pieces = create(keys.size());
  std::size_t at = 0;
  for (const std::size_t length : lengths(17)) {
    const auto part = std::span<const digest>(keys).subspan(at, std::min(length, keys.size() - at));
    pieces->insert(part);
    at += part.size();
  }
  pieces->insert(std::span<const digest>(keys).subspan(at));
  const auto whole = create(keys.size());
  whole->insert(keys);
  EXPECT_TRUE(single->equals(*pieces));
  EXPECT_TRUE(single->equals(*whole));
}

// One key many times in one batch: inserts of a group must not overwrite one another.
TEST_P(GrowingBatch, TakesOneKeyManyTimes) {
  const auto key = members(1, 18);
  const auto once = create(10);
  once->insert(key);
  const auto often = create(10);
  if (is_a_set(kind())) {
    often->insert(std::vector<digest>(1000, key[0]));
    EXPECT_TRUE(once->equals(*often));
  } else {
    EXPECT_GT(fill(*often, std::vector<digest>(1000, key[0])), 1U);
  }
  EXPECT_TRUE(keeps_its_keys(*often, key));
}

UMBEL_EVERY_KIND(Batch);
UMBEL_KINDS_ONLY(is_directory, DirectoryBatch, "meta-map");
UMBEL_KINDS_BUT(grows, GrowingBatch, static_kinds);

}  // namespace
}  // namespace umbel::test
