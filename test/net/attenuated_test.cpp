// attenuated_test.cpp - attenuated Bloom filters [RK02] on static random networks: what is always
// accepted, and how queries are routed.
#include <umbel/net/attenuated_filter.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "net/graph.hpp"
#include "support/filter_bits.hpp"
#include "support/statistics_gate.hpp"

namespace umbel::net::attenuated_test {
namespace {

using statistics::member;
using statistics::non_member;
using test::graph;

constexpr unsigned depth = 4, objects = 10;

// Every node has its own objects; advertisements are exchanged until nothing changes.
struct network {
  graph links;
  std::vector<attenuated_filter> node;
  unsigned rounds = 0;

  network(graph of, const signature& agreed)
      : links(std::move(of)), node(links.nodes(), {agreed, depth}) {
    for (std::size_t i = 0; i < links.nodes(); ++i) {
      for (std::size_t j = 0; j < links.of(i).size(); ++j) node[i].add_link();
      for (std::uint64_t o = 0; o < objects; ++o) node[i].insert(object(i, o));
    }
    while (advertise()) ++rounds;
  }
  bool advertise() {
    struct message {
      std::size_t to;
      unsigned link;
      attenuated_filter::levels levels;
    };
    std::vector<message> sent;  // all of a round before any is heard
    for (std::size_t i = 0; i < links.nodes(); ++i)
      for (unsigned link = 0; link < node[i].links(); ++link) {
        const std::size_t to = links.of(i)[link];
        sent.push_back({to, links.link(to, i), node[i].advertisement(link)});
      }
    bool news = false;
    for (message& m : sent) news |= node[m.to].accept(m.link, std::move(m.levels));
    return news;
  }
  static std::uint64_t object(std::size_t holder, std::uint64_t number) {
    return member(holder * objects + number);
  }
  trail ask(std::size_t start, std::uint64_t k, std::size_t holder, unsigned most = 0) const {
    return route(
        start, k, [&](std::size_t i) -> const attenuated_filter& { return node[i]; },
        [&](std::size_t i, unsigned link) { return links.of(i)[link]; },
        [&](std::size_t i) { return i == holder; }, most);
  }
};
signature roomy() { return signature({.keys = 600, .fpr = 1e-9}); }
signature cramped() { return signature({.keys = 600, .fpr = 0.2}); }

class Attenuated : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(Attenuated, AcceptsWhatLiesOnEverySimplePath) {
  const network net(graph(60, 40, GetParam()), cramped());
  EXPECT_LE(net.rounds, depth);
  for (std::size_t i = 0; i < net.links.nodes(); ++i) {
    for (unsigned link = 0; link < net.node[i].links(); ++link)
      ASSERT_EQ(net.node[i].heard(link)[0], net.node[net.links.of(i)[link]].own())
          << "level 1 is the neighbour";
    net.links.simple_paths(i, depth, [&](const std::vector<std::size_t>& path) {
      const auto& level = net.node[i].heard(net.links.link(i, path[1]))[path.size() - 2];
      for (std::uint64_t o = 0; o < objects; ++o)
        ASSERT_TRUE(net.node[i].agreed().accepts(level, network::object(path.back(), o)));
    });
  }
}

// Without false positives the first match is the distance, and the route is a shortest one.
TEST_P(Attenuated, FindsTheShortestWay) {
  const network net(graph(60, 40, GetParam()), roomy());
  for (std::size_t holder = 0; holder < 60; holder += 7) {
    const auto distance = net.links.distances(holder);
    for (std::size_t start = 0; start < 60; ++start) {
      const trail went = net.ask(start, network::object(holder, 3), holder);
      ASSERT_EQ(went.found, distance[start] <= depth);
      if (!went.found) continue;
      ASSERT_EQ(went.moves, distance[start]);
      ASSERT_EQ(went.returns, 0U);
      ASSERT_EQ(went.path.size(), went.moves + 1);
      ASSERT_EQ(went.path.front(), start);
      ASSERT_EQ(went.path.back(), holder);
    }
  }
}

// With many false positives queries stray, turn back and are given up, but they always end and use
// only links.
TEST_P(Attenuated, StrayingQueriesEnd) {
  const network net(graph(60, 40, GetParam()), cramped());
  unsigned found = 0, asked = 0, strayed = 0;
  for (std::size_t holder = 0; holder < 60; holder += 7) {
    const auto distance = net.links.distances(holder);
    for (std::size_t start = 0; start < 60; ++start) {
      const trail went = net.ask(start, network::object(holder, 3), holder);
      ASSERT_LE(went.moves, 2 * depth);
      ASSERT_EQ(went.path.size() - 1, went.moves - 2 * went.returns)
          << "every return undoes a move";
      for (std::size_t i = 1; i < went.path.size(); ++i)
        ASSERT_LT(net.links.link(went.path[i - 1], went.path[i]),
                  net.links.of(went.path[i - 1]).size());
      if (went.found) {
        ASSERT_EQ(went.path.back(), holder);
      }
      if (distance[start] > depth) continue;
      ++asked;
      found += went.found;
      strayed += went.found && went.moves > distance[start];
    }
  }
  EXPECT_GT(found, asked / 2);
  EXPECT_GT(strayed, 0U) << "or this tests nothing";
}
INSTANTIATE_TEST_SUITE_P(Seeds, Attenuated, ::testing::Values(1, 2, 3));

TEST(AttenuatedUpdates, SendingDifferencesGivesTheSameState) {
  network whole(graph(30, 15, 5), cramped()), fresh(graph(30, 15, 5), cramped());
  const auto exchange = [](network& net) {
    std::uint64_t sent = 0;
    for (unsigned round = 0; round < depth + 1; ++round)
      for (std::size_t i = 0; i < net.links.nodes(); ++i)
        for (unsigned link = 0; link < net.node[i].links(); ++link) {
          const std::size_t to = net.links.of(i)[link];
          const auto changed = net.node[i].changes(link);
          for (const auto& level : changed) sent += level.size();
          net.node[to].apply(net.links.link(to, i), changed);
        }
    return sent;
  };
  // A node that has received nothing yet.
  for (std::size_t i = 0; i < 30; ++i)
    for (unsigned link = 0; link < fresh.node[i].links(); ++link)
      fresh.node[i].accept(link, attenuated_filter::levels(depth, cramped().nothing()));
  EXPECT_GT(exchange(fresh), 0U);
  EXPECT_EQ(exchange(fresh), 0U) << "nothing is said twice";
  for (std::size_t i = 0; i < 30; ++i)
    for (unsigned link = 0; link < whole.node[i].links(); ++link)
      ASSERT_EQ(fresh.node[i].heard(link), whole.node[i].heard(link));

  // One more object: on each link, at each level, at most as many bits as it has probes.
  ASSERT_TRUE(fresh.node[0].insert(non_member(1)));
  std::uint64_t directed = 0;
  for (std::size_t i = 0; i < 30; ++i) directed += fresh.links.of(i).size();
  const std::uint64_t sent = exchange(fresh);
  EXPECT_GT(sent, 0U);
  EXPECT_LE(sent, directed * depth * cramped().probes());
  whole.node[0].insert(non_member(1));
  while (whole.advertise()) {
  }
  for (std::size_t i = 0; i < 30; ++i)
    for (unsigned link = 0; link < whole.node[i].links(); ++link)
      ASSERT_EQ(fresh.node[i].heard(link), whole.node[i].heard(link));
}

// 0 - 1 - 2 and 0 - 3 - 4: node 1 falsely advertises what only node 4 has.
TEST(AttenuatedRouting, TurnsBackFromAFalsePromise) {
  graph y(5);
  y.join(0, 1), y.join(1, 2), y.join(0, 3), y.join(3, 4);
  network net(std::move(y), roomy());
  const std::uint64_t wanted = network::object(4, 0);
  auto lie = net.node[0].heard(0);
  roomy().mark(lie[0], wanted);
  net.node[0].accept(0, lie);
  const trail went = net.ask(0, wanted, 4);
  EXPECT_TRUE(went.found);
  EXPECT_EQ(went.returns, 1U);
  EXPECT_EQ(went.moves, 4U);
  EXPECT_EQ(went.path, (std::vector<std::size_t>{0, 3, 4}));
  EXPECT_FALSE(net.ask(0, wanted, 4, 3).found) << "a move too few";
  EXPECT_FALSE(net.ask(0, wanted, 99).found);
  const trail nowhere = net.ask(0, non_member(7), 99);
  EXPECT_FALSE(nowhere.found);
  EXPECT_EQ(nowhere.moves, 0U);
  EXPECT_EQ(net.ask(4, wanted, 4).moves, 0U) << "it is here";
}

TEST(AttenuatedRouting, PrefersTheHeavierLinkAtEqualDistance) {
  const signature agreed = roomy();
  attenuated_filter node(agreed, 3);
  for (unsigned link = 0; link < 4; ++link) node.add_link();
  const auto say = [&](unsigned link, std::initializer_list<unsigned> at) {
    attenuated_filter::levels told(3, agreed.nothing());
    for (const unsigned level : at) agreed.mark(told[level - 1], "it");
    node.accept(link, told);
  };
  say(0, {2}), say(1, {2, 3}), say(2, {3}), say(3, {1});
  const auto ways = node.ways("it", 3);
  ASSERT_EQ(ways.size(), 4U);
  EXPECT_EQ(ways[0].link, 3U);
  EXPECT_EQ(ways[1].link, 1U);
  EXPECT_DOUBLE_EQ(ways[1].weight, 0.375);
  EXPECT_EQ(ways[2].link, 0U);
  EXPECT_EQ(ways[3].link, 2U);
  EXPECT_EQ(node.ways("it", 1).size(), 1U);
  EXPECT_TRUE(node.ways("it", 0).empty());
  EXPECT_GT(node.fill(2), 0);
}

TEST(AttenuatedFilter, DeepLevelsAreFuller) {
  const network net(graph(60, 40, 9), cramped());
  double mean[depth] = {};
  for (std::size_t i = 0; i < 60; ++i)
    for (unsigned level = 1; level <= depth; ++level)
      mean[level - 1] += net.node[i].fill(level) / 60;
  for (unsigned i = 1; i < depth; ++i) EXPECT_GT(mean[i], mean[i - 1]);
}

TEST(AttenuatedFilter, RefusesWhatDoesNotFit) {
  EXPECT_THROW(attenuated_filter(roomy(), 0), bad_parameter);
  EXPECT_THROW(attenuated_filter(roomy(), 65), bad_parameter);
  attenuated_filter node(roomy(), 3);
  node.add_link();
  EXPECT_THROW(node.accept(0, attenuated_filter::levels(2, roomy().nothing())), incompatible);
  EXPECT_THROW(node.accept(0, attenuated_filter::levels(3, cramped().nothing())), incompatible);
  EXPECT_THROW(node.apply(0, {{}, {}, {roomy().size_in_bits()}}), bad_parameter);
  EXPECT_EQ(node.heard(0), attenuated_filter::levels(3, roomy().nothing())) << "nothing changed";
}

TEST(Signature, MarksTheBitsOfABloomFilter) {
  const bloom_options options{.keys = 100'000, .fpr = 0.01};
  bloom_filter plain(options);
  const signature agreed(options);
  cells::bits bits = agreed.nothing();
  for (std::uint64_t i = 0; i < 100'000; ++i)
    ASSERT_EQ(plain.insert(member(i)), agreed.mark(bits, member(i)));
  for (std::uint64_t i = 0; i < 100'000; ++i) ASSERT_TRUE(agreed.accepts(bits, member(i)));
  const auto words = support::words_of(plain);
  ASSERT_EQ(words.size(), bits.storage().size());
  for (std::size_t i = 0; i < words.size(); ++i) ASSERT_EQ(words[i], bits.storage()[i]);
  for (std::uint64_t i = 0; i < 20'000; ++i)
    ASSERT_EQ(plain.may_contain(non_member(i)), agreed.accepts(bits, non_member(i)));
}

}  // namespace
}  // namespace umbel::net::attenuated_test
