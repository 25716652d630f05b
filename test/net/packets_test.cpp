// packets_test.cpp - Bloom filters in packet headers: loop detection [WW02] and multicast trees
// [JZA09], and the errors of both; the expected rates are recomputed exactly.
#include <umbel/net/link_filter.hpp>
#include <umbel/net/loop_detector.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "support/environment.hpp"
#include "support/statistics_gate.hpp"

namespace umbel::net::packets_test {
namespace {

using statistics::binomial_gate;
using statistics::member;
using statistics::non_member;

TEST(PacketMask, HasTheRequestedOnesSpreadEvenly) {
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

// ---- loops ----

// Computed with rational numbers from C(j, o) C(m - j, k - o) / C(m, k), to the digits shown.
TEST(Loops, AlarmsAreThoseOfMasksWithDifferentOnes) {
  const struct {
    unsigned m, k;
    double at[6];
  } rows[] = {{32, 3, {0.044781, 0.27007, 0.51803, 0.95645, 0.99983, 1.0}},
              {64, 4, {0.0026516, 0.031065, 0.087012, 0.41588, 0.82133, 0.99969}},
              {128, 6, {1.8857e-5, 0.00067056, 0.0030602, 0.037267, 0.1722, 0.76012}},
              {256, 9, {5.4553e-9, 1.0655e-6, 1.0066e-5, 0.00042345, 0.0046272, 0.08778}}};
  constexpr unsigned hops[] = {5, 8, 10, 15, 20, 30};
  for (const auto& row : rows)
    for (unsigned i = 0; i < 6; ++i)
      EXPECT_NEAR(sizing::loop_alarm(row.m, row.k, hops[i]), row.at[i], 0.00005 * row.at[i])
          << row.m << " bits, " << hops[i] << " hops";
  // The best number of ones for 10, 15 and 20 hops.
  constexpr unsigned best[3][3] = {{5, 4, 3}, {10, 7, 5}, {19, 13, 10}};
  for (unsigned i = 0; i < 3; ++i)
    for (unsigned j = 0; j < 3; ++j)
      EXPECT_EQ(sizing::loop_ones(64U << i, 10 + 5 * j), best[i][j]) << (64U << i);
  // No other number of ones is much better, on paths of 15 hops.
  for (const auto [bits, ones] : sizing::loop_presets)
    EXPECT_LT(sizing::loop_alarm(bits, ones, 15),
              1.6 * sizing::loop_alarm(bits, sizing::loop_ones(bits, 15), 15));
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
      told = loop_detector<Bits>(non_member(run * 100 + i)).arrives(field);
    std::uint64_t hops = 0;
    while (!told) {
      ASSERT_LE(hops, length) << "at the latest where the circle closes";
      told = loop_detector<Bits>(member(run * 100 + hops % length)).arrives(field);
      ++hops;
    }
  }
}
TEST(Loops, ASecondVisitIsAlwaysReported) {
  loops_are_found<64>();
  loops_are_found<128>();
  loops_are_found<256>();
}

// Alarms at each hop of paths without loops, and on the whole path: binomial counts of exactly
// these probabilities.
template <unsigned Bits>
void alarms_come_as_computed(unsigned ones) {
  const std::uint64_t paths = test::small_or(20'000, 500'000);
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
  for (unsigned h = 1; h < hops; ++h)
    EXPECT_TRUE(binomial_gate(alarms[h], paths, sizing::mask_fpr(Bits, ones, h), test::exact_model))
        << "hop " << h;
  EXPECT_TRUE(binomial_gate(any, paths, sizing::loop_alarm(Bits, ones, hops), test::exact_model));
}
TEST(Loops, FalseAlarmsMatchTheComputedRate) {
  alarms_come_as_computed<64>(4);
  alarms_come_as_computed<128>(6);
}

// ---- trees ----

// Exact, as above: 256 bits, 5 ones, one table or the emptiest of eight.
struct link_rate {
  unsigned links;
  double one, best_of_8;
};
constexpr link_rate link_rates[] = {{10, 0.00015512, 0.00011243}, {20, 0.0034391, 0.0025606},
                                    {23, 0.0061051, 0.0045778},   {30, 0.017138, 0.013052},
                                    {35, 0.029968, 0.023063},     {40, 0.047344, 0.036803},
                                    {50, 0.09558, 0.075727}};
TEST(Links, RatesAreThoseOfMasksWithDifferentOnes) {
  for (const auto& row : link_rates) {
    EXPECT_NEAR(sizing::mask_fpr(256, 5, row.links), row.one, 0.00005 * row.one) << row.links;
    EXPECT_NEAR(sizing::mask_fpr(256, 5, row.links, 8), row.best_of_8, 0.00005 * row.best_of_8)
        << row.links;
  }
  EXPECT_DOUBLE_EQ(sizing::mask_match(64, 4, 8), 70.0 / 635'376);
  EXPECT_EQ(sizing::mask_match(64, 4, 3), 0);
  EXPECT_EQ(sizing::mask_match(64, 4, 64), 1);
  // Wide fields with many ones neither underflow nor change the sum of the probabilities.
  EXPECT_NEAR(sizing::loop_alarm(2048, 1024, 40), 1, 1e-12);
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

// Other links pass at random. Fills vary from tree to tree, so each of the `trees` counts of
// `asked` links has its own mean; the error of the mean over trees is estimated from the trees.
TEST(Links, OtherLinksAreFollowedAtTheComputedRate) {
  const link_tables<> one(1), eight(8);
  const std::uint64_t trees = test::small_or(200, 2000), asked = 200;
  for (const auto& row : link_rates) {
    std::uint64_t false_one = 0, false_eight = 0;
    double predicted_one = 0, predicted_eight = 0, square_one = 0, square_eight = 0;
    for (std::uint64_t t = 0; t < trees; ++t) {
      const auto a = one.encode(tree(t, row.links)), b = eight.encode(tree(t, row.links));
      ASSERT_LE(b.bits.ones(), a.bits.ones());
      const double rate_one = one.expected_fpr(a), rate_eight = eight.expected_fpr(b);
      predicted_one += rate_one, square_one += rate_one * rate_one;
      predicted_eight += rate_eight, square_eight += rate_eight * rate_eight;
      for (std::uint64_t i = 0; i < asked; ++i) {
        false_one += one.forwards(a, non_member(t * asked + i));
        false_eight += eight.forwards(b, non_member(t * asked + i));
      }
    }
    const auto n = static_cast<double>(trees);
    const auto spread = [&](double sum, double squares) {
      return std::sqrt((squares / n - sum / n * sum / n) / n);
    };
    EXPECT_TRUE(test::within(predicted_one / n, row.one, spread(predicted_one, square_one)))
        << row.links;
    EXPECT_TRUE(
        test::within(predicted_eight / n, row.best_of_8, spread(predicted_eight, square_eight)))
        << row.links;
    EXPECT_TRUE(binomial_gate(false_one, trees * asked, predicted_one / n, test::exact_model))
        << row.links;
    EXPECT_TRUE(binomial_gate(false_eight, trees * asked, predicted_eight / n, test::exact_model))
        << row.links;
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
