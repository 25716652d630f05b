// trees_test.cpp - Bloom filters for resource location in trees [BM04], path logs (IP traceback)
// [Sno01], and longest prefix matching [DKT03].
#include <umbel/net/path_log.hpp>
#include <umbel/net/prefix_bank.hpp>
#include <umbel/net/tree_filter.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/sizing/network.hpp>

#include "net/graph.hpp"
#include "support/statistics_gate.hpp"

namespace umbel::net::trees_test {
namespace {

using statistics::binomial_gate;
using statistics::member;
using statistics::non_member;

// ---- resources ----

// Node i has children 3i+1 to 3i+3 and five resources.
struct tree {
  static constexpr std::size_t nodes = 121, resources = 5;
  std::vector<tree_filter> node;
  explicit tree(const signature& agreed) : node(nodes, tree_filter(agreed)) {
    for (std::size_t i = nodes; i-- > 0;) {  // leaves first
      for (std::uint64_t r = 0; r < resources; ++r) node[i].insert(member(i * resources + r));
      for (std::size_t c = 3 * i + 1; c <= 3 * i + 3 && c < nodes; ++c) {
        const unsigned child = node[i].add_child();
        EXPECT_TRUE(node[i].accept(child, node[c].all()));
        EXPECT_FALSE(node[i].accept(child, node[c].all())) << "no news";
      }
    }
  }
  // The nodes that report it, searching downwards from a node.
  void down(std::size_t at, std::uint64_t k, std::vector<std::size_t>& found) const {
    const auto ways = node[at].where(k);
    if (ways.here) found.push_back(at);
    for (const unsigned child : ways.children) down(3 * at + 1 + child, k, found);
  }
};

TEST(Trees, ResourcesBelowANodeAreAlwaysFound) {
  const tree all(signature({.keys = tree::nodes * tree::resources, .fpr = 0.05}));
  for (std::size_t holder = 0; holder < tree::nodes; ++holder) {
    const std::uint64_t k = member(holder * tree::resources + 2);
    std::vector<std::size_t> above{holder};
    while (above.back() != 0) above.push_back((above.back() - 1) / 3);
    for (const std::size_t start : above) {
      std::vector<std::size_t> found;
      all.down(start, k, found);
      ASSERT_NE(std::find(found.begin(), found.end(), holder), found.end());
      ASSERT_FALSE(all.node[start].where(k).up());
    }
  }
}
// A non-member is followed down where one of the root's filters errs: its own, nearly empty, or
// those of its three children.
TEST(Trees, QueriesForMissingResourcesGoUp) {
  const signature agreed({.keys = tree::nodes * tree::resources, .fpr = 0.2});
  const tree all(agreed);
  double up = 1;
  for (std::size_t child = 1; child <= 3; ++child)
    up *= 1 - std::pow(fill(all.node[child].all()), agreed.probes());
  std::uint64_t stayed = 0;
  for (std::uint64_t i = 0; i < 200'000; ++i) stayed += !all.node[0].where(non_member(i)).up();
  EXPECT_GT(up, 0.8);
  EXPECT_TRUE(binomial_gate(stayed, 200'000, 1 - up));
}

// ---- logs ----

TEST(PathLog, KeepsItsSlots) {
  path_log log({.keys = 100, .fpr = 1e-6}, 3, 1);
  log.advance(10);
  log.insert("a");
  log.advance(11);
  log.insert("b");
  EXPECT_TRUE(log.may_have_seen("a", 10));
  EXPECT_FALSE(log.may_have_seen("a", 11));
  EXPECT_TRUE(log.may_have_seen("b", 11));
  EXPECT_FALSE(log.may_have_seen("b", 10));
  EXPECT_FALSE(log.may_have_seen("b", 9)) << "empty, but kept";
  EXPECT_FALSE(log.may_have_seen("b", 12)) << "still to come";
  log.advance(12);
  EXPECT_TRUE(log.may_have_seen("a", 10));
  log.advance(13);
  EXPECT_FALSE(log.keeps(10));
  EXPECT_TRUE(log.may_have_seen("x", 10)) << "maybe";
  EXPECT_EQ(log.expected_fpr(10), 1);
  EXPECT_TRUE(log.may_have_seen("b", 11));
  log.advance(1'000'000'000'000);
  EXPECT_FALSE(log.may_have_seen("b", log.newest())) << "old bits are gone";
  EXPECT_THROW(log.advance(5), bad_parameter);
  EXPECT_THROW(path_log({.keys = 100, .fpr = 0.1}, 0, 1), bad_parameter);
}

// Packets cross a network, and each router logs its own and others' traffic. From the victim the
// whole path is found; in addition about as many routers as there are neighbours off the path times
// each router's rate.
TEST(PathLog, TracesWholePathsAndFewBranches) {
  const test::graph links(400, 600, 11);
  constexpr std::uint64_t traffic = 1000, packets = 400;
  std::vector<path_log> log;
  for (std::uint32_t i = 0; i < 400; ++i) {
    log.emplace_back(bloom_options{.keys = traffic, .fpr = 0.02}, 2, i);
    for (std::uint64_t j = 0; j < traffic; ++j) log[i].insert(non_member(i * traffic + j));
  }
  std::vector<std::vector<std::size_t>> paths;
  for (std::uint64_t p = 0; p < packets; ++p) {
    std::vector<std::size_t> path{detail::fastrange(detail::remix(5, p), 400)};
    for (std::uint64_t hop = 0; hop < 8; ++hop) {
      const auto& next = links.of(path.back());
      const std::size_t to = next[detail::fastrange(detail::remix(p + 1000, hop), next.size())];
      if (std::find(path.begin(), path.end(), to) == path.end()) path.push_back(to);
    }
    paths.push_back(path);
    for (const std::size_t router : paths.back()) log[router].insert(member(p));
  }
  std::uint64_t branches = 0;
  double expected = 0, neighbours = 0;
  for (std::uint64_t p = 0; p < packets; ++p) {
    const auto& path = paths[p];
    const auto saw = [&](std::size_t router) { return log[router].may_have_seen(member(p), 0); };
    const auto reached = trace(
        path.back(), [&](std::size_t router) -> const auto& { return links.of(router); }, saw);
    for (const std::size_t router : path)
      ASSERT_TRUE(std::any_of(reached.begin(), reached.end(),
                              [&](const trace_step& s) { return s.router == router; }));
    for (const trace_step& s : reached)
      ASSERT_TRUE(s.router == s.towards ||
                  links.link(s.towards, s.router) < links.of(s.towards).size());
    std::vector<std::size_t> beside;
    for (const std::size_t router : path)
      for (const std::size_t next : links.of(router))
        if (std::find(path.begin(), path.end(), next) == path.end()) beside.push_back(next);
    std::sort(beside.begin(), beside.end());
    beside.erase(std::unique(beside.begin(), beside.end()), beside.end());
    for (const std::size_t router : beside) {
      branches += saw(router);
      expected += log[router].expected_fpr(0);
    }
    neighbours += static_cast<double>(beside.size());
  }
  EXPECT_TRUE(
      binomial_gate(branches, static_cast<std::uint64_t>(neighbours), expected / neighbours));
  EXPECT_DOUBLE_EQ(sizing::trace_branches(3, 0.02), 0.06);
}

// ---- prefixes ----

using bank = prefix_bank<unsigned>;

// Nested prefixes of lengths 8 to 32, few short ones and many of 24.
std::vector<bank::route> routes(std::uint64_t count) {
  std::vector<bank::route> out;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t r = detail::remix(17, i);
    const unsigned length =
        r % 2 == 0 ? 24 : 8 + static_cast<unsigned>(detail::fastrange(detail::mix64(r), 25));
    const address a =
        address::v4(static_cast<std::uint32_t>(member(i) >> 20 & 0x3FFFFFFF)).first(length);
    out.push_back({a, length, static_cast<unsigned>(detail::mix64(a.high + length))});
  }
  return out;
}

TEST(PrefixBank, AnswersAsALinearSearchDoes) {
  const auto all = routes(3000);
  const bank table(all, {.bits_per_prefix = 4});
  unsigned matched = 0;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const address a = address::v4(
        static_cast<std::uint32_t>((i % 3 == 0 ? non_member(i) : member(i)) >> 20 & 0x3FFFFFFF));
    const bank::route* best = nullptr;
    for (const auto& r : all)
      if (a.first(r.length) == r.prefix && (best == nullptr || r.length > best->length)) best = &r;
    const auto found = table.find(a);
    ASSERT_EQ(found.value != nullptr, best != nullptr);
    if (best == nullptr) continue;
    ++matched;
    ASSERT_EQ(found.length, best->length);
    ASSERT_EQ(*found.value, best->value);
    ASSERT_GE(found.tables, 1U);
  }
  EXPECT_GT(matched, 1500U);
}

TEST(PrefixBank, ReadsFewTables) {
  for (const double bits : {4.0, 8.0, 10.0}) {
    const auto all = routes(100'000);
    const bank table(all, {.bits_per_prefix = bits});
    const double f = sizing::prefix_rate(bits);
    std::uint64_t read = 0;
    constexpr std::uint64_t asked = 100'000;
    for (std::uint64_t i = 0; i < asked; ++i)
      read += table.find(address::v4(static_cast<std::uint32_t>(non_member(i) >> 20 & 0x3FFFFFFF)))
                  .tables;
    const auto lengths = static_cast<unsigned>(table.lengths());
    EXPECT_LE(static_cast<double>(read) / asked, sizing::prefix_probes(lengths, 1.05 * f)) << bits;
    EXPECT_LE(static_cast<double>(read) / asked, table.expected_tables());
    EXPECT_LE(table.expected_tables(), sizing::prefix_probes(lengths, 1.05 * f))
        << "whole probes cost up to 3 % of the rate";
    EXPECT_NEAR(static_cast<double>(table.size_in_bits()), 100'000 * bits, 64 * 33);
  }
}

TEST(PrefixBank, LongAddressesDefaultsAndLaterRoutes) {
  const address here{0x20010db8'00000000, 0x00000000'00000001};
  bank table({{here, 128, 1}, {here, 32, 2}, {{}, 0, 3}});
  EXPECT_EQ(*table.find(here).value, 1U);
  EXPECT_EQ(table.find(here).length, 128U);
  EXPECT_EQ(*table.find({here.high, 2}).value, 2U);
  EXPECT_EQ(*table.find({0, 2}).value, 3U);
  EXPECT_TRUE(table.insert({here, 65, 4}));
  EXPECT_FALSE(table.insert({here, 65, 4}));
  EXPECT_EQ(*table.find({here.high, 2}).value, 4U);
  EXPECT_EQ(*table.find({here.high, ~std::uint64_t{0}}).value, 2U);
  EXPECT_THROW(table.insert({here, 65, 5}), conflict);
  EXPECT_THROW(table.insert({{}, 0, 4}), conflict);
  EXPECT_THROW(table.insert({here, 129, 5}), bad_parameter);
  EXPECT_THROW(bank({}, {.bits_per_prefix = 0}), bad_parameter);
  EXPECT_EQ(bank({}).find(here).value, nullptr);
  EXPECT_EQ(*table.find({here.high, 2}).value, 4U) << "as it was";
}

}  // namespace
}  // namespace umbel::net::trees_test
