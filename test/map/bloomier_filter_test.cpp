// bloomier_filter_test.cpp - Bloomier filter [CKRT04]: any number of values, any graph; members are
// right, non-members pass at V / 2^q.
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <umbel/codec/codec.hpp>
#include <umbel/map/bloomier_filter.hpp>

#include "support/environment.hpp"
#include "support/fuse_keys.hpp"
#include "support/fuse_parts.hpp"
#include "support/statistics_gate.hpp"

namespace bloomier_filter_test {
namespace {

using namespace fuse_test;
using testing::HasSubstr;
using umbel::bloomier_filter;
using umbel::graph_form;
using umbel::graph_options;
using umbel::test::binomial_gate;
using text_pairs = std::vector<std::pair<std::string, std::uint64_t>>;
using number_pairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

const std::vector<graph_options> graphs = {
    {},
    {.form = graph_form::random, .arity = 2},
    {.form = graph_form::random},
    {.form = graph_form::random, .arity = 5},
    {.form = graph_form::partitioned},
    {.form = graph_form::partitioned, .arity = 8},
    {.form = graph_form::fuse},
    {.form = graph_form::fuse, .arity = 4},
    umbel::two_probe,
};

// Values 0 to `largest`.
number_pairs numbers(std::uint64_t n, std::uint64_t largest) {
  number_pairs out;
  for (std::uint64_t i = 0; i < n; ++i)
    out.emplace_back(i, largest + 1 == 0 ? scatter(i) : scatter(i + 99) % (largest + 1));
  return out;
}
std::size_t wrong(const bloomier_filter& map, const number_pairs& given) {
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

TEST(BloomierMap, EveryGraphAnswersItsMembers) {
  for (const auto& graph : graphs)
    for (const std::uint64_t n : {0U, 1U, 2U, 3U, 10U, 1000U, 50'000U})
      for (const bool fill : {false, true}) {
        const auto given = numbers(n, 99);
        const auto map = bloomier_filter::build(
            given, {.fpr = 0.01, .values = 100, .graph = graph, .fill = fill});
        ASSERT_EQ(map.keys(), n);
        ASSERT_EQ(wrong(map, given), 0U)
            << n << " keys, form " << map.shape().form << ", " << graph.arity << " cells";
        if (n > 0) {
          EXPECT_EQ(map.shape().arity, graph.arity);
        }
      }
}

TEST(BloomierMap, AMillionKeys) {
  const auto given = numbers(umbel::test::small_or(50'000, 1'000'000), 57);
  const auto map = bloomier_filter::build(given, {.fpr = 1.0 / 256, .values = 58, .threads = 2});
  EXPECT_EQ(wrong(map, given), 0U);
  EXPECT_EQ(map.shape().form, 2U);
}

TEST(BloomierMap, AnyNumberOfValues) {
  for (const std::uint64_t largest :
       {0ULL, 1ULL, 2ULL, 6ULL, 99ULL, 256ULL, (1ULL << 40) - 1, 1ULL << 40, (1ULL << 54) - 1})
    for (const std::optional<double> fpr : {std::optional<double>(), std::optional(0.001)}) {
      const auto given = numbers(500, largest);
      const auto map = bloomier_filter::build(given, {.fpr = fpr, .values = largest + 1});
      ASSERT_EQ(wrong(map, given), 0U) << largest;
      EXPECT_EQ(map.largest(), largest);
      if (fpr) {
        EXPECT_LE(map.expected_fpr(), *fpr);
      }
    }
}

TEST(BloomierMap, EveryValueWidth) {
  for (unsigned bits = 1; bits <= 64; ++bits) {
    const auto given = numbers(300, umbel::detail::low_mask(bits));
    const auto bare = bloomier_filter::build(given, {.value_bits = bits});
    ASSERT_EQ(wrong(bare, given), 0U) << bits << " bits";
    EXPECT_EQ(bare.value_bits(), bits);
    EXPECT_EQ(bare.expected_fpr(), 1);
  }
}

TEST(BloomierMap, EmptyAnswersNothing) {
  for (const auto& map :
       {bloomier_filter::build(text_pairs{}, {.fpr = 0.01, .values = 9}), bloomier_filter()}) {
    EXPECT_EQ(map.keys(), 0U);
    EXPECT_EQ(map.size_in_bits(), 0U);
    EXPECT_EQ(map.expected_fpr(), 0);
    EXPECT_EQ(map.find("anyone"), std::nullopt);
    EXPECT_EQ(map.value("anyone"), 0U);
    const std::vector<std::string> keys(100, "anyone");
    std::vector<std::optional<std::uint64_t>> found(100, 5);
    std::vector<std::uint64_t> values(100, 5);
    map.find_batch(keys, found);
    map.value_batch(keys, values);
    EXPECT_THAT(found, testing::Each(std::nullopt));
    EXPECT_THAT(values, testing::Each(0));
  }
}

// The mask makes the rate exactly V / 2^q, whatever the table holds, and each value equally likely.
TEST(BloomierMap, NonMembersGetEveryValueEquallyOftenAtTheExactRate) {
  const std::uint64_t non_members = umbel::test::small_or(200'000, 4'000'000);
  for (const auto& graph : graphs) {
    // All members have one value: without a mask non-members would get it too.
    number_pairs given;
    for (std::uint64_t i = 0; i < 5000; ++i) given.emplace_back(i, 7);
    const auto map = bloomier_filter::build(given, {.fpr = 0.06, .values = 50, .graph = graph});
    ASSERT_EQ(map.expected_fpr(), 50.0 / 1024);
    std::vector<std::uint64_t> keys(4096), seen(50);
    std::vector<std::optional<std::uint64_t>> found(keys.size());
    std::uint64_t hits = 0, asked = 0;
    for (; asked < non_members / graphs.size(); asked += keys.size()) {
      for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = 1'000'000 + asked + i;
      map.find_batch(keys, found);
      for (const auto& value : found)
        if (value) ++hits, ++seen.at(*value);
    }
    EXPECT_TRUE(binomial_gate(hits, asked, map.expected_fpr(), umbel::test::exact_model))
        << graph.arity;
    EXPECT_TRUE(umbel::statistics::uniform(seen)) << graph.arity;
  }
}

TEST(BloomierMap, TakesOneBitLessThanValueAndCheckApart) {
  EXPECT_EQ(bloomier_filter::plan({.keys = 1000, .fpr = 0.01, .values = 65}).bits,
            bloomier_filter::plan({.keys = 1000, .value_bits = 13}).bits);
  const auto plan = bloomier_filter::plan({.keys = 50'000, .fpr = 0.01, .values = 100});
  const auto map = bloomier_filter::build(numbers(50'000, 99), {.fpr = 0.01, .values = 100});
  EXPECT_EQ(plan.fpr, map.expected_fpr());
  EXPECT_NEAR(static_cast<double>(plan.bits) / static_cast<double>(map.size_in_bits()), 1, 0.05);
}

// With two probes three in ten seeds give an acyclic graph. The build draws until it finds one, and
// never makes the array larger.
TEST(BloomierMap, TwoProbesReseedUntilTheGraphHasNoCycle) {
  std::uint64_t drawn = 0, first = 0;
  constexpr std::uint64_t maps = 200;
  for (std::uint64_t seed = 0; seed < maps; ++seed) {
    const auto map = bloomier_filter::build(
        numbers(3000, 3),
        {.value_bits = 2, .graph = umbel::two_probe, .hash = umbel::hasher::seeded(seed)});
    EXPECT_EQ(map.shape().cells(), umbel::sizing::plan_graph(3000, umbel::two_probe).cells());
    const std::uint64_t attempt = parts(map).attempts().at(0);
    drawn += attempt + 1;
    first += attempt == 0;
  }
  const double share = umbel::sizing::acyclic_share(3000.0 / 6332, graph_form::partitioned);
  EXPECT_TRUE(binomial_gate(first, maps, share, 0.1));
  EXPECT_TRUE(binomial_gate(maps, drawn, share, 0.1));
}

// A filled map differs in cells that no key needs, and in no answer to a member; its size reveals
// nothing either.
TEST(BloomierMap, FillingHidesWhichCellsAreUsed) {
  const auto given = numbers(5000, 255);
  const auto count_zeros = [&](bool fill, const umbel::hasher& hash) {
    const auto bytes =
        umbel::encode(bloomier_filter::build(given, {.value_bits = 8, .fill = fill, .hash = hash}));
    return std::count(bytes.begin(), bytes.end(), std::byte{0});
  };
  const auto plain = count_zeros(false, {}), filled = count_zeros(true, {});
  EXPECT_GT(plain - filled, 1000) << "0.23 cells per key and more are unused";
  const auto of = [&](std::uint64_t seed) {
    return bloomier_filter::build(
        given, {.value_bits = 8, .fill = true, .hash = umbel::hasher::seeded(seed)});
  };
  EXPECT_EQ(umbel::encode(of(1)), umbel::encode(of(1)));
}

TEST(BloomierMap, OrderRepeatsAndThreadsChangeNothing) {
  for (const auto& graph : graphs) {
    auto given = numbers(20'000, 99);
    const bloomier_filter::options_type how{
        .fpr = 0.01, .values = 100, .graph = graph, .fill = true, .shard_from = 3000};
    const auto bytes = umbel::encode(bloomier_filter::build(given, how));
    given.insert(given.end(), given.begin(), given.begin() + 50);
    auto threaded = how;
    threaded.threads = 2;
    EXPECT_EQ(umbel::encode(bloomier_filter::build(shuffled(given, 5), threaded)), bytes);
  }
}

TEST(BloomierMap, BadPairsAreRefusedWithTheirReason) {
  const auto told = [](const text_pairs& given,
                       const bloomier_filter::options_type& how) -> std::string {
    try {
      (void)bloomier_filter::build(given, how);
    } catch (const umbel::error& e) {
      return e.what();
    }
    return "taken";
  };
  EXPECT_THAT(told({{"one", 1}, {"two", 2}, {"two", 3}}, {.values = 5}),
              testing::AllOf(HasSubstr("\"two\""), HasSubstr("2"), HasSubstr("3")));
  EXPECT_THAT(
      told({{"fits", 4}, {"does not", 5}}, {.values = 5}),
      testing::AllOf(HasSubstr("\"does not\""), HasSubstr("number 1"), HasSubstr("0 to 4")));
  EXPECT_THAT(told({{"a", 8}}, {.value_bits = 3}), HasSubstr("3 bits"));
  EXPECT_THAT(told({{"a", 1}}, {.values = 1}), HasSubstr("0 to 0"));
  EXPECT_THAT(told({{"a", 0}}, {.values = 0}), HasSubstr("values"));
  EXPECT_THAT(told({{"a", 0}}, {.value_bits = 65}), HasSubstr("value_bits"));
  EXPECT_THAT(told({{"a", 0}}, {.value_bits = 60, .fpr = 1e-3}), HasSubstr("value_bits"));
  EXPECT_THAT(told({{"a", 0}}, {.graph = {.arity = 1}}), HasSubstr("arity"));
  EXPECT_THAT(told({{"a", 0}}, {.graph = {.cells_per_key = 0.5}}), HasSubstr("cells_per_key"));
  for (const double fpr : {0.0, 1.0, -0.5, std::nan("")})
    EXPECT_THAT(told({{"a", 0}}, {.fpr = fpr}), HasSubstr("fpr"));
  pair_spool spool;
  spool.add(valued{digest_of(1, 1), 5});
  EXPECT_THROW((void)bloomier_filter::build(spool, {.values = 5}), umbel::bad_parameter);
}

// Fewer cells than peel: the shape grows by 1 % per step, and the build gives up after a hundred
// graphs.
TEST(BloomierMap, TooFewCellsGrowOrAreUnsolvable) {
  const auto given = numbers(20'000, 1);
  const auto grown = bloomier_filter::build(
      given, {.value_bits = 1, .graph = {.form = graph_form::random, .cells_per_key = 1.15}});
  EXPECT_EQ(wrong(grown, given), 0U);
  EXPECT_GT(grown.shape().cells(), 24'000U);
  EXPECT_THROW((void)bloomier_filter::build(
                   given, {.value_bits = 1,
                           .graph = {.form = graph_form::random, .arity = 8, .cells_per_key = 1}}),
               umbel::unsolvable);
}

RC_GTEST_PROP(BloomierMap, AnswersAsAStandardMapDoes,
              (const std::map<std::string, std::uint16_t>& truth)) {
  const auto graph = *rc::gen::elementOf(graphs);
  const auto map = bloomier_filter::build(truth, {.fpr = 0.001, .values = 65'536, .graph = graph});
  RC_ASSERT(map.keys() == truth.size());
  for (const auto& [key, value] : truth) RC_ASSERT(map.find(key) == std::uint64_t{value});
  RC_ASSERT(umbel::decode<bloomier_filter>(umbel::encode(map)) == map);
}

}  // namespace
}  // namespace bloomier_filter_test
