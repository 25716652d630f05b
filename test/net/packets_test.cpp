// packets_test.cpp - masks in packets: loops that are always seen, trees that are always followed, and the errors of both.
// Source     Sheet 02 section 12; sheet 14.6 and 14.9 for the tables.
#include <umbel/net/link_filter.hpp>
#include <umbel/net/loop_detector.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "support/statistics_gate.hpp"

namespace umbel::net::packets_test {
namespace {

using statistics::binomial_gate;
using statistics::member;
using statistics::stranger;

TEST(PacketMask, HasTheOnesAskedForEvenlySpread) {
  std::vector<std::uint64_t> seen(256);
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const auto mask = packet_mask<256>::drawn(hasher()(member(i)), 5);
    ASSERT_EQ(mask.ones(), 5U);
    for (unsigned bit = 0; bit < 256; ++bit) seen[bit] += mask.words[bit / 64] >> (bit % 64) & 1;
  }
  for (const std::uint64_t count : seen) EXPECT_TRUE(binomial_gate(count, 20'000, 5.0 / 256, 0));
  EXPECT_THROW((void)packet_mask<64>::checked(0), bad_parameter);
  EXPECT_THROW(loop_detector<64>(1, 33), bad_parameter);
}

// ---- loops ----------------------------------------------------------------------------------------------------------

TEST(Loops, AlarmsOfTheSheet) {
  const struct {
    double m, k, at5, at10, at15, at20;
  } rows[] = {{32, 3, 0.057, 0.526, 0.939, 0.999},
              {64, 4, 0.0039, 0.098, 0.427, 0.811},
              {128, 6, 0.00003, 0.0038, 0.042, 0.182}};
  for (const auto& row : rows) {
    EXPECT_NEAR(sizing::loop_alarm(row.m, row.k, 5), row.at5, row.at5 > 0.001 ? 0.0005 : 0.000005);
    EXPECT_NEAR(sizing::loop_alarm(row.m, row.k, 10), row.at10, 0.0005);
    EXPECT_NEAR(sizing::loop_alarm(row.m, row.k, 15), row.at15, 0.0005);
    EXPECT_NEAR(sizing::loop_alarm(row.m, row.k, 20), row.at20, 0.0006);
  }
  // Nobody does much better with another number of ones, on paths of 15 hops.
  for (const auto [bits, ones] : sizing::loop_presets)
    EXPECT_LT(sizing::loop_alarm(bits, ones, 15), 1.6 * sizing::loop_alarm(bits, sizing::loop_ones(bits, 15), 15));
  EXPECT_EQ(sizing::loop_alarm(64, 4, 1), 0);
  EXPECT_EQ(loop_detector<64>(1).mine().ones(), 4U);
  EXPECT_EQ(loop_detector<128>(1).mine().ones(), 6U);
  EXPECT_EQ(loop_detector<512>(1).mine().ones(), 9U);
}

template <unsigned Bits>
void loops_are_found() {
  for (std::uint64_t run = 0; run < 500; ++run) {
    typename loop_detector<Bits>::field field;
    const std::uint64_t length = 1 + run % 12, before = run % 5;
    bool told = false;
    for (std::uint64_t i = 0; i < before && !told; ++i)
      told = loop_detector<Bits>(stranger(run * 100 + i)).arrives(field);
    std::uint64_t hops = 0;
    while (!told) {
      ASSERT_LE(hops, length) << "at the latest where the circle closes";
      told = loop_detector<Bits>(member(run * 100 + hops % length)).arrives(field);
      ++hops;
    }
  }
}
TEST(Loops, EverySecondVisitIsReported) {
  loops_are_found<64>();
  loops_are_found<128>();
  loops_are_found<256>();
}

// Alarms at each hop of paths without loops. The fill varies from path to path, and its k-th power a little more: by the
// binomial's variance of the fill, k (k-1) / 2 * (1 - rho) / (m rho) of the rate.
template <unsigned Bits>
void alarms_come_as_computed(unsigned ones) {
  constexpr std::uint64_t paths = 40'000;
  constexpr unsigned hops = 12;
  std::vector<std::uint64_t> alarms(hops);
  std::uint64_t any = 0;
  for (std::uint64_t path = 0; path < paths; ++path) {
    typename loop_detector<Bits>::field field;
    bool told = false;
    for (unsigned h = 0; h < hops; ++h) {
      const loop_detector<Bits> node(member(path * hops + h), ones);
      if (node.arrives(field)) ++alarms[h], told = true;
    }
    any += told;
  }
  EXPECT_EQ(alarms[0], 0U);
  for (unsigned h = 1; h < hops; ++h) {
    const double rho = sizing::mask_fill(Bits, ones, h);
    const double model = ones * (ones - 1) / 2.0 * (1 - rho) / (Bits * rho);
    EXPECT_TRUE(binomial_gate(alarms[h], paths, sizing::mask_fpr(Bits, ones, h), model)) << "hop " << h;
  }
  EXPECT_TRUE(binomial_gate(any, paths, sizing::loop_alarm(Bits, ones, hops), 0.1));
}
TEST(Loops, FalseAlarmsComeAsComputed) {
  alarms_come_as_computed<64>(4);
  alarms_come_as_computed<128>(6);
}

// ---- trees ----------------------------------------------------------------------------------------------------------

TEST(Links, RatesOfTheSheet) {
  EXPECT_NEAR(sizing::mask_fpr(256, 5, 35), 0.031, 0.0005);
  EXPECT_NEAR(sizing::mask_fpr(256, 5, 40), 0.048, 0.0005);
  EXPECT_NEAR(sizing::mask_fpr(256, 5, 20), 0.0037, 0.0002);
}

std::vector<std::uint64_t> tree(std::uint64_t number, std::uint64_t links) {
  std::vector<std::uint64_t> out;
  for (std::uint64_t i = 0; i < links; ++i) out.push_back(member(number * 1000 + i));
  return out;
}

TEST(Links, EveryLinkOfTheTreeIsFollowed) {
  const link_tables<> agreed;
  for (std::uint64_t t = 0; t < 200; ++t) {
    const auto links = tree(t, t % 60);
    const auto header = agreed.encode(links);
    for (const std::uint64_t link : links) ASSERT_TRUE(agreed.forwards(header, link));
  }
}

// Others by chance: one table as the formula has it, the best of eight as in the sheet's table.
TEST(Links, OthersAreFollowedAtTheRatesOfTheSheet) {
  const struct {
    std::uint64_t links;
    double one, best_of_8;
  } rows[] = {{23, 0.0066, 0.0049}, {35, 0.031, 0.024}, {40, 0.049, 0.038}, {50, 0.097, 0.078}};
  const link_tables<> one(1), eight(8);
  for (const auto& row : rows) {
    constexpr std::uint64_t trees = 1000, asked = 200;
    std::uint64_t false_one = 0, false_eight = 0;
    double predicted = 0;
    for (std::uint64_t t = 0; t < trees; ++t) {
      const auto a = one.encode(tree(t, row.links)), b = eight.encode(tree(t, row.links));
      ASSERT_LE(b.bits.ones(), a.bits.ones());
      predicted += eight.expected_fpr(b) / trees;
      for (std::uint64_t i = 0; i < asked; ++i) {
        false_one += one.forwards(a, stranger(t * asked + i));
        false_eight += eight.forwards(b, stranger(t * asked + i));
      }
    }
    EXPECT_TRUE(
        binomial_gate(false_one, trees * asked, sizing::mask_fpr(256, 5, static_cast<double>(row.links)), 0.05));
    EXPECT_TRUE(binomial_gate(false_one, trees * asked, row.one, 0.05));
    EXPECT_TRUE(binomial_gate(false_eight, trees * asked, row.best_of_8, 0.05));
    EXPECT_TRUE(binomial_gate(false_eight, trees * asked, predicted, 0.02));
  }
}

TEST(Links, FloodsAreDropped) {
  const link_tables<> agreed;
  EXPECT_THROW((void)agreed.encode(tree(1, 200)), full);
  link_filter<> flood;
  for (auto& word : flood.bits.words) word = ~std::uint64_t{0};
  EXPECT_FALSE(agreed.forwards(flood, member(1)));
  auto header = agreed.encode(tree(1, 5));
  header.table = 99;
  EXPECT_FALSE(agreed.forwards(header, member(1000))) << "there is no such table";
  EXPECT_FALSE(agreed.forwards({}, member(1)));
  EXPECT_THROW(link_tables<>(0), bad_parameter);
  EXPECT_THROW(link_tables<>(257), bad_parameter);
  EXPECT_THROW(link_tables<>(8, 0), bad_parameter);
}

}  // namespace
}  // namespace umbel::net::packets_test
