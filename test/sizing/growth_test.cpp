// growth_test.cpp - sizes and rates of scalable Bloom filters [ABPH07] and Taffy block filters
// [App22]: series that sum to the planned rate, and reference figures.
#include <umbel/sizing/growth.hpp>

#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

namespace umbel::sizing::growth_test {
namespace {

TEST(Growth, SlicesAreHalfFullAtMost) {
  for (std::uint64_t n = 1; n < 3000; ++n) {
    const std::uint64_t cells = slice_for(n);
    const auto clear = [&](std::uint64_t m) {
      return std::pow(1 - 1 / static_cast<double>(m), static_cast<double>(n));
    };
    EXPECT_GE(clear(cells), 0.5 * (1 - 1e-12)) << n;
    if (cells > 2) {
      EXPECT_LT(clear(cells - 1), 0.5) << n << ": one cell less would do";
    }
    EXPECT_GE(slice_room(cells), n);
    EXPECT_NEAR(static_cast<double>(cells), static_cast<double>(n) / std::log(2.0) + 0.5, 1.01)
        << n;
  }
  EXPECT_EQ(slice_room(1), 0U);
  EXPECT_NEAR(static_cast<double>(slice_for(std::uint64_t{1} << 40)), 0x1p40 / std::log(2.0), 2);
}

TEST(Growth, BothSeriesAddUpToTheRateAskedFor) {
  double levels = 0;
  for (unsigned i = 0; i < 100'000; ++i) levels += level_share(i);
  EXPECT_LT(levels, 1);
  EXPECT_NEAR(levels, 1, 1e-5);
  for (const double r : {0.1, 0.5, 0.85, 0.99}) {
    double sum = 0;
    for (unsigned i = 0; i < 5000; ++i) sum += geometric_rate(0.01, r, i);
    EXPECT_NEAR(sum, 0.01, 1e-12) << r;
  }
}

// P = 0.01, planned for 1000 keys, grown to 1e6: bits per key and the bound of the compound rate.
TEST(Growth, MatchesReferenceFigures) {
  const struct {
    std::uint64_t s;
    double r, bits_per_key, fpr;
  } figures[] = {{2, 0.5, 23.6, 0.0078},
                 {2, 0.8, 17.5, 0.0071},
                 {2, 0.9, 17.5, 0.0046},
                 {4, 0.8, 21.5, 0.0058}};
  for (const auto& f : figures) {
    double bits = 0, none = 1;
    std::uint64_t room = 0;
    for (unsigned i = 0; room < 1'000'000; ++i) {
      const unsigned slices = slices_for(geometric_rate(0.01, f.r, i));
      bits += static_cast<double>(slice_for(stage_room(1000, f.s, i)) * slices);
      none *= 1 - std::exp2(-static_cast<double>(slices));
      room += stage_room(1000, f.s, i);
    }
    EXPECT_NEAR(bits / 1e6, f.bits_per_key, 0.05) << f.s << ", " << f.r;
    EXPECT_NEAR(1 - none, f.fpr, 0.00005) << f.s << ", " << f.r;
    EXPECT_LT(1 - none, 0.01);
  }
}

TEST(Growth, CapacitiesSaturateInsteadOfWrapping) {
  EXPECT_EQ(stage_room(100, 2, 0), 100U);
  EXPECT_EQ(stage_room(100, 4, 3), 6400U);
  EXPECT_EQ(stage_room(1, 2, 55), std::uint64_t{1} << 55);
  EXPECT_EQ(stage_room(std::uint64_t{1} << 50, 16, 4000), std::uint64_t{1} << 56);
}

}  // namespace
}  // namespace umbel::sizing::growth_test
