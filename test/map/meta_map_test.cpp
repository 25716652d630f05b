// meta_map_test.cpp - directories of keys in several databases, in all four forms: members are
// exact (a bank may report more), non-members pass at the promised rate, batches equal single
// calls, and the bytes do not depend on the order of pairs.
#include <string>

#include <gtest/gtest.h>

#include <umbel/codec/codec.hpp>
#include <umbel/map/meta_map.hpp>

#include "support/directories.hpp"
#include "support/environment.hpp"
#include "support/gate.hpp"
#include "support/temp_dir.hpp"

namespace umbel::test::meta_map_test {
namespace {

using enum sizing::meta_form;
using form = sizing::meta_form;

// A form and pairs it can hold.
struct shape {
  form as;
  const char* what;
  unsigned databases;
  directory_pairs (*pairs)(std::uint64_t keys, unsigned databases, std::uint64_t seed);
};
directory_pairs few_sets(std::uint64_t keys, unsigned databases, std::uint64_t seed) {
  return skewed_sets(keys, databases, 12, seed);
}
// Mostly the same few sets; one key in eight has a rare set.
directory_pairs rare_sets(std::uint64_t keys, unsigned databases, std::uint64_t seed) {
  auto out = skewed_sets(keys - keys / 8, databases, 12, seed);
  for (const auto& pair : random_sets(keys / 8, databases, seed + 1000)) out.push_back(pair);
  return out;
}
constexpr shape shapes[] = {
    {bank, "bank_1", 1, single_owners},
    {bank, "bank_7", 7, random_sets},
    {bank, "bank_64", 64, few_sets},
    {bank, "bank_65", 65, random_sets},
    {bank, "bank_4096", 4096, few_sets},
    {owner, "owner_1", 1, single_owners},
    {owner, "owner_2", 2, single_owners},
    {owner, "owner_37", 37, single_owners},
    {owner, "owner_100", 100, single_owners},
    {owner, "owner_4096", 4096, single_owners},
    {dictionary, "dictionary_3", 3, random_sets},
    {dictionary, "dictionary_20", 20, few_sets},
    {dictionary, "dictionary_40", 40, rare_sets},
    {dictionary, "dictionary_64", 64, rare_sets},
    {dictionary, "dictionary_4096", 4096, few_sets},
    {bitmap, "bitmap_1", 1, single_owners},
    {bitmap, "bitmap_20", 20, random_sets},
    {bitmap, "bitmap_56", 56, random_sets},
};

class MetaMap : public ::testing::TestWithParam<shape> {
 protected:
  [[nodiscard]] directory_pairs pairs(std::uint64_t keys, std::uint64_t seed) const {
    return GetParam().pairs(keys, GetParam().databases, seed);
  }
  [[nodiscard]] meta_map::options_type options(double fpr = 1.0 / 256) const {
    return {.fpr = fpr, .databases = GetParam().databases, .form = GetParam().as};
  }
  [[nodiscard]] meta_map build(const directory_pairs& from, double fpr = 1.0 / 256) const {
    return meta_map::build(from, options(fpr));
  }
};

TEST_P(MetaMap, FindsTheDatabasesOfEveryKey) {
  for (const std::uint64_t n : {0U, 1U, 2U, 3U, 10U, 100U, 1000U, 20'000U}) {
    if (n > 1000 && small()) break;
    const auto given = pairs(n, 1);
    const auto map = build(given);
    EXPECT_EQ(map.chosen_form(), GetParam().as);
    const auto expected = truth_of(given);
    if (GetParam().as != bank) {
      EXPECT_EQ(map.keys(), expected.size());
    }
    for (const auto& [key, databases] : expected) {
      const auto found = listed(map.where(key));
      if (GetParam().as == bank)
        ASSERT_TRUE(std::includes(found.begin(), found.end(), databases.begin(), databases.end()))
            << n;
      else
        ASSERT_EQ(found, databases) << n;
      ASSERT_TRUE(map.may_contain(key));
    }
  }
}

// P(any answer) and the expected number of databases reported for a non-member must match what the
// map says; the first must also keep the planned rate. Filters of a bank that share keys err
// together: then fewer non-members get more answers.
TEST_P(MetaMap, NonMembersPassAtThePromisedRate) {
  const std::uint64_t n = small_or(2'000, 20'000);
  for (const double fpr : {0.1, 0.01}) {
    // Five sigmas are 5 %.
    const auto trials = static_cast<std::uint64_t>((small() ? 1e3 : 1e4) / fpr);
    const auto map = build(pairs(n, 2), fpr);
    std::uint64_t answered = 0, told = 0;
    double most = 0;
    for (const std::uint64_t key : non_member_keys(trials, 2)) {
      const unsigned count = map.where(key).count();
      answered += count != 0;
      told += count;
      most = std::max<double>(most, count);
    }
    EXPECT_TRUE(no_more_than(answered, trials, fpr));
    EXPECT_LE(map.expected_fpr(), fpr * 1.02);
    EXPECT_TRUE(GetParam().as == bank
                    ? no_more_than(answered, trials, map.expected_fpr())
                    : binomial_gate(answered, trials, map.expected_fpr(), exact_model));
    // A sum of counts, each at most `most`: its deviation is at most sqrt(mean * most).
    const double mean = static_cast<double>(trials) * map.expected_extra();
    const double allowed = 5 * std::sqrt(mean * std::max(1.0, most)) + 0.02 * mean;
    EXPECT_LE(static_cast<double>(told), mean + allowed);
    // Escaped bitmaps are not masked: a bit set in a share p of the cells is set in (1 - (1 -
    // 2p)^4) / 2 <= 1/2 of words.
    if (map.escapes() == 0) {
      EXPECT_GE(static_cast<double>(told), mean - allowed);
    }
  }
}

TEST_P(MetaMap, ABatchAnswersAsSingleCallsDo) {
  const auto map = build(pairs(500, 3), 0.3);
  const std::size_t width = map.words_per_answer();
  for (const std::size_t length : {0U, 1U, 31U, 32U, 33U, 63U, 64U, 65U, 1000U}) {
    auto keys = joined(member_keys(500, 3), non_member_keys(500, 3));
    keys = shuffled(std::move(keys), length);
    keys.resize(length);
    std::vector<std::uint64_t> rows(length * width + 1, 99);
    const auto said = std::make_unique<bool[]>(length + 1);
    map.where_batch(keys, std::span(rows).first(length * width));
    map.may_contain_batch(keys, std::span(said.get(), length));
    for (std::size_t i = 0; i < length; ++i) {
      const auto one = map.where(keys[i]);
      ASSERT_TRUE(std::equal(one.words().begin(), one.words().end(), &rows[i * width]))
          << i << " of " << length;
      ASSERT_EQ(said[i], !one.empty());
    }
    EXPECT_EQ(rows.back(), 99U);
  }
}
TEST_P(MetaMap, TextKeysInABatch) {  // these are hashed some ahead
  std::vector<std::pair<std::string, unsigned>> given;
  for (const auto& [key, database] : pairs(300, 4))
    given.emplace_back("k" + std::to_string(key), database);
  const auto map = meta_map::build(given, options());
  std::vector<std::string> keys;
  for (const auto& pair : given) keys.push_back(pair.first);
  std::vector<std::uint64_t> rows(keys.size() * map.words_per_answer());
  map.where_batch(keys, rows);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto one = map.where(keys[i]);
    ASSERT_TRUE(one.contains(given[i].second));
    ASSERT_TRUE(
        std::equal(one.words().begin(), one.words().end(), &rows[i * map.words_per_answer()]));
  }
}

TEST_P(MetaMap, BytesDependOnThePairsAlone) {
  const auto given = pairs(2000, 5);
  const auto bytes = encode(build(given));
  EXPECT_EQ(encode(build(shuffled(given, 5))), bytes);
  EXPECT_EQ(encode(build(shuffled(joined(given, given), 6))), bytes) << "every pair twice";
  auto threaded = options();
  threaded.threads = 3;
  EXPECT_EQ(encode(meta_map::build(shuffled(given, 7), threaded)), bytes);
  threaded.shard_from = 64;
  const auto sharded = meta_map::build(given, threaded);
  EXPECT_EQ(encode(meta_map::build(shuffled(given, 8), threaded)), encode(sharded));
  for (const auto& [key, database] : given) ASSERT_TRUE(sharded.where(key).contains(database));
  pair_spool spilling(spool_options{.memory_limit = 1 << 16});
  for (const auto& [key, database] : given) spilling.add(core::valued{hasher()(key), database});
  EXPECT_EQ(encode(meta_map::build(spilling, options())), bytes) << "from a file";
}

TEST_P(MetaMap, ComesBackFromAFile) {
  const temp_dir dir;
  const secret_key secret{1, 2, 3};
  for (const std::uint64_t n : {0U, 1U, 300U}) {
    auto keyed = options();
    keyed.hash = hasher::keyed(secret);
    const auto given = pairs(n, 6);
    const auto map = meta_map::build(given, keyed);
    save(map, dir.file("a"));
    const load_options how{.key = secret};
    const auto copy = load<meta_map>(dir.file("a"), how);
    const auto mapped = open<meta_map>(dir.file("a"), how);
    EXPECT_EQ(copy, map);
    EXPECT_EQ(*mapped, map);
    EXPECT_EQ(encode(copy), encode(map));
    EXPECT_EQ(encode(*mapped), encode(map));
    EXPECT_EQ(copy.size_in_bits(), map.size_in_bits());
    EXPECT_EQ(copy.expected_extra(), map.expected_extra());
    for (const auto& [key, databases] : truth_of(given)) {
      ASSERT_EQ(copy.where(key), map.where(key));
      ASSERT_EQ(mapped->where(key), map.where(key));
    }
    EXPECT_THROW((void)load<meta_map>(dir.file("a")), incompatible);
  }
}

TEST_P(MetaMap, AnEmptyMapAnswersNothing) {
  const auto map = build({});
  EXPECT_EQ(map.expected_fpr(), 0);
  EXPECT_EQ(map.expected_extra(), 0);
  for (const std::uint64_t key : non_member_keys(1000, 7)) ASSERT_TRUE(map.where(key).empty());
}

// The planned size is the built size, except where larger graphs had to be drawn.
TEST_P(MetaMap, TakesThePlannedSize) {
  const std::uint64_t n = small_or(5'000, 20'000);
  const auto given = pairs(n, 8);
  const auto expected = truth_of(given);
  std::vector<std::uint64_t> load(GetParam().databases);
  std::map<std::set<unsigned>, std::uint64_t> sets;
  for (const auto& [key, databases] : expected) {
    ++sets[databases];
    for (const unsigned database : databases) ++load[database];
  }
  std::vector<std::uint64_t> frequencies;
  for (const auto& [set, count] : sets) frequencies.push_back(count);
  std::sort(frequencies.rbegin(), frequencies.rend());
  const sizing::meta_counts counts{.keys = expected.size(),
                                   .databases = GetParam().databases,
                                   .fullest = *std::max_element(load.begin(), load.end()),
                                   .single = given.size() == expected.size(),
                                   .frequencies = frequencies};
  const auto price = sizing::price_meta(counts, 1.0 / 256, GetParam().as);
  ASSERT_TRUE(price);
  const auto map = build(given);
  EXPECT_NEAR(static_cast<double>(map.size_in_bits()), static_cast<double>(price->bits),
              0.02 * static_cast<double>(price->bits));
  const auto cheapest = sizing::choose_meta(counts, 1.0 / 256);
  auto free = options();
  free.form.reset();
  const auto chosen = meta_map::build(given, free);
  EXPECT_EQ(chosen.chosen_form(), cheapest->form);
  EXPECT_LE(chosen.size_in_bits(), map.size_in_bits());
}

INSTANTIATE_TEST_SUITE_P(Forms, MetaMap, ::testing::ValuesIn(shapes),
                         [](const auto& of) { return of.param.what; });

// ---- what one form has alone ----

// The table is the array `sets`: rows of three bits here.
struct table {
  std::uint64_t word = 0;
  void hash(const hasher&) {}
  void fields(std::string_view, const auto&) {}
  template <class Word>
  void array(std::string_view name, const cells::words<Word>& words) {
    if (name == "sets") word = words[0];
  }
};
TEST(MetaDictionary, NumbersSetsByFrequencyThenByContent) {
  directory_pairs given;
  auto add = [&, next = std::uint64_t{0}](unsigned times,
                                          std::initializer_list<unsigned> databases) mutable {
    for (unsigned i = 0; i < times; ++i, ++next)
      for (const unsigned database : databases) given.emplace_back(next, database);
  };
  add(3, {0, 1});
  add(9, {2});
  add(3, {0});
  add(1, {0, 1, 2});
  const auto map = meta_map::build(given, {.databases = 3, .form = dictionary});
  EXPECT_EQ(map.sets(), 4U);
  table seen;
  meta_map::describe(map, seen);
  EXPECT_EQ(seen.word, 0b111'011'001'100U);
}

TEST(MetaDictionary, EscapesWhereThatIsSmaller) {
  const auto given = rare_sets(20'000, 40, 9);
  const auto map = meta_map::build(given, {.databases = 40});
  EXPECT_EQ(map.chosen_form(), dictionary);
  EXPECT_GT(map.escapes(), 2000U);
  EXPECT_LE(map.escapes(), 3000U) << "2500 keys have a set of their own, some others a rare one";
  for (const auto& [key, databases] : truth_of(given)) ASSERT_EQ(listed(map.where(key)), databases);
}

TEST(MetaBank, ADatabaseCanBeReplaced) {
  const auto given = random_sets(2000, 70, 10);
  auto map = meta_map::build(given, {.fpr = 0.01, .databases = 70, .form = bank});
  const auto before = map;
  const auto fresh = non_member_keys(1000, 10);
  map.replace(66, fresh);
  for (const std::uint64_t key : fresh) ASSERT_TRUE(map.where(key).contains(66));
  std::uint64_t still = 0;
  for (const std::uint64_t key : member_keys(2000, 10)) {
    for (unsigned i = 0; i < 70; ++i)
      ASSERT_TRUE(i == 66 || map.where(key).contains(i) == before.where(key).contains(i));
    still += map.where(key).contains(66);
  }
  EXPECT_LE(still, 5U) << "a rate of 0.01 / 70 at half the keys";
  map.replace(66, std::vector<std::uint64_t>{});
  for (const std::uint64_t key : fresh) ASSERT_FALSE(map.where(key).contains(66));
  EXPECT_THROW(map.replace(70, fresh), bad_parameter);
  auto fixed = meta_map::build(given, {.databases = 70, .form = dictionary});
  EXPECT_THROW(fixed.replace(0, fresh), bad_parameter);
}

// ---- refusals ----

template <class Error, class Call>
void expect_refused(const std::string& part, Call&& call) {
  try {
    call();
    ADD_FAILURE() << "taken";
  } catch (const Error& refused) {
    EXPECT_NE(std::string(refused.what()).find(part), std::string::npos) << refused.what();
  }
}

TEST(MetaRefusals, ADatabaseThatIsNotThere) {
  const std::vector<std::pair<std::string, std::uint64_t>> given{{"fine", 9}, {"wrong", 10}};
  expect_refused<bad_parameter>("\"wrong\"",
                                [&] { (void)meta_map::build(given, {.databases = 10}); });
  pair_spool spool;
  spool.add(core::valued{digest{1, 2}, std::uint64_t{1} << 40});
  for (const form f : {bank, owner, dictionary, bitmap})
    expect_refused<bad_parameter>(
        "10 databases", [&] { (void)meta_map::build(spool, {.databases = 10, .form = f}); });
}
TEST(MetaRefusals, TwoOwnersWhereOneIsAllowed) {
  const std::vector<std::pair<std::string, unsigned>> given{
      {"fine", 9}, {"twice", 3}, {"twice", 4}};
  expect_refused<conflict>("\"twice\"",
                           [&] { (void)meta_map::build(given, {.databases = 10, .form = owner}); });
  EXPECT_NO_THROW((void)meta_map::build(given, {.databases = 10}));
}
TEST(MetaRefusals, NumbersOfDatabases) {
  const directory_pairs none;
  for (const unsigned databases : {0U, 4097U, ~0U}) {
    expect_refused<bad_parameter>("databases",
                                  [&] { (void)meta_map::build(none, {.databases = databases}); });
    expect_refused<bad_parameter>("databases",
                                  [&] { (void)meta_map::plan({.databases = databases}); });
  }
}
TEST(MetaRefusals, FormsThatCannotHoldTheKeys) {
  const auto wide = random_sets(100, 65, 11);
  expect_refused<bad_parameter>(
      "bitmap", [&] { (void)meta_map::build(wide, {.databases = 65, .form = bitmap}); });
  const auto full = random_sets(100, 60, 11);  // leaves four bits for the check
  expect_refused<bad_parameter>("bitmap", [&] {
    (void)meta_map::build(full, {.fpr = 1e-3, .databases = 60, .form = bitmap});
  });
}
TEST(MetaRefusals, MoreLongSetsThanADictionaryHasRows) {
  if (small()) GTEST_SKIP() << "needs 70,000 sets";
  const auto many = random_sets(70'000, 65, 12);  // more than 2^16 sets of more than a word
  expect_refused<bad_parameter>(
      "dictionary", [&] { (void)meta_map::build(many, {.databases = 65, .form = dictionary}); });
  const auto map = meta_map::build(many, {.databases = 65});
  EXPECT_EQ(map.chosen_form(), bank);
}

// More sets than rows, but no more databases than bits of a word: the rest escapes.
TEST(MetaDictionary, MoreSetsThanRows) {
  if (small()) GTEST_SKIP() << "needs 70,000 sets";
  const auto given = random_sets(70'000, 30, 13);
  const auto map = meta_map::build(given, {.databases = 30, .form = dictionary});
  EXPECT_LE(map.sets(), sizing::meta_max_sets);
  EXPECT_GT(map.escapes(), 0U);
  for (const auto& [key, databases] : truth_of(given)) ASSERT_EQ(listed(map.where(key)), databases);
}

TEST(MetaPlan, IsOfOneOwnerEach) {
  const auto plan = meta_map::plan({.keys = 100'000, .fpr = 0.01, .databases = 100});
  EXPECT_LE(plan.fpr, 0.01);
  const auto map =
      meta_map::build(single_owners(100'000, 100, 14), {.fpr = 0.01, .databases = 100});
  EXPECT_NEAR(static_cast<double>(map.size_in_bits()), static_cast<double>(plan.bits),
              0.02 * static_cast<double>(plan.bits));
  EXPECT_EQ(map.expected_fpr(), plan.fpr);
  const auto banks = meta_map::plan({.keys = 100'000, .fpr = 0.01, .databases = 100, .form = bank});
  EXPECT_GT(banks.bits, plan.bits);
  EXPECT_GT(banks.probes, 10U);
}

}  // namespace
}  // namespace umbel::test::meta_map_test
