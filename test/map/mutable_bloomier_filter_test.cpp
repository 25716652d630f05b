// mutable_bloomier_filter_test.cpp - mutable Bloomier filter [CKRT04]: every key answers its last
// value, and the first table never changes.
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <umbel/codec/codec.hpp>
#include <umbel/map/mutable_bloomier_filter.hpp>

#include "support/environment.hpp"
#include "support/fuse_keys.hpp"
#include "support/gate.hpp"
#include "support/temp_dir.hpp"

namespace mutable_bloomier_filter_test {
namespace {

using namespace fuse_test;
using umbel::concurrent_mutable_bloomier_filter;
using umbel::graph_form;
using umbel::graph_options;
using umbel::mutable_bloomier_filter;
using umbel::test::binomial_gate;
using umbel::test::no_more_than;
using number_pairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

const std::vector<graph_options> graphs = {
    {},
    {.form = graph_form::random, .arity = 2},
    {.form = graph_form::random},
    {.form = graph_form::random, .arity = 8},
    {.form = graph_form::partitioned, .arity = 5},
    {.form = graph_form::fuse},
    {.form = graph_form::fuse, .arity = 4},
    umbel::two_probe,
};

number_pairs numbers(std::uint64_t n, unsigned bits, std::uint64_t seed = 0) {
  number_pairs out;
  for (std::uint64_t i = 0; i < n; ++i)
    out.emplace_back(i, scatter(i + (seed << 32)) >> (64 - bits));
  return out;
}
template <class Map>
std::size_t wrong(const Map& map, const number_pairs& given) {
  std::vector<std::uint64_t> keys, values(given.size());
  for (const auto& [key, value] : given) keys.push_back(key);
  std::vector<std::optional<std::uint64_t>> found(given.size());
  map.find_batch(keys, found);
  map.value_batch(keys, values);
  std::size_t out = 0;
  for (std::size_t i = 0; i < given.size(); ++i)
    out += found[i] != given[i].second || values[i] != given[i].second ||
           map.find(keys[i]) != given[i].second || map.value(keys[i]) != given[i].second;
  return out;
}

TEST(MutableBloomierMap, EveryGraphAnswersItsMembers) {
  for (const auto& graph : graphs)
    for (const std::uint64_t n : {0U, 1U, 2U, 3U, 10U, 1000U, 50'000U}) {
      const auto given = numbers(n, 11);
      const auto map =
          mutable_bloomier_filter::build(given, {.value_bits = 11, .fpr = 0.01, .graph = graph});
      ASSERT_EQ(map.keys(), n);
      ASSERT_EQ(wrong(map, given), 0U) << n << " keys of " << graph.arity << " cells";
    }
}

TEST(MutableBloomierMap, AMillionKeys) {
  const std::uint64_t n = umbel::test::small_or(50'000, 1'000'000);
  auto map = mutable_bloomier_filter::build(
      numbers(n, 20), {.value_bits = 20, .threads = 2, .shard_from = 200'000});
  EXPECT_EQ(wrong(map, numbers(n, 20)), 0U);
  const auto other = numbers(n, 20, 1);
  std::vector<std::uint64_t> keys, values;
  for (const auto& [key, value] : other) keys.push_back(key), values.push_back(value);
  EXPECT_EQ(map.assign_batch(keys, values), n);
  EXPECT_EQ(wrong(map, other), 0U);
}

TEST(MutableBloomierMap, EveryValueWidth) {
  for (unsigned bits = 1; bits <= 64; ++bits) {
    auto map =
        mutable_bloomier_filter::build(numbers(300, bits), {.value_bits = bits, .fpr = 1e-6});
    ASSERT_EQ(wrong(map, numbers(300, bits)), 0U) << bits;
    for (const auto& [key, value] : numbers(300, bits, 1)) ASSERT_TRUE(map.assign(key, value));
    ASSERT_EQ(wrong(map, numbers(300, bits, 1)), 0U) << bits;
  }
}

TEST(MutableBloomierMap, EmptyAnswersNothing) {
  auto map = mutable_bloomier_filter::build(number_pairs{}, {.value_bits = 9});
  EXPECT_EQ(map, umbel::decode<mutable_bloomier_filter>(umbel::encode(map)));
  EXPECT_EQ(map.size_in_bits(), 0U);
  EXPECT_EQ(map.expected_fpr(), 0);
  EXPECT_EQ(map.find(5), std::nullopt);
  EXPECT_EQ(map.value(5), 0U);
  EXPECT_FALSE(map.assign(5, 3));
  const std::vector<std::uint64_t> keys(100, 5);
  EXPECT_EQ(map.assign_batch(keys, keys), 0U);
}

// k / 2^q, whatever the values: cells that cancel in a random graph make it a little less.
TEST(MutableBloomierMap, NonMembersPassAtTheExactRate) {
  const std::uint64_t non_members = umbel::test::small_or(50'000, 500'000);
  for (const auto& graph : graphs) {
    const auto map = mutable_bloomier_filter::build(numbers(5000, 3),
                                                    {.value_bits = 3, .fpr = 0.05, .graph = graph});
    const unsigned width = map.engine().retrieval().width();
    EXPECT_EQ(map.expected_fpr(), graph.arity / std::exp2(width));
    EXPECT_LE(map.expected_fpr(), 0.05);
    EXPECT_GT(2 * map.expected_fpr(), 0.05);
    std::uint64_t found = 0;
    for (std::uint64_t i = 0; i < non_members; ++i) found += map.find(5000 + i).has_value();
    EXPECT_TRUE(binomial_gate(found, non_members, map.expected_fpr(), umbel::test::exact_model))
        << graph.arity;
  }
}

TEST(MutableBloomierMap, AssigningToADetectedNonMemberChangesNothing) {
  auto map = mutable_bloomier_filter::build(numbers(2000, 8), {.value_bits = 8, .fpr = 0.01});
  const auto before = umbel::encode(map);
  std::uint64_t known = 0;
  for (std::uint64_t key = 2000; key < 12'000; ++key) {
    if (map.find(key)) continue;
    ASSERT_FALSE(map.assign(key, 1));
    ++known;
  }
  EXPECT_GT(known, 9500U);
  EXPECT_EQ(umbel::encode(map), before);
}

// The hazard: assigning to a non-member that passes overwrites the value of a member, or a cell
// that no key owns.
TEST(MutableBloomierMap, AssigningToANonMemberThatPassesOverwrites) {
  auto map = mutable_bloomier_filter::build(numbers(2000, 8), {.value_bits = 8, .fpr = 0.5});
  std::uint64_t assigned = 0;
  for (std::uint64_t key = 2000; key < 3000; ++key)
    if (const auto found = map.find(key)) {
      ASSERT_TRUE(map.assign(key, *found ^ 1));
      ASSERT_EQ(map.find(key), *found ^ 1);
      ++assigned;
    }
  EXPECT_GT(assigned, 200U);
  EXPECT_GT(wrong(map, numbers(2000, 8)), 50U);
}

TEST(MutableBloomierMap, ValuesTooWideAreRefusedAndNothingChanges) {
  auto map = mutable_bloomier_filter::build(numbers(100, 5), {.value_bits = 5});
  const auto before = umbel::encode(map);
  EXPECT_THROW((void)map.assign(3, 32), umbel::bad_parameter);
  const std::vector<std::uint64_t> keys = {1, 2, 3}, values = {1, 2, 32};
  EXPECT_THROW((void)map.assign_batch(keys, values), umbel::bad_parameter);
  EXPECT_EQ(umbel::encode(map), before);
  EXPECT_THROW((void)mutable_bloomier_filter::build(number_pairs{{1, 32}}, {.value_bits = 5}),
               umbel::bad_parameter);
  EXPECT_THROW(
      (void)mutable_bloomier_filter::build(number_pairs{{1, 3}, {1, 4}}, {.value_bits = 5}),
      umbel::conflict);
  for (const unsigned bits : {0U, 65U})
    EXPECT_THROW((void)mutable_bloomier_filter::plan({.keys = 1, .value_bits = bits}),
                 umbel::bad_parameter);
}

TEST(MutableBloomierMap, OrderThreadsAndShardsChangeNothing) {
  for (const auto& graph : graphs) {
    const auto given = numbers(20'000, 9);
    const mutable_bloomier_filter::options_type how{
        .value_bits = 9, .graph = graph, .shard_from = 3000};
    const auto bytes = umbel::encode(mutable_bloomier_filter::build(given, how));
    auto threaded = how;
    threaded.threads = 2;
    EXPECT_EQ(umbel::encode(mutable_bloomier_filter::build(shuffled(given, 5), threaded)), bytes);
  }
}

TEST(MutableBloomierMap, SavedLoadedChangedAndOpened) {
  const umbel::test::temp_dir here;
  umbel::save(mutable_bloomier_filter::build(numbers(3000, 16), {.value_bits = 16}),
              here.file("map"));
  auto loaded = umbel::load<mutable_bloomier_filter>(here.file("map"));
  for (const auto& [key, value] : numbers(3000, 16, 1)) ASSERT_TRUE(loaded.assign(key, value));
  umbel::save(loaded, here.file("map"));
  const auto opened = umbel::open<mutable_bloomier_filter>(here.file("map"));
  EXPECT_EQ(wrong(*opened, numbers(3000, 16, 1)), 0U);
  auto copy = *opened;  // owns its cells, so it may be written
  EXPECT_TRUE(copy.assign(7, 1));
  EXPECT_EQ(wrong(*opened, numbers(3000, 16, 1)), 0U);
}

// ---- compact ----

using umbel::mutable_bloomier_preset;

// With every graph and changing values the compact map answers as the plain one does.
TEST(CompactMutableBloomierMap, KeepsWhatWasAssigned) {
  for (const graph_options& graph : graphs) {
    auto given = numbers(3000, 10);
    const mutable_bloomier_filter::options_type how{
        .value_bits = 10, .graph = graph, .preset = mutable_bloomier_preset::compact};
    auto map = mutable_bloomier_filter::build(given, how);
    EXPECT_TRUE(map.compact());
    EXPECT_EQ(wrong(map, given), 0U);
    for (std::size_t i = 0; i < given.size(); i += 3)
      EXPECT_TRUE(map.assign(given[i].first, given[i].second ^= 5));
    EXPECT_EQ(wrong(map, given), 0U);
    const auto again = umbel::decode<mutable_bloomier_filter>(umbel::encode(map));
    EXPECT_EQ(again, map);
    EXPECT_EQ(wrong(again, given), 0U);
  }
  EXPECT_FALSE(
      mutable_bloomier_filter::build(number_pairs{}, {.preset = mutable_bloomier_preset::compact})
          .compact());
}

// m (q + 1.0625) + n r bits with m cells for n keys: less than the plain map once (m/n - 1) r
// exceeds 1.0625 m/n, which is from 6 bits of value on at 1.23 cells per key and from 10 at 1.125.
TEST(CompactMutableBloomierMap, IsSmallerFromSixOrTenBitsOfValueOn) {
  const auto pays = [](double cells_per_key, unsigned bits) {
    return (cells_per_key - 1) * bits > 1.0625 * cells_per_key;
  };
  EXPECT_TRUE(pays(1.23, 6) && !pays(1.23, 5) && pays(1.125, 10) && !pays(1.125, 9));
  const std::uint64_t n = umbel::test::small_or(20'000, 200'000);
  for (const auto form : {graph_form::random, graph_form::fuse}) {
    for (const unsigned bits : {4U, 5U, 6U, 9U, 11U, 20U}) {
      mutable_bloomier_filter::options_type how{
          .keys = n, .value_bits = bits, .graph = {.form = form}};
      const auto plain = mutable_bloomier_filter::plan(how);
      how.preset = mutable_bloomier_preset::compact;
      const auto plan = mutable_bloomier_filter::plan(how);
      EXPECT_EQ(plan.bits < plain.bits,
                pays(static_cast<double>(plan.cells) / static_cast<double>(n), bits))
          << bits;
      const auto map = mutable_bloomier_filter::build(numbers(n, bits), how);
      const auto m = static_cast<double>(map.engine().retrieval().cell_count()),
                 q = static_cast<double>(map.engine().retrieval().width());
      const double formula = m * (q + 1.0625) + static_cast<double>(n * bits);
      EXPECT_NEAR(static_cast<double>(map.size_in_bits()), formula, 0.002 * formula + 1024) << bits;
      EXPECT_EQ(map.size_in_bits(), plan.bits) << bits;
    }
  }
}

// A non-member that selects an unused cell is detected. The cells it may select are uniform except
// at the ends of a fuse graph, where the rate is a bound.
TEST(CompactMutableBloomierMap, FewerNonMembersPass) {
  const std::uint64_t n = 20'000, trials = umbel::test::small_or(100'000, 1'000'000);
  for (const auto form : {graph_form::partitioned, graph_form::fuse}) {
    mutable_bloomier_filter::options_type how{.fpr = 0.05, .graph = {.form = form}};
    const double plain = mutable_bloomier_filter::build(numbers(n, 8), how).expected_fpr();
    how.preset = mutable_bloomier_preset::compact;
    const auto map = mutable_bloomier_filter::build(numbers(n, 8), how);
    std::uint64_t hits = 0;
    for (std::uint64_t i = 0; i < trials; ++i) hits += map.find(n + i).has_value();
    EXPECT_TRUE(no_more_than(hits, trials, map.expected_fpr(), umbel::test::exact_model));
    EXPECT_LT(map.expected_fpr(), plain);
    if (form == graph_form::fuse) continue;
    EXPECT_TRUE(binomial_gate(hits, trials, map.expected_fpr(), umbel::test::exact_model));
  }
}

TEST(CompactMutableBloomierMap, OrderThreadsAndShardsChangeNothing) {
  const auto given = numbers(30'000, 9);
  for (const std::uint64_t shard_from : {4'000'000U, 2000U}) {
    mutable_bloomier_filter::options_type how{
        .value_bits = 9, .preset = mutable_bloomier_preset::compact, .shard_from = shard_from};
    const auto bytes = umbel::encode(mutable_bloomier_filter::build(given, how));
    how.threads = 2;
    EXPECT_TRUE(umbel::encode(mutable_bloomier_filter::build(shuffled(given, 1), how)) == bytes);
  }
}

TEST(ConcurrentMutableBloomierMap, HasTheBytesOfThePlainOne) {
  for (const unsigned bits : {8U, 16U, 32U, 64U}) {
    auto shared =
        concurrent_mutable_bloomier_filter::build(numbers(3000, bits), {.value_bits = bits});
    auto plain = mutable_bloomier_filter::build(numbers(3000, bits), {.value_bits = bits});
    EXPECT_EQ(umbel::encode(shared), umbel::encode(plain));
    for (const auto& [key, value] : numbers(1000, bits, 1)) {
      ASSERT_TRUE(shared.assign(key, value));
      ASSERT_TRUE(plain.assign(key, value));
    }
    EXPECT_EQ(umbel::encode(shared), umbel::encode(plain));
    EXPECT_EQ(umbel::decode<concurrent_mutable_bloomier_filter>(umbel::encode(plain)), shared);
  }
  EXPECT_THROW((void)concurrent_mutable_bloomier_filter::build(numbers(10, 7), {.value_bits = 7}),
               umbel::bad_parameter);
  const auto odd = umbel::encode(mutable_bloomier_filter::build(numbers(10, 7), {.value_bits = 7}));
  EXPECT_THROW((void)umbel::decode<concurrent_mutable_bloomier_filter>(odd), umbel::error);
}

// Any sequence of assignments leaves every key with its last value, and the first table as it was.
RC_GTEST_PROP(MutableBloomierMap, ChangesAsAStandardMapDoes,
              (std::map<std::string, std::uint16_t> truth)) {
  const auto graph = *rc::gen::elementOf(graphs);
  auto map = mutable_bloomier_filter::build(truth, {.value_bits = 16, .fpr = 0.01, .graph = graph});
  const auto first_table = map.engine().retrieval();
  if (!truth.empty()) {
    const auto changes = *rc::gen::arbitrary<std::vector<std::pair<std::size_t, std::uint16_t>>>();
    for (const auto& [which, value] : changes) {
      const auto at = std::next(truth.begin(), static_cast<std::ptrdiff_t>(which % truth.size()));
      at->second = value;
      RC_ASSERT(map.assign(at->first, value));
      RC_ASSERT(map.find(at->first) == std::uint64_t{value});
    }
  }
  for (const auto& [key, value] : truth) RC_ASSERT(map.find(key) == std::uint64_t{value});
  RC_ASSERT(map.engine().retrieval() == first_table);
  RC_ASSERT(umbel::decode<mutable_bloomier_filter>(umbel::encode(map)) == map);
}

}  // namespace
}  // namespace mutable_bloomier_filter_test
