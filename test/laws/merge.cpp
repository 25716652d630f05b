// merge.cpp - a merged structure is the structure of the union, bit for bit where bits follow from
// the keys; an intersection keeps the common keys; operands that do not fit are refused and stay
// unchanged.
#include "support/kind_test.hpp"
#include "support/rates.hpp"
#include "support/temp_dir.hpp"

namespace umbel::test {
namespace {

class Merge : public kind_test {
 protected:
  static constexpr std::uint64_t n = 3000;
  // Room for n keys, holding these.
  [[nodiscard]] structure_ptr holding(std::span<const digest> keys, const hasher& hash = {}) const {
    auto out = create(n, {.fpr = 0.01, .hash = hash});
    out->insert(keys);
    return out;
  }
  // Refused, and both operands unchanged.
  static void expect_refused(structure& a, const structure& b) {
    const auto a_before = a.encode(), b_before = b.encode();
    EXPECT_THROW(a.merge(b), incompatible);
    EXPECT_EQ(a.encode(), a_before);
    EXPECT_EQ(b.encode(), b_before);
    EXPECT_THROW(a.intersect(b), error);  // incompatible, or a kind that does not intersect at all
    EXPECT_EQ(a.encode(), a_before);
  }
};

class ExactMerge : public Merge {};
TEST_P(ExactMerge, EqualsTheUnionBitForBit) {
  const auto left = members(n / 2, 20), right = joined(members(n / 4, 21), members(n / 8, 20));
  const auto a = holding(left);
  const auto b = holding(right);
  const auto b_before = b->encode();
  a->merge(*b);
  EXPECT_TRUE(a->equals(*holding(joined(left, right))));
  EXPECT_EQ(a->encode(), holding(joined(left, right))->encode());
  EXPECT_EQ(b->encode(), b_before);
}

// Kinds whose union errs more than planned for as many keys; doc/gaps.md has the figures. Keys of a
// two-choice filter choose by the bits of their own side only.
const kind_names known_gaps{"two-choice-bloom-filter"};

// The union errs as it reports, and no more than planned for all these keys.
TEST_P(Merge, ErrsAsTheUnionShould) {
  constexpr std::uint64_t trials = 200'000;
  const auto left = members(n / 2, 39), right = members(n / 2, 40);
  const auto either = holding(left);
  either->merge(*holding(right));
  const std::uint64_t hits = non_member_hits(*either, trials, 39);
  EXPECT_TRUE(binomial_gate(hits, trials, either->expected_fpr(), model_error(kind())));
  const auto kept = no_more_than(hits, trials, 0.01, model_error(kind()));
  EXPECT_EQ(static_cast<bool>(kept), !known_gaps.contains(kind().name())) << kept.message();
}

// A key that passes one side passes the union, members and non-members.
TEST_P(Merge, AcceptsWhatEitherSideAccepts) {
  const auto left = members(n / 2, 33), right = members(n / 2, 34);
  const auto a = holding(left), b = holding(right);
  const auto either = a->clone();
  either->merge(*b);
  EXPECT_TRUE(forgets_nothing(*either, joined(left, right)));
  const auto asked = non_members(20'000, 35);
  const answers in_a(*a, asked), in_b(*b, asked), in_either(*either, asked);
  for (std::size_t i = 0; i < asked.size(); ++i) ASSERT_GE(in_either[i], in_a[i] || in_b[i]) << i;
}

TEST_P(Merge, WithNothingChangesNothing) {
  const auto a = holding(members(n, 22));
  const auto before = a->encode();
  a->merge(*holding({}));
  EXPECT_EQ(a->encode(), before);
  const auto nothing = holding({});
  nothing->merge(*a);
  EXPECT_EQ(answers(*nothing, joined(members(n, 22), non_members(20'000, 22))),
            answers(*a, joined(members(n, 22), non_members(20'000, 22))));
}

class SetMerge : public Merge {};
TEST_P(SetMerge, WithItselfChangesNothing) {
  const auto a = holding(members(n, 22));
  const auto before = a->encode();
  a->merge(*a);
  EXPECT_EQ(a->encode(), before);
}

// Counting kinds hold every copy: merged with itself each count doubles.
class CountingMergeLaw : public Merge {};
TEST_P(CountingMergeLaw, WithItselfIsTwice) {
  const auto keys = members(n / 2, 22);
  const auto a = holding(keys);
  const auto before = a->encode();
  a->merge(*a);
  EXPECT_EQ(a->encode(), holding(joined(keys, keys))->encode());
  EXPECT_EQ(a->erase(keys), keys.size());
  EXPECT_EQ(a->encode(), before);
}

TEST_P(Merge, TakesAMappedFileButNotIntoOne) {
  const temp_dir dir;
  const auto a = holding(members(n / 2, 23));
  const auto b = holding(members(n / 2, 24));
  b->save(dir.file("b"));
  const auto mapped = any::open(dir.file("b"));
  const auto expected = a->clone();
  expected->merge(*b);
  a->merge(*mapped);
  EXPECT_TRUE(a->equals(*expected));
  EXPECT_THROW(mapped->merge(*a), bad_parameter);
  EXPECT_TRUE(mapped->equals(*b));
  EXPECT_EQ(bytes_of(dir.file("b")), b->encode());
}

TEST_P(Merge, RefusesAnotherSize) {
  for (const std::uint64_t other : {n / 2, n + n / 10, 2 * n}) {
    const auto a = holding(members(n, 25));
    const auto b = create(other);
    (void)fill(*b, members(n, 26));
    expect_refused(*a, *b);
  }
}

class HashedMerge : public Merge {};
TEST_P(HashedMerge, RefusesAnotherSeed) {
  const auto b = holding(members(n, 26), hasher::seeded(1));
  expect_refused(*holding(members(n, 25)), *b);
  expect_refused(*b, *holding(members(n, 25)));
}

TEST_P(HashedMerge, RefusesAnotherSecretKey) {
  const auto a = holding(members(n, 25), hasher::keyed({1}));
  const auto b = holding(members(n, 26), hasher::keyed({2}));
  expect_refused(*a, *b);
  expect_refused(*a, *holding(members(n, 26)));
}

TEST_P(Merge, RefusesEveryOtherKind) {
  const auto a = holding(members(n, 27));
  for (const any::kind* const other : any::kinds()) {
    if (other == &kind()) continue;
    SCOPED_TRACE(other->name());
    expect_refused(*a, *built(*other, members(n, 28), {.fpr = 0.01}));
  }
}

class Intersection : public Merge {};
TEST_P(Intersection, AnIntersectionAcceptsTheCommonKeys) {
  const auto common = members(n / 3, 29);
  const auto left = joined(common, members(n / 3, 30)), right = joined(common, members(n / 3, 31));
  const auto a = holding(left);
  const auto before = a->clone();
  const auto b = holding(right);
  a->intersect(*b);
  EXPECT_TRUE(forgets_nothing(*a, common));
  // A key that passes the intersection passes both operands: intersecting only clears bits.
  const auto asked = joined(joined(left, right), non_members(20'000, 32));
  const answers both(*a, asked), first(*before, asked), second(*b, asked);
  for (std::size_t i = 0; i < asked.size(); ++i) ASSERT_LE(both[i], first[i] && second[i]) << i;
  // It has all bits of the structure built from the common keys: merging that one in changes
  // nothing.
  const auto merged = a->clone();
  merged->merge(*holding(common));
  EXPECT_TRUE(merged->equals(*a));
}

bool merges_exactly(const any::kind& kind) { return merges_as_it_grows(kind) && is_its_keys(kind); }
bool merges_to_a_set(const any::kind& kind) { return merges_as_it_grows(kind) && !counts(kind); }
bool merges_to_a_multiset(const any::kind& kind) {
  return merges_as_it_grows(kind) && counts(kind);
}
bool merges_under_any_hash(const any::kind& kind) {
  return merges_as_it_grows(kind) && takes_a_seed(kind) && takes_a_secret(kind);
}
bool merges_or_intersects(const any::kind& kind) {
  return merges_as_it_grows(kind) && intersects(kind);
}
UMBEL_KINDS_ONLY(merges_as_it_grows, Merge, merging_kinds);
UMBEL_KINDS_ONLY(merges_exactly, ExactMerge,
                 without(merging_kinds, {"scalable-bloom-filter", "taffy-block-filter",
                                         "taffy-cuckoo-filter", "two-choice-bloom-filter"}));
UMBEL_KINDS_ONLY(merges_to_a_set, SetMerge, without(merging_kinds, {"quotient-filter"}));
UMBEL_KINDS_ONLY(merges_to_a_multiset, CountingMergeLaw, "quotient-filter");
UMBEL_KINDS_ONLY(merges_under_any_hash, HashedMerge, without(merging_kinds, {"parquet-filter"}));
UMBEL_KINDS_ONLY(merges_or_intersects, Intersection, intersecting_kinds);

// Static kinds that merge: two with the same options fit, and their union knows the keys of both.
class StaticMerge : public kind_test {};

TEST_P(StaticMerge, KnowsTheKeysOfBothInEitherOrder) {
  const auto left = members(2000, 33), right = joined(members(1500, 34), members(500, 33));
  const auto a = build(left), b = build(right);
  const auto a_before = a->clone();
  const auto b_before = b->encode();
  a->merge(*b);
  EXPECT_EQ(b->encode(), b_before);
  EXPECT_TRUE(forgets_nothing(*a, joined(left, right)));
  EXPECT_GT(a->expected_fpr(), a_before->expected_fpr());
  const auto merged = a->encode();
  b->merge(*a_before);
  EXPECT_EQ(b->encode(), merged);
  a->merge(*b);
  a->merge(*a);
  EXPECT_EQ(a->encode(), merged) << "once is enough";
  EXPECT_TRUE(kind().decode(merged, {})->equals(*a));
}

TEST_P(StaticMerge, RefusesAnotherSeedAndEveryOtherKind) {
  const auto a = build(members(1000, 35));
  const auto before = a->encode();
  EXPECT_THROW(a->merge(*build(members(1000, 35), {.fpr = 0.01, .hash = hasher::seeded(1)})),
               incompatible);
  for (const any::kind* const other : any::kinds())
    if (other != &kind()) {
      EXPECT_THROW(a->merge(*built(*other, members(1000, 36), {.fpr = 0.01})), incompatible)
          << other->name();
    }
  EXPECT_EQ(a->encode(), before);
}

TEST_P(StaticMerge, TakesAMappedFile) {
  const temp_dir dir;
  const auto a = build(members(1000, 37)), b = build(members(1000, 38)), expected = a->clone();
  b->save(dir.file("b"));
  a->merge(*any::open(dir.file("b")));
  expected->merge(*b);
  EXPECT_TRUE(a->equals(*expected));
}

bool merges_when_static(const any::kind& kind) { return merges(kind) && is_static(kind); }
UMBEL_KINDS_ONLY(merges_when_static, StaticMerge, "hash-list-filter");

}  // namespace
}  // namespace umbel::test
