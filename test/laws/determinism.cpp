// determinism.cpp - builds are functions of the set of keys: the same bytes in any order, with
// repeats, with any number of threads, in memory or spilled to disk, and with one shard or
// thousands. The option `shard_from` makes many shards of few keys; kinds without shards ignore it.
#include <map>
#include <set>
#include <string_view>

#include <umbel/set/aging_bloom_filter.hpp>
#include <umbel/sizing/graph.hpp>
#include <umbel/sizing/matrix.hpp>
#include <umbel/sizing/meta.hpp>
#include <umbel/sizing/perfect.hpp>
#include <umbel/sizing/ribbon.hpp>

#include "support/kind_test.hpp"
#include "support/temp_dir.hpp"

namespace umbel::test {
namespace {

class Determinism : public kind_test {
 public:
  // The shards that a structure reports.
  [[nodiscard]] static std::uint64_t shards(const structure& of) {
    std::uint64_t keys = 0;  // of the part whose fields these are: one without keys has no shards
    for (const auto& [name, value] : of.fields()) {
      if (name == "keys") keys = std::get<std::uint64_t>(value);
      if (name == "shard_bits" && keys != 0)
        return std::uint64_t{1} << std::get<std::uint64_t>(value);
    }
    return 0;
  }

 protected:
  // The first build, which all others must equal. Keys added twice, or by two threads, also come in
  // another order, so that any dependence on order shows.
  structure_ptr hold(std::uint64_t n, const any::options& options, std::uint64_t seed) const {
    const auto keys = members(n, seed);
    auto first = build(keys, options);
    const auto bytes = first->encode();
    EXPECT_TRUE(keeps_its_keys(*first, keys)) << "seed " << seed;
    const std::vector<digest> backwards(keys.rbegin(), keys.rend());
    EXPECT_EQ(build(backwards, options)->encode(), bytes) << "backwards";
    for (unsigned threads = 1; threads <= small_or(2, 3); ++threads) {
      any::options many = options;
      many.threads = threads;
      EXPECT_EQ(build(shuffled(keys, seed + threads), many)->encode(), bytes)
          << threads << " threads, another order";
    }
    return first;
  }
  // Two structures that must be equal: their bytes, and their answers to members and others.
  void expect_same(const structure& a, const structure& b, std::span<const digest> keys) const {
    EXPECT_EQ(a.encode(), b.encode());
    EXPECT_TRUE(a.equals(b));
    EXPECT_TRUE(keeps_its_keys(b, keys));
  }
  // Growing kinds must be given the number of keys if repeats would be counted.
  [[nodiscard]] any::options told(std::uint64_t n, any::options options) const {
    if (!traits().is_static) options.keys = n;
    return options;
  }
};

TEST_P(Determinism, OneShard) {
  for (const std::uint64_t n :
       {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{100}, small_or(1000, 5000)})
    (void)hold(n, {.fpr = 0.01}, 60);
}

TEST_P(Determinism, ManyShards) {
  const std::uint64_t n = small_or(1'000, 10'000);
  for (const std::uint64_t shard_from : {std::uint64_t{4}, n / 80, n / 10}) {
    SCOPED_TRACE(shard_from);
    (void)hold(n, {.fpr = 0.01, .shard_from = shard_from}, 61);
  }
}

// The option has an effect: builds that gave the same bytes above were really made in another way.
// For kinds without shards it changes nothing.
TEST_P(Determinism, ShardFromHasAnEffectWhereThereAreShards) {
  const kind_names with_seam{"bloomier-filter",  "coded-map",
                             "exact-set",        "binary-fuse-filter",
                             "binary-fuse-map",  "binary-fuse4-filter",
                             "binary-fuse4-map", "indexed-map",
                             "meta-map",         "mutable-bloomier-filter",
                             "perfect-filter",   "perfect-hash",
                             "ribbon-filter",    "ribbon-map",
                             "xor-filter",       "xor-map"};
  const std::uint64_t n = 10'000;
  const auto keys = members(n, 61);
  const auto whole = build(keys, {.fpr = 0.01})->encode();
  for (const std::uint64_t shard_from : {std::uint64_t{4}, n / 80, n / 10})
    EXPECT_EQ(build(keys, {.fpr = 0.01, .shard_from = shard_from})->encode() != whole,
              with_seam.contains(kind().name()))
        << shard_from;
}

// Where a kind tells of its shards, there are many.
class Sharded : public Determinism {};
TEST_P(Sharded, ShardFromMakesManyShards) {
  const std::uint64_t n = small_or(1'000, 10'000);
  for (const std::uint64_t shard_from : {std::uint64_t{4}, n / 80, n / 10})
    EXPECT_GE(shards(*build(members(n, 61), {.fpr = 0.01, .shard_from = shard_from})), 8U)
        << shard_from;
}
bool shards_its_keys(const any::kind& kind) {
  return Sharded::shards(*built(kind, members(1000, 61), {.fpr = 0.01, .shard_from = 4})) != 0;
}
UMBEL_KINDS_ONLY(shards_its_keys, Sharded, "bloomier-filter", "binary-fuse-filter",
                 "binary-fuse-map", "binary-fuse4-filter", "binary-fuse4-map", "meta-map",
                 "mutable-bloomier-filter", "xor-filter", "xor-map");

// Each form and each preset of a kind is a builder of its own, and a function of its keys; so is
// the default choice.
[[nodiscard]] std::vector<any::options> choices_of(const any::kind& kind, std::uint64_t n) {
  std::vector<any::options> out;
  const auto add = [&](const any::options& asked) {
    any::options counted = fitting(kind, asked);
    counted.keys = n;
    if (is_map(kind)) counted.value_bits = value_bits_of(kind);
    if (is_exact(kind)) counted.universe = 4 * n;
    try {
      (void)kind.plan(counted);
      out.push_back(asked);
    } catch (const bad_parameter&) {  // has none of this name; how many it has is pinned below
    }
  };
  std::set<std::string_view> presets, forms;
  presets.insert(perfect_preset_names.begin(), perfect_preset_names.end());
  presets.insert(ribbon_preset_names.begin(), ribbon_preset_names.end());
  forms.insert(sizing::graph_form_names.begin(), sizing::graph_form_names.end());
  forms.insert(matrix_form_names.begin(), matrix_form_names.end());
  forms.insert(sizing::meta_form_names.begin(), sizing::meta_form_names.end());
  forms.insert(aging_form_names.begin(), aging_form_names.end());
  forms.insert({"fill", "hash"});
  for (const std::string_view name : presets) add({.fpr = 0.01, .preset = name});
  for (const std::string_view name : forms) add({.fpr = 0.01, .form = name});
  return out;
}
class Choosing : public Determinism {};
TEST_P(Choosing, EveryFormAndPresetIsAFunctionOfItsKeys) {
  const std::uint64_t n = small_or(300, 1500);
  for (any::options asked : choices_of(kind(), n))
    for (const std::uint64_t shard_from : {std::uint64_t{40}, std::uint64_t{1} << 40}) {
      SCOPED_TRACE(::testing::Message()
                   << asked.form << asked.preset << ", shards from " << shard_from);
      asked.shard_from = shard_from;
      (void)hold(n, asked, 68);
    }
}
bool offers_a_choice(const any::kind& kind) { return !choices_of(kind, 1500).empty(); }
UMBEL_KINDS_ONLY(offers_a_choice, Choosing, "aging-bloom-filter", "coded-map", "indexed-map",
                 "matrix-filter", "matrix-map", "mutable-bloomier-filter", "perfect-filter",
                 "perfect-hash", "ribbon-filter", "ribbon-map", "split-bloom-filter");
TEST(Choices, EveryFormAndPresetIsCovered) {
  std::map<std::string_view, std::size_t> found;
  for (const any::kind* const kind : kinds_that(offers_a_choice))
    found[kind->name()] = choices_of(*kind, 1500).size();
  EXPECT_EQ(found, (std::map<std::string_view, std::size_t>{{"aging-bloom-filter", 2},
                                                            {"coded-map", 5},
                                                            {"indexed-map", 9},
                                                            {"matrix-filter", 4},
                                                            {"matrix-map", 4},
                                                            {"mutable-bloomier-filter", 1},
                                                            {"perfect-filter", 9},
                                                            {"perfect-hash", 9},
                                                            {"ribbon-filter", 7},
                                                            {"ribbon-map", 5},
                                                            {"split-bloom-filter", 2}}));
}

// Shards answer for their own digests only, and the rate does not depend on their number.
class RatedShards : public Determinism {};
TEST_P(RatedShards, ManyShardsKeepTheRate) {
  const std::uint64_t n = 20'000;
  const auto made = build(members(n, 62), {.fpr = 0.01, .shard_from = 64});
  const double hits = static_cast<double>(non_member_hits(*made, 100'000, 62));
  EXPECT_LE(hits, 100'000 * 0.01 * 1.05 + 5 * std::sqrt(1000.0));
}

UMBEL_KINDS_BUT(errs, RatedShards, unrated_kinds);

// An exact set has a universe instead of a rate: no key of it is answered wrongly, in any shard.
class ExactShards : public Determinism {};
TEST_P(ExactShards, DoNotErrOnTheUniverse) {
  const auto keys = members(small_or(1'000, 10'000), 67);
  const auto others = others_than(keys);
  for (const std::uint64_t shard_from : {std::uint64_t{64}, std::uint64_t{1} << 40}) {
    const auto made = kind().build(spooled(keys), others, {.threads = 2, .shard_from = shard_from});
    std::uint64_t wrong = 0, asked = 0;
    others.for_each(0, digest_spool::bins, [&](std::span<const digest> some) {
      wrong += count_hits(*made, some);
      asked += some.size();
    });
    EXPECT_EQ(asked, 3 * keys.size());
    EXPECT_EQ(wrong, 0U) << shard_from;
    EXPECT_TRUE(forgets_nothing(*made, keys)) << shard_from;
  }
}
UMBEL_KINDS_ONLY(is_exact, ExactShards, exact_kinds);

// Repeats that are counted give the same bytes in any order.
TEST_P(Determinism, RepeatsInAnyOrder) {
  const auto keys = members(1500, 63);
  const auto all = joined(joined(keys, keys), std::vector<digest>(30, keys[5]));
  const auto asked = told(all.size(), {.fpr = 0.01, .shard_from = 64});
  const auto first = build(all, asked);
  auto threaded = asked;
  threaded.threads = 2;
  expect_same(*first, *build(shuffled(all, 64), asked), keys);
  expect_same(*first, *build(shuffled(all, 65), threaded), keys);
}

class SetDeterminism : public Determinism {};
TEST_P(SetDeterminism, RepeatsChangeNothing) {
  const std::uint64_t n = 3000;
  const auto keys = members(n, 63);
  for (const std::uint64_t shard_from : {std::uint64_t{64}, std::uint64_t{1} << 40}) {
    const auto options = told(n, {.fpr = 0.01, .shard_from = shard_from});
    const auto bytes = build(keys, options)->encode();
    EXPECT_EQ(build(joined(keys, keys), options)->encode(), bytes) << "all twice";
    EXPECT_EQ(build(joined(keys, {keys[17]}), options)->encode(), bytes) << "one twice";
    EXPECT_EQ(build(joined(std::vector<digest>(1000, keys[5]), keys), options)->encode(), bytes)
        << "one 1001 times";
    auto threaded = options;
    threaded.threads = 2;
    EXPECT_EQ(build(shuffled(joined(keys, keys), 64), threaded)->encode(), bytes)
        << "all twice, two threads";
  }
}

UMBEL_KINDS_BUT(ignores_repeats, SetDeterminism, counting_kinds);

template <class Spool>
Spool spilled(const Spool& all, const temp_dir& dir) {
  Spool out(spool_options{.memory_limit = 1 << 19, .directory = dir.path()});
  all.for_each(0, Spool::bins, [&](auto some) { out.add(some); });
  EXPECT_TRUE(out.spilled());
  EXPECT_TRUE(dir.names().empty()) << "the temporary file has no name";
  return out;
}
TEST_P(Determinism, ASpoolOnDiskGivesTheSameBytes) {
  const temp_dir dir;
  const auto keys = members(small_or(30'000, 100'000), 65);
  any::options options{.fpr = 0.01, .shard_from = 4000};
  if (is_map(kind())) options.value_bits = value_bits_of(kind());
  const auto from_disk =
      takes_pairs(kind())
          ? kind().build(spilled(paired(keys, options.value_bits.value_or(map_value_bits)), dir),
                         options)
          : built(kind(), spilled(spooled(keys), dir), options,
                  is_exact(kind()) ? spilled(others_than(keys), dir) : digest_spool());
  expect_same(*build(keys, options), *from_disk, keys);
}

// Sizes on both sides of every step in a builder's arithmetic.
TEST_P(Determinism, SmallSizesOneByOne) {
  for (std::uint64_t n = 0; n <= small_or(70, 300); ++n) {
    const auto keys = members(n, 66);
    const any::options options{.fpr = 0.1, .shard_from = 4};
    ASSERT_EQ(build(keys, options)->encode(), build(shuffled(keys, n), options)->encode()) << n;
  }
}

UMBEL_EVERY_KIND(Determinism);

}  // namespace
}  // namespace umbel::test
