// remedy_test.cpp - sizes of the ways to reject known false positives: where one becomes smaller
// than another.
#include <gtest/gtest.h>

#include <umbel/set/retouched_bloom_filter.hpp>
#include <umbel/sizing/remedy.hpp>

#include "support/keys.hpp"

namespace remedy_test {
namespace {

using namespace umbel::sizing;

TEST(Remedies, SizesCrossWhereTheFormulaSays) {
  EXPECT_NEAR(remedy_crossing(128, 8), 0.0084, 0.00005);
  EXPECT_NEAR(remedy_crossing(64, 8), 0.018, 0.0005);
}

// The choice changes where the formula says, at the cells per key of the graph at this size.
// Segments are whole, so the map's size rises in steps of 2^14 cells: 1.4 % of it, which is e/n =
// 0.13 % at w = 128 and 0.3 % at w = 64.
TEST(Remedies, TheChoiceTurnsAtTheCrossing) {
  constexpr std::uint64_t n = 1'000'000;
  const double cells = static_cast<double>(fuse_bits(3, n, 1)) / n;
  for (const unsigned w : {64U, 128U}) {
    const double at = remedy_crossing(w, 8, cells), step = 0.014 * cells * 9 / w;
    const auto chosen = [&](double share) {
      return choose_remedy(
                 {.members = n, .cleared = static_cast<std::uint64_t>(share * n), .key_bits = w})
          .which;
    };
    EXPECT_EQ(chosen(at - step), remedy::exception_list) << w;
    EXPECT_EQ(chosen(at + step), remedy::two_value_map) << w;
    EXPECT_EQ(chosen(1), remedy::two_value_map) << w;
    EXPECT_EQ(chosen(0), remedy::exception_list) << w;
  }
}

// Where only wrongly flagged keys count, the map's words are as wide as the filter's: from a few
// keys on it is the smaller.
TEST(Remedies, AMapIsNeverLargerWhereAWrongClearedIsNoHarm) {
  for (const std::uint64_t e : {2000U, 10'000U, 100'000U, 1'000'000U})
    EXPECT_EQ(choose_remedy({.members = 1'000'000, .cleared = e, .any_value = false}).which,
              remedy::two_value_map)
        << e;
}

TEST(Remedies, KnowingEveryKeyIsWorthTheCascade) {
  const trouble open{.members = 1000, .cleared = 1000};
  trouble closed = open;
  closed.universe = 2000;
  EXPECT_EQ(choose_remedy(open).which, remedy::two_value_map);
  EXPECT_EQ(choose_remedy(closed).which, remedy::exact_cascade);
  closed.universe = 1'000'000'000;
  EXPECT_EQ(choose_remedy(closed).which, remedy::two_value_map)
      << "telling 2000 keys from a billion costs more";
  closed.universe = 999;
  EXPECT_FALSE(price_remedy(closed, remedy::exact_cascade)) << "fewer keys than members";
}
// 11.7e6 revoked of 816e6 certificates [Sch25].
TEST(Remedies, TheCascadeOfCertificates) {
  EXPECT_NEAR(exact_cascade_bits(11.7e6, 816e6 - 11.7e6) / 8e6, 19.03, 0.05);
}

// It costs what the filter itself costs, before and after bits are cleared. It may lose members, so
// it is not chosen even where it is the smallest.
TEST(Remedies, TheRetouchedFilterKeepsTheSizeOfThePlainFilter) {
  const trouble t{.members = 2000, .cleared = 3000, .fpr = 1.0 / 16};
  umbel::retouched_bloom_filter filter({.keys = t.members, .fpr = t.fpr});
  const auto members = umbel::test::members(t.members, 1);
  filter.insert_batch(members);
  const auto others = umbel::test::members(t.cleared, 2);
  EXPECT_GT(filter.retouch(members, others).cleared, 0U);
  EXPECT_EQ(price_remedy(t, remedy::retouched), filter.size_in_bits());
  EXPECT_LT(*price_remedy(t, remedy::retouched), choose_remedy(t).bits);
  EXPECT_NE(choose_remedy(t).which, remedy::retouched);
  EXPECT_EQ(name_of(remedy::retouched), "retouched filter");
}

}  // namespace
}  // namespace remedy_test
