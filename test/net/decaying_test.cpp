// decaying_test.cpp - exponentially decaying Bloom filters [KXZ05]: which bits are kept, how much
// of a signature is left after some hops, and where queries go.
#include <umbel/net/exponentially_decaying_filter.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "net/graph.hpp"
#include "support/statistics_gate.hpp"

namespace umbel::net::decaying_test {
namespace {

using statistics::binomial_gate;
using statistics::member;
using statistics::non_member;

constexpr unsigned probes = exponentially_decaying_filter::usual_probes;

signature agreed_over(std::uint64_t bits) {
  return signature({.keys = 1000, .bits = bits, .probes = probes});
}
cells::bits marked(const signature& how, std::uint64_t first, std::uint64_t last) {
  cells::bits out = how.nothing();
  for (std::uint64_t i = first; i < last; ++i) how.mark(out, member(i));
  return out;
}

class Decay : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(Decay, KeepsABinomialShare) {
  const signature how = agreed_over(300'000);
  const cells::bits before = marked(how, 0, 2000);
  for (const double factor : {1.01, 2.0, 3.7, 8.0, 100.0}) {
    const cells::bits after = decayed(before, factor, {GetParam(), 7, 3});
    EXPECT_TRUE(binomial_gate(after.storage().ones(), before.storage().ones(), 1 / factor, 0));
    for (std::size_t i = 0; i < after.storage().size(); ++i)
      ASSERT_EQ(after.storage()[i] & ~before.storage()[i], 0U);
  }
}
// Decaying twice keeps a share of a share: decays at other nodes, links and times are independent.
TEST_P(Decay, SourcesAreIndependent) {
  const signature how = agreed_over(300'000);
  const cells::bits before = marked(how, 0, 2000);
  const std::uint64_t s = GetParam();
  const decay_source sources[] = {{s, 1, 1}, {s, 1, 2}, {s, 2, 1}, {s + 1, 1, 1}};
  for (const auto& a : sources)
    for (const auto& b : sources) {
      const auto twice = decayed(decayed(before, 4, a), 4, b);
      EXPECT_TRUE(binomial_gate(twice.storage().ones(), before.storage().ones(),
                                &a == &b ? 1.0 / 4 : 1.0 / 16, 0));
    }
  EXPECT_EQ(decayed(before, 4, sources[0]), decayed(before, 4, sources[0]))
      << "stable within an epoch";
}
INSTANTIATE_TEST_SUITE_P(Seeds, Decay, ::testing::Values(0, 1, 2, 3, 4, 5, 6, 7));

TEST(Decaying, FactorOneIsThePlainUnion) {
  const signature how = agreed_over(100'000);
  exponentially_decaying_filter node(how, 1, 1);
  for (unsigned i = 0; i < 3; ++i) {
    node.add_link();
    node.accept(i, marked(how, 100 * i, 100 * i + 100));
  }
  for (std::uint64_t i = 300; i < 400; ++i) node.insert(member(i));
  EXPECT_EQ(node.advertisement(0, 5), marked(how, 100, 400));
  EXPECT_EQ(node.own(), marked(how, 300, 400));
}

// Objects received over y hops, over a background of other bits: probes that hit, counted over all
// objects.
TEST(Decaying, SignaturesDecayAsComputed) {
  const signature how = agreed_over(4'000'000);
  constexpr std::uint64_t objects = 2000;
  for (const std::uint64_t noise : {0U, 10'000U})
    for (unsigned hops = 0; hops <= 3; ++hops) {
      cells::bits bits = marked(how, 0, objects);
      const double own = fill(bits);
      for (unsigned y = 0; y < hops; ++y) bits = decayed(std::move(bits), 4, {0, y, 0});
      bits.storage() |= marked(how, objects, objects + noise).storage();
      const double background = fill(marked(how, objects, objects + noise));
      std::uint64_t hits = 0;
      for (std::uint64_t i = 0; i < objects; ++i) hits += how.hits(bits, member(i));
      const double expected = sizing::decayed_theta(probes, 4, hops, background) / probes;
      // Objects share bits, at most a share `own`; probes that name one bit hit together.
      EXPECT_TRUE(binomial_gate(hits, objects * probes, expected, 2 * own)) << hops << " hops";
      if (hops == 0) {
        EXPECT_EQ(hits, objects * probes);
      }
    }
}
TEST(Decaying, NonMembersAreNoise) {
  const signature how = agreed_over(200'000);
  const cells::bits bits = marked(how, 0, 1500);
  const double rho = fill(bits);
  std::uint64_t hits = 0, above = 0;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const unsigned one = how.hits(bits, non_member(i));
    hits += one;
    above += one > sizing::noise_level(probes, rho);
  }
  EXPECT_TRUE(binomial_gate(hits, 20'000 * probes, rho, 0));
  EXPECT_LT(above, 20'000U / 100) << "three deviations are seldom passed";
}

TEST(DecayingRouting, FollowsTheLinkWithMostBitsLeft) {
  const signature how = agreed_over(50'000);
  exponentially_decaying_filter node(how, 1);
  EXPECT_EQ(node.next("it", {}, 0), std::nullopt);
  for (unsigned i = 0; i < 4; ++i) {
    node.add_link();
    node.accept(i, marked(how, 40 * i, 40 * i + 40));
  }
  auto told = node.heard(2);
  how.mark(told, "it");
  node.accept(2, decayed(told, 2, {}));
  EXPECT_GT(node.theta(2, "it"), probes / 4);
  std::set<unsigned> chosen;
  for (std::uint64_t i = 0; i < 100; ++i) {
    const std::uint64_t random = detail::remix(1, i);
    EXPECT_EQ(node.next("it", {}, random), 2U);
    EXPECT_EQ(node.next("it", 0, random), 2U);
    chosen.insert(node.next("it", 2, random).value());
  }
  EXPECT_EQ(chosen, (std::set<unsigned>{0, 1, 3})) << "noise: any, but not back";
  exponentially_decaying_filter leaf(how, 2);
  leaf.add_link();
  EXPECT_EQ(leaf.next("it", 0, 9), 0U) << "back, where there is no other";
}

// An object at distance y on a line, advertised hop by hop: its neighbours receive all of its bits,
// and each further hop keeps about 1/d.
TEST(DecayingRouting, AdvertisementsFadeAlongALine) {
  const signature how = agreed_over(500'000);
  constexpr std::size_t length = 5;
  std::vector<exponentially_decaying_filter> node;
  for (std::size_t i = 0; i < length; ++i) {
    node.emplace_back(how, i, 4);
    node[i].add_link();                      // towards 0
    if (i + 1 < length) node[i].add_link();  // away from it
  }
  constexpr std::uint64_t objects = 500;
  for (std::uint64_t i = 0; i < objects; ++i) node[0].insert(member(i));
  for (std::size_t round = 0; round < length; ++round)
    for (std::size_t i = 0; i + 1 < length; ++i) {
      node[i + 1].accept(0, node[i].advertisement(1, 1));
      node[i].accept(1, node[i + 1].advertisement(0, 1));
    }
  for (std::size_t i = 0; i + 1 < length; ++i)
    EXPECT_FALSE(node[i + 1].accept(0, node[i].advertisement(1, 1))) << "at rest within an epoch";
  EXPECT_EQ(node[1].heard(0), node[0].own());
  for (std::size_t i = 2; i < length; ++i) {
    const auto heard = node[i].heard(0).storage().ones();
    EXPECT_TRUE(binomial_gate(heard, node[i - 1].heard(0).storage().ones(), 0.25, 0));
  }
  EXPECT_NE(node[1].advertisement(1, 2), node[1].advertisement(1, 1))
      << "another epoch, other bits";
}

TEST(Decaying, RefusesInvalidFactors) {
  for (const double factor : {0.0, 0.5, -1.0, std::nan(""), HUGE_VAL})
    EXPECT_THROW(exponentially_decaying_filter(agreed_over(1000), 1, factor), bad_parameter);
  exponentially_decaying_filter node(agreed_over(1000), 1);
  node.add_link();
  EXPECT_THROW(node.accept(0, cells::bits(999)), incompatible);
}

// One holder among 500 nodes: following the signature is much shorter than a random walk.
TEST(DecayingRouting, BeatsARandomWalk) {
  constexpr std::size_t nodes = 500;
  const test::graph links(nodes, 1000, 3);
  const signature how({.keys = nodes, .bits = 100'000, .probes = probes});
  std::vector<exponentially_decaying_filter> node;
  for (std::size_t i = 0; i < nodes; ++i) {
    node.emplace_back(how, i, 4);
    for (std::size_t j = 0; j < links.of(i).size(); ++j) node[i].add_link();
    node[i].insert(member(i));
  }
  for (unsigned round = 0; round < 4; ++round)
    for (std::size_t i = 0; i < nodes; ++i)
      for (unsigned link = 0; link < node[i].links(); ++link) {
        const std::size_t to = links.of(i)[link];
        node[to].accept(links.link(to, i), node[i].advertisement(link, 1));
      }
  const auto walk = [&](std::size_t start, std::uint64_t k, std::size_t holder, bool blind) {
    std::size_t at = start;
    std::optional<unsigned> from;
    for (unsigned steps = 0; steps < 5000; ++steps) {
      if (at == holder) return steps;
      const std::uint64_t random = detail::remix(start * 7919 + holder, steps);
      const unsigned link = blind
                                ? static_cast<unsigned>(detail::fastrange(random, node[at].links()))
                                : node[at].next(k, from, random).value();
      const std::size_t to = links.of(at)[link];
      from = links.link(to, at);
      at = to;
    }
    return 5000U;
  };
  std::vector<unsigned> guided, blind;
  for (std::size_t holder = 0; holder < nodes; holder += 25)
    for (std::size_t start = 3; start < nodes; start += 50) {
      guided.push_back(walk(start, member(holder), holder, false));
      blind.push_back(walk(start, member(holder), holder, true));
    }
  const auto median = [](std::vector<unsigned> all) {
    std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2),
                     all.end());
    return all[all.size() / 2];
  };
  EXPECT_LE(5 * median(guided), median(blind)) << median(guided) << " against " << median(blind);
}

}  // namespace
}  // namespace umbel::net::decaying_test
