// quotient_test.cpp - rate of a quotient filter [PBJP17] by definition, and plans of minimal size.
#include <umbel/sizing/quotient.hpp>

#include <cmath>
#include <random>
#include <set>

#include <gtest/gtest.h>

namespace umbel::sizing::quotient_test {
namespace {

// Distinct fingerprints among n drawn: the mean over rounds, within five of its standard
// deviations.
TEST(Quotient, RateIsTheShareOfFingerprintsThatWereDrawn) {
  std::mt19937_64 random(1);
  for (const unsigned r : {1U, 2U, 4U}) {
    constexpr std::uint64_t slots = 64, n = 60;
    const std::uint64_t all = slots << r;
    double sum = 0, squares = 0;
    constexpr int rounds = 4000;
    for (int i = 0; i < rounds; ++i) {
      std::set<std::uint64_t> drawn;
      for (std::uint64_t k = 0; k < n; ++k) drawn.insert(random() % all);
      const double rate = static_cast<double>(drawn.size()) / static_cast<double>(all);
      sum += rate, squares += rate * rate;
    }
    const double mean = sum / rounds,
                 deviation = std::sqrt((squares / rounds - mean * mean) / rounds);
    EXPECT_NEAR(mean, quotient_fpr(n, slots, r), 5 * deviation) << r;
  }
  EXPECT_NEAR(quotient_fpr(75, 100, 8), 0.00293, 0.00001);
  EXPECT_EQ(quotient_fpr(0, 64, 3), 0);
}

TEST(Quotient, APlanForARateIsTheCheapest) {
  for (const std::uint64_t n : {1ULL, 60ULL, 61ULL, 1000ULL, 100'000ULL, 1ULL << 30}) {
    for (double eps = 0.7; eps > 1e-7; eps /= 1.7) {
      const auto made = plan_quotient_for_rate(n, eps, 0.95);
      ASSERT_GE(made.width, 1U);
      EXPECT_LE(made.fpr, eps);
      EXPECT_LE(n, quotient_room(made.blocks * 64));
      const auto cost = made.blocks * quotient_block_bits(made.width);
      for (unsigned r = 1; r <= 30; ++r) {  // no other width does it with fewer bits
        const std::uint64_t blocks = (cost - 1) / quotient_block_bits(r);
        const bool fits =
            blocks > 0 && n <= quotient_room(blocks * 64) && quotient_fpr(n, blocks * 64, r) <= eps;
        EXPECT_FALSE(fits) << n << " keys at " << eps << ": width " << r << " instead of "
                           << made.width;
      }
    }
  }
}

// Smaller than a Bloom filter's 1.4427 log2(1/eps) bits from log2(1/eps) > 5.7 on, at load .95.
TEST(Quotient, IsSmallerThanBloomBelowTwoPercent) {
  const auto per_key = [](double x) {
    const auto made = plan_quotient_for_rate(10'000'000, std::exp2(-x), 0.95);
    return static_cast<double>(made.blocks * quotient_block_bits(made.width)) / 1e7;
  };
  EXPECT_LT(per_key(6), 1.4427 * 6);
  EXPECT_GT(per_key(5), 1.4427 * 5);
  EXPECT_NEAR(per_key(8), (8 + 2.125) / 0.95, 0.15);
}

TEST(Quotient, BitsAndKeysGiveEachOther) {
  for (const std::uint64_t n : {61ULL, 5000ULL, 1'000'000ULL}) {
    for (const double eps : {0.3, 0.01, 1e-5}) {
      const auto made = plan_quotient_for_rate(n, eps, 0.95);
      const auto bits = made.blocks * quotient_block_bits(made.width);
      const auto room = quotient_room_for(bits, eps, 0.95);
      EXPECT_GE(room.keys, n);
      EXPECT_LE(static_cast<double>(room.keys), 1.01 * static_cast<double>(n) + 64);
      EXPECT_LE(room.fpr, eps * (1 + 1e-9));
      EXPECT_LE(plan_quotient_for_bits(n, bits, 0.95).fpr, made.fpr);
    }
  }
  // Too few bits: as many slots as they allow.
  const auto narrow = plan_quotient_for_bits(1000, 2000, 0.95);
  EXPECT_EQ(narrow.width, 1U);
  EXPECT_EQ(narrow.blocks, 10U);
  EXPECT_EQ(narrow.keys, 608U) << "0.95 of 640 slots: the others would not fit";
  EXPECT_EQ(narrow.fpr, quotient_fpr(608, 640, 1));
  EXPECT_EQ(plan_quotient_for_bits(1000, 1, 0.95).blocks, 1U);
}

}  // namespace
}  // namespace umbel::sizing::quotient_test
