// membership.cpp - no kind has false negatives, whatever the number of keys. A map also answers the
// value that was given with the key. Kinds that may lose keys by design are left out.
#include "support/kind_test.hpp"

namespace umbel::test {
namespace {

class Membership : public kind_test {};
class GrowingMembership : public kind_test {};
class RoomyMembership : public kind_test {};
class BoundedMembership : public kind_test {};

TEST_P(Membership, HasNoFalseNegativesAtAnySize) {
  for (const std::uint64_t n : {0, 1, 2, 3, 10, 63, 64, 65, 100, 127, 128, 129, 1000, 10'000}) {
    const auto keys = members(n, 1);
    EXPECT_TRUE(forgets_nothing(*build(keys), keys)) << "n = " << n << ", seed 1";
  }
  const auto keys = members(small_or(20'000, 100'000), 2);
  EXPECT_TRUE(forgets_nothing(*build(keys), keys)) << "seed 2";
}

// Rates that lead to different widths, probe counts and codes: from nearly 1 to nearly 0.
TEST_P(Membership, HasNoFalseNegativesAtAnyRate) {
  const auto keys = members(2000, 3);
  for (const double fpr : {0.9, 0.5, 0.3, 0.1, 0.01, 0.004, 1e-3, 1e-4, 1e-5, 1e-7, 1e-9, 1e-12}) {
    if (!in_reach(kind(), {.keys = keys.size(), .fpr = fpr})) continue;
    EXPECT_TRUE(forgets_nothing(*build(keys, {.fpr = fpr}), keys)) << "fpr = " << fpr << ", seed 3";
    if (is_exact(kind())) break;  // it is asked for no rate: all builds are one
  }
}

// Many small builds under different seeds: a failure of one in a thousand graphs shows here.
TEST_P(Membership, HasNoFalseNegativesInManySmallBuilds) {
  for (std::uint64_t seed = 1; seed <= small_or(100, 600); ++seed) {
    const auto keys = members(seed % 97, seed);
    ASSERT_TRUE(forgets_nothing(*build(keys), keys)) << "seed " << seed;
  }
}

TEST_P(Membership, AnEmptyBuildContainsNothing) {
  const auto empty = build({});
  EXPECT_EQ(non_member_hits(*empty, 10'000, 4), 0U);
  EXPECT_EQ(empty->expected_fpr(), 0);
  EXPECT_FALSE(empty->may_contain_one(digest{}));
}

// The two digests at the ends of their range fall into the first and the last shard, block or
// bucket.
TEST_P(Membership, ExtremeDigestsAreKeysLikeOthers) {
  constexpr std::uint64_t ones = ~std::uint64_t{0};
  auto keys = members(1000, 5);
  for (const digest d :
       {digest{0, 0}, digest{ones, ones}, digest{ones, 0}, digest{0, ones}, digest{1, 1}})
    keys.push_back(d);
  EXPECT_TRUE(forgets_nothing(*build(keys), keys));
  for (const digest& d : std::span(keys).last(5)) {
    const std::vector<digest> alone{d};
    EXPECT_TRUE(forgets_nothing(*build(alone), alone)) << d.hi << ":" << d.lo;
  }
}

// A thousand times more keys than planned: useless, but still without false negatives.
TEST_P(RoomyMembership, HasNoFalseNegativesWhenOverfull) {
  const auto keys = members(50'000, 6);
  const auto full = create(50);
  full->insert(keys);
  EXPECT_TRUE(forgets_nothing(*full, keys));
  // Rows are added to rows, or flags to regions.
  EXPECT_GT(full->expected_fpr(), traits().erases ? 0.5 : 0.999);
  EXPECT_LE(full->expected_fpr(), 1);
}
class RoomyCardinality : public kind_test {};
TEST_P(RoomyCardinality, ReportsThatItIsOverfull) {
  const auto full = create(50);
  full->insert(members(50'000, 6));
  const auto told = *full->cardinality();
  EXPECT_TRUE(told.saturated || told.value > 50) << told.value;
}

// The planned number of keys always fits. Past it the first key without room is refused and changes
// nothing, and the keys already in stay.
TEST_P(BoundedMembership, AFullStructureLosesNoKey) {
  for (const std::uint64_t room : {1, 2, 3, 10, 50, 1000}) {
    const auto keys = members(20 * room + 100, 6 + room);
    const auto filled = create(room);
    const std::size_t taken = fill(*filled, keys);
    ASSERT_LT(taken, keys.size()) << room;
    EXPECT_GE(taken, room);
    EXPECT_TRUE(forgets_nothing(*filled, std::span(keys).first(taken)));
    const auto before = filled->encode();
    EXPECT_THROW(filled->insert(std::span(keys).subspan(taken, 1)), full);
    EXPECT_EQ(filled->encode(), before);
    // Otherwise each copy takes room, so that each can be erased or changed.
    if (!traits().erases && !traits().adapts) {
      EXPECT_NO_THROW(filled->insert(std::span(keys).first(taken))) << "these are in already";
      EXPECT_EQ(filled->encode(), before);
    }
    EXPECT_TRUE(kind().decode(before, {})->equals(*filled));
    const auto batch = create(room);
    EXPECT_THROW(batch->insert(keys), full);
    EXPECT_EQ(batch->encode(), before) << "a batch takes what single inserts take";
  }
}
TEST_P(BoundedMembership, HoldsThePlannedKeysEveryTime) {
  for (std::uint64_t seed = 1; seed <= small_or(100, 600); ++seed) {
    const auto keys = members(seed, 300 + seed);
    const auto made = create(seed);
    ASSERT_NO_THROW(made->insert(keys)) << seed;
    ASSERT_TRUE(forgets_nothing(*made, keys)) << seed;
  }
}

TEST_P(GrowingMembership, ClearForgetsEverything) {
  const auto fresh = create(1000);
  const auto used = create(1000);
  used->insert(members(1000, 7));
  EXPECT_FALSE(used->equals(*fresh));
  used->clear();
  EXPECT_TRUE(used->equals(*fresh));
  EXPECT_EQ(used->encode(), fresh->encode());
}

// Kinds that may lose keys by design still hold what they were built from.
class ForgetfulMembership : public kind_test {};
TEST_P(ForgetfulMembership, KeepsWhatWasBuilt) {
  for (const std::uint64_t n : {0, 1, 2, 3, 10, 63, 64, 65, 100, 1000, 10'000}) {
    const auto keys = members(n, 8);
    EXPECT_TRUE(keeps_its_keys(*build(keys), keys)) << "n = " << n << ", seed 8";
  }
}

bool forgets(const any::kind& kind) { return !remembers(kind); }
bool has_room_for_all(const any::kind& kind) {
  return grows(kind) && remembers(kind) && has_room(kind) && !expands(kind);
}
bool overfills_and_infers(const any::kind& kind) { return has_room_for_all(kind) && infers(kind); }
bool fills_up(const any::kind& kind) { return grows(kind) && remembers(kind) && !has_room(kind); }
UMBEL_KINDS_BUT(remembers, Membership, forgetful_kinds);
UMBEL_KINDS_ONLY(forgets, ForgetfulMembership, forgetful_kinds);
UMBEL_KINDS_BUT(grows, GrowingMembership, static_kinds);
UMBEL_KINDS_ONLY(has_room_for_all, RoomyMembership,
                 with(folding_kinds,
                      {"deletable-bloom-filter", "dynamic-bloom-filter", "prefix-filter"}));
UMBEL_KINDS_ONLY(overfills_and_infers, RoomyCardinality,
                 with(without(intersecting_kinds, {"weighted-bloom-filter"}), {"prefix-filter"}));
UMBEL_KINDS_ONLY(fills_up, BoundedMembership, "cuckoo-filter", "hash-compaction-filter",
                 "quotient-filter", "split-bloom-filter", "telescoping-filter",
                 "vector-quotient-filter");

}  // namespace
}  // namespace umbel::test
