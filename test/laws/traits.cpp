// traits.cpp - kinds behave as their traits say: a verb that a kind has works; one that it lacks is
// refused by name and changes nothing. The registry: names are unique, found, and follow the rules.
#include <set>
#include <string_view>
#include <variant>

#include "support/kind_test.hpp"

namespace umbel::test {
namespace {

class Traits : public kind_test {
 protected:
  // Refused as bad_parameter with the kind's name in the message; the structure stays as it was.
  template <class Verb>
  void expect_lacking(structure& of, std::string_view verb, Verb&& call) const {
    const auto before = of.encode();
    try {
      call(of);
      ADD_FAILURE() << kind().name() << " has the verb " << verb << " after all";
    } catch (const bad_parameter& refused) {
      const std::string_view said = refused.what();
      EXPECT_NE(said.find(kind().name()), said.npos) << said;
      EXPECT_NE(said.find(verb), said.npos) << said;
    }
    EXPECT_EQ(of.encode(), before);
  }
};

class StaticTraits : public Traits {};
TEST_P(StaticTraits, AreBuiltAtOnce) {
  EXPECT_THROW((void)kind().create({.keys = 100, .fpr = 0.01}), bad_parameter);
  const auto made = build(members(100, 90));
  expect_lacking(*made, "insert", [](structure& s) { s.insert(members(1, 91)); });
  expect_lacking(*made, "clear", [](structure& s) { s.clear(); });
}

UMBEL_KINDS_ONLY(is_static, StaticTraits, static_kinds);

class GrowingTraits : public Traits {};
TEST_P(GrowingTraits, TakeKeyAfterKey) {
  const auto grown = create(100);
  const auto keys = members(100, 92);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    grown->insert(std::span(&keys[i], 1));
    ASSERT_TRUE(grown->may_contain_one(keys[i]));
  }
  const auto built = build(keys);
  EXPECT_EQ(grown->size_in_bits(), built->size_in_bits());
  EXPECT_TRUE(keeps_its_keys(*built, keys));
}
class OrderlessTraits : public Traits {};
TEST_P(OrderlessTraits, GrownIsBuilt) {
  const auto keys = members(100, 92);
  const auto grown = create(100);
  for (std::size_t i = 0; i < keys.size(); ++i) grown->insert(std::span(&keys[i], 1));
  EXPECT_TRUE(grown->equals(*build(keys)));
}
bool grows_without_order(const any::kind& kind) { return grows(kind) && is_its_keys(kind); }
UMBEL_KINDS_ONLY(grows_without_order, OrderlessTraits, "banked-bloom-filter",
                 "blocked-bloom-filter", "bloom-filter", "deletable-bloom-filter",
                 "hash-compaction-filter", "multiblock-bloom-filter", "parquet-filter",
                 "pattern-bloom-filter", "prefix-filter", "quotient-filter",
                 "register-bloom-filter", "removable-bloom-filter", "retouched-bloom-filter",
                 "split-block-bloom-filter", "telescoping-filter", "two-line-bloom-filter",
                 "variable-bloom-filter", "weighted-bloom-filter");
// The order of keys changes the bytes only of kinds that say so, and never in a build. Kinds that
// take more memory as keys come do so here, and windows move.
TEST_P(GrowingTraits, OrderMattersOnlyWhereTheTraitSaysSo) {
  const auto keys = members(1000, 89);
  const auto other_way = shuffled(keys, 89);
  const auto grown_from = [&](std::uint64_t room, std::span<const digest> all) {
    auto out = create(room);
    (void)fill(*out, all);
    return out;
  };
  const bool stretches = grown_from(100, keys)->size_in_bits() > create(100)->size_in_bits();
  const std::uint64_t room = stretches || traits().windowed ? 100 : keys.size();
  EXPECT_EQ(grown_from(room, keys)->equals(*grown_from(room, other_way)),
            !traits().order_dependent);
  EXPECT_EQ(build(keys)->encode(), build(other_way)->encode());
}
UMBEL_KINDS_BUT(grows, GrowingTraits, static_kinds);

TEST_P(Traits, MergeableMeansMerge) {
  const auto with_room_for_both = [&](std::uint64_t seed) {
    if (is_static(kind())) return build(members(100, seed));
    auto out = create(200);
    out->insert(members(100, seed));
    return out;
  };
  const auto a = with_room_for_both(93), b = with_room_for_both(94);
  if (traits().mergeable) {
    EXPECT_NO_THROW(a->merge(*b));
    EXPECT_TRUE(forgets_nothing(*a, joined(members(100, 93), members(100, 94))));
  } else
    expect_lacking(*a, "merge", [&](structure& s) { s.merge(*b); });
}

TEST_P(Traits, ErasingMeansErase) {
  const auto keys = members(100, 87);
  const auto made = build(keys);
  if (traits().erases) {
    const std::size_t gone = made->erase(keys);
    EXPECT_GT(gone, 0U);
    EXPECT_LE(gone, keys.size());
    EXPECT_LT(count_hits(*made, keys), keys.size());
  } else
    expect_lacking(*made, "erase", [&](structure& s) { (void)s.erase(keys); });
}

// A build takes what the answers of a kind need: pairs for values and numbers, keys for all others.
class PairTraits : public Traits {};
TEST_P(PairTraits, AreBuiltFromPairs) {
  const auto keys = members(100, 95);
  EXPECT_TRUE(is_map(kind()) || is_directory(kind()));
  EXPECT_THROW((void)kind().build(spooled(keys), {.fpr = 0.01}), bad_parameter);
  EXPECT_TRUE(forgets_nothing(*build(keys), keys));
}
UMBEL_KINDS_ONLY(takes_pairs, PairTraits, pair_kinds);

class KeyTraits : public Traits {};
TEST_P(KeyTraits, HoldNoValues) {
  const auto keys = members(100, 95);
  EXPECT_FALSE(is_map(kind()) || is_directory(kind()));
  EXPECT_THROW((void)kind().build(paired(keys), {.fpr = 0.01}), bad_parameter);
  EXPECT_THROW((void)kind().build(spooled(keys), {.value_bits = 8, .fpr = 0.01}), bad_parameter);
}
bool takes_keys_alone(const any::kind& kind) { return !takes_pairs(kind); }
UMBEL_KINDS_BUT(takes_keys_alone, KeyTraits, pair_kinds);

class FindingTraits : public Traits {};
TEST_P(FindingTraits, FindAValueForEveryKey) {
  const auto keys = members(100, 95);
  const auto made = build(keys);
  std::vector<std::optional<std::uint64_t>> found(keys.size());
  made->find(keys, found);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    ASSERT_TRUE(found[i].has_value()) << i;
    if (is_map(kind()))
      EXPECT_EQ(found[i], value_for(keys[i], value_bits_of(kind())));
    else
      EXPECT_LT(*found[i], keys.size());
  }
  if (is_index(kind())) {
    EXPECT_TRUE(numbers_all(*made, keys));
  }
}
bool finds(const any::kind& kind) { return is_map(kind) || is_index(kind); }
UMBEL_KINDS_ONLY(finds, FindingTraits, finding_kinds);

class NotFindingTraits : public Traits {};
TEST_P(NotFindingTraits, RefuseToFind) {
  const auto keys = members(100, 95);
  std::vector<std::optional<std::uint64_t>> found(keys.size());
  expect_lacking(*build(keys), "find", [&](structure& s) { s.find(keys, found); });
}
bool finds_nothing(const any::kind& kind) { return !finds(kind); }
UMBEL_KINDS_BUT(finds_nothing, NotFindingTraits, finding_kinds);

class DirectoryTraits : public Traits {};
TEST_P(DirectoryTraits, TellWhere) {
  const auto keys = members(100, 88);
  const auto made = build(keys);
  EXPECT_EQ(rows_of(*made, keys).size(), keys.size() * made->words_per_answer());
  EXPECT_TRUE(forgets_nothing(*made, keys)) << "each row is the one database of its key";
}
UMBEL_KINDS_ONLY(is_directory, DirectoryTraits, "meta-map");

class NotDirectoryTraits : public Traits {};
TEST_P(NotDirectoryTraits, DoNotTellWhere) {
  const auto keys = members(100, 88);
  const auto made = build(keys);
  std::vector<std::uint64_t> rows(keys.size());
  expect_lacking(*made, "where", [&](structure& s) { s.where(keys, rows); });
  EXPECT_THROW((void)built(kind(), keys, {.fpr = 0.01, .databases = 8}), bad_parameter);
}
bool is_no_directory(const any::kind& kind) { return !is_directory(kind); }
UMBEL_KINDS_BUT(is_no_directory, NotDirectoryTraits, "meta-map");

class FixedTraits : public Traits {};
TEST_P(FixedTraits, AssignNothing) {
  const auto keys = members(500, 92);
  const std::vector<std::uint64_t> fives(keys.size(), 5);
  expect_lacking(*build(keys), "assign", [&](structure& s) { (void)s.assign(keys, fives); });
}
bool assigns(const any::kind& kind) { return kind.traits().assigns; }
bool assigns_nothing(const any::kind& kind) { return !assigns(kind); }
UMBEL_KINDS_BUT(assigns_nothing, FixedTraits, assigning_kinds);

class AssigningTraits : public Traits {};
TEST_P(AssigningTraits, ValuesChange) {
  const auto keys = members(500, 92);
  const auto made = build(keys, {.fpr = 0.01});
  const std::vector<std::uint64_t> fives(keys.size(), 5);
  const auto before = made->encode();
  EXPECT_EQ(made->assign(std::span(keys).first(100), fives), 100U);
  std::vector<std::optional<std::uint64_t>> found(keys.size());
  made->find(keys, found);
  for (std::size_t i = 0; i < keys.size(); ++i)
    ASSERT_EQ(found[i], i < 100 ? 5 : value_for(keys[i], map_value_bits)) << i;
  std::vector<std::uint64_t> back;
  for (const digest& d : keys) back.push_back(value_for(d, map_value_bits));
  EXPECT_EQ(made->assign(keys, back), keys.size());
  EXPECT_EQ(made->encode(), before) << "nothing else had changed";
  std::vector<std::uint64_t> wide = fives;
  wide.back() = 256;
  EXPECT_THROW((void)made->assign(keys, wide), bad_parameter);
  EXPECT_EQ(made->encode(), before) << "all or nothing";
}
UMBEL_KINDS_ONLY(assigns, AssigningTraits, assigning_kinds);

TEST_P(Traits, AStructureReportsItsKind) {
  const auto made = build(members(10, 96));
  EXPECT_EQ(&made->kind(), &kind());
  EXPECT_EQ(&made->clone()->kind(), &kind());
  EXPECT_EQ(any::find_kind(kind().name()), &kind());
  EXPECT_EQ(&any::kind_named(kind().name()), &kind());
  EXPECT_GE(kind().format_version(), 1U);
}

TEST_P(Traits, OtherContentIsNotEqual) {
  const auto a = build(members(100, 97)), b = build(members(100, 98));
  EXPECT_TRUE(a->equals(*a->clone()));
  EXPECT_FALSE(a->equals(*b));
  for (const any::kind* const other : any::kinds())
    EXPECT_EQ(other == &kind(), a->equals(*built(*other, members(100, 97), {.fpr = 0.01})))
        << other->name();
}

// Choices are reported by the name under which they are given, not by number.
TEST_P(Traits, ChoicesAreReportedByName) {
  const std::set<std::string_view> choices{"form",   "scheme", "preset", "source",
                                           "sorted", "skewed", "frozen", "inverted"};
  for (const auto& [name, value] : build(members(100, 99))->fields())
    if (choices.contains(name)) {
      EXPECT_TRUE(std::holds_alternative<std::string_view>(value))
          << kind().name() << " tells " << name << " by number";
    }
}

// Distinct keys, for structures that count them; a filter may map two keys to one value, once in
// 1/fpr.
class CountedTraits : public Traits {};
TEST_P(CountedTraits, KnowHowManyKeysTheyHold) {
  const auto known = build(joined(members(5000, 99), members(500, 99)))->keys();
  ASSERT_TRUE(known.has_value());
  EXPECT_LE(*known, 5000U);
  EXPECT_GE(*known, 4900U);
}
UMBEL_KINDS_ONLY(counts_its_keys, CountedTraits, counted_kinds);

class UncountedTraits : public Traits {};
TEST_P(UncountedTraits, SayThatTheyDoNotKnow) {
  EXPECT_EQ(build(members(5000, 99))->keys(), std::nullopt);
}
bool does_not_count(const any::kind& kind) { return !counts_its_keys(kind); }
UMBEL_KINDS_BUT(does_not_count, UncountedTraits, counted_kinds);

UMBEL_EVERY_KIND(Traits);

// Which of these choices some kind reports in a default build: without any the test above would
// check nothing.
TEST(Registry, EveryChoiceIsReportedBySomeKind) {
  std::set<std::string> told;
  for (const any::kind* const kind : any::kinds())
    for (const auto& [name, value] : built(*kind, members(100, 99), {.fpr = 0.01})->fields())
      if (std::holds_alternative<std::string_view>(value)) told.insert(name);
  EXPECT_EQ(told, (std::set<std::string>{"form", "frozen", "inverted", "preset", "scheme", "skewed",
                                         "sorted", "source"}));
}

TEST(Registry, EveryKindHasASentence) {
  std::set<std::string_view> seen;
  for (const any::kind* const kind : any::kinds()) {
    const std::string_view said = any::summary_of(*kind);
    EXPECT_TRUE(said.ends_with('.')) << kind->name() << ": " << said;
    EXPECT_TRUE(seen.insert(said).second) << said;
  }
}

TEST(Registry, NamesAreUniqueAndWellFormed) {
  std::set<std::string_view> names;
  for (const any::kind* const kind : any::kinds()) {
    const std::string_view name = kind->name();
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), name.npos) << name;
    EXPECT_LT(name.size(), 32U) << name << " does not fit the header of a file";
    const auto suffix = name.substr(name.rfind('-') + 1);
    const std::set<std::string_view> suffixes{"filter", "set", "map", "sketch", "hash"};
    EXPECT_TRUE(suffixes.contains(suffix)) << name;
  }
  EXPECT_GE(names.size(), 6U);
}

TEST(Registry, AnUnknownNameIsAnErrorThatListsTheKnownOnes) {
  EXPECT_EQ(any::find_kind("no-such-filter"), nullptr);
  EXPECT_EQ(any::find_kind(""), nullptr);
  try {
    (void)any::kind_named("no-such-filter");
    FAIL();
  } catch (const bad_parameter& refused) {
    const std::string_view said = refused.what();
    EXPECT_NE(said.find("no-such-filter"), said.npos);
    for (const any::kind* const kind : any::kinds())
      EXPECT_NE(said.find(kind->name()), said.npos) << said;
  }
}

}  // namespace
}  // namespace umbel::test
