// walks_test.cpp - excess false positive rate of double, enhanced double and triple hashing [DM04],
// [KM06]: reference figures, and laws of the formulas.
#include <umbel/sizing/walks.hpp>

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/sizing/bloom.hpp>

namespace umbel::sizing::walks_test {
namespace {

// Reference figures, to their printed digits.
TEST(Walks, MatchesReferenceFigures) {
  const double rho = fill_after(50, 1021, 14);
  EXPECT_NEAR(rho, 0.4964, 1e-4);
  EXPECT_NEAR(double_excess(50, 1021, rho), 2.85e-4, 1e-6);
  EXPECT_NEAR(enhanced_excess(50, 1021), 4.80e-5, 1e-7);
  EXPECT_NEAR(triple_excess(1021, 14, rho), 3.4e-5, 1e-6);
  EXPECT_NEAR(double_excess(64, 512, fill_after(64, 512, 6)), 0.0032, 1e-4);
}

// A power of two has half as many odd steps: two walks coincide twice as often.
TEST(Walks, EvenSizesCountTwice) {
  EXPECT_DOUBLE_EQ(double_excess(50, 1024, 0.5), 2 * (2 * 50.0 / (1024.0 * 1024)) * 3);
  EXPECT_DOUBLE_EQ(double_excess(50, 1023, 0.5), 2 * 50.0 / (1023.0 * 1023) * 3);
  EXPECT_DOUBLE_EQ(enhanced_excess(50, 1024), 2 * 50.0 / (1024.0 * 1024));
}

// Pairs i < j < k with i + j = s, by enumeration.
TEST(Walks, TriplePairsMatchEnumeration) {
  for (unsigned k = 1; k <= 40; ++k)
    for (const double rho : {0.1, 0.5, 0.9}) {
      double sum = 0;
      for (unsigned s = 1; s + 3 <= 2 * k; ++s) {
        unsigned pairs = 0;
        for (unsigned i = 0; i < k; ++i)
          for (unsigned j = i + 1; j < k; ++j) pairs += i + j == s;
        sum += (std::pow(rho, k - pairs) - std::pow(rho, k)) / 1021;
      }
      EXPECT_NEAR(triple_excess(1021, k, rho), sum, 1e-12 * sum) << k;
    }
}

// The short form for even k.
TEST(Walks, TripleShortForm) {
  for (const unsigned k : {14U, 20U, 30U}) {
    const double brief = std::pow(0.5, k / 2) * (1 + 3 * 0.5) / (0.5 * 1021);
    EXPECT_NEAR(triple_excess(1021, k, 0.5), brief, 0.1 * brief) << k;
  }
}

// By enumeration of all words, where there are few.
TEST(Walks, NarrowWordsFavourSomeCells) {
  for (const unsigned m : {1U, 3U, 100U, 511U, 512U, 700U, 768U, 1000U, 1024U}) {
    constexpr unsigned words = 1024;
    const double n = m / 6.0, k = 4;
    std::vector<double> draws(m);
    for (unsigned word = 0; word < words; ++word) ++draws[word % m];
    double found = 0;
    for (const double d : draws) found += d / words * (1 - std::pow(1 - d / words, k * n));
    EXPECT_NEAR(narrow_penalty(n, m, k, words), std::pow(found / fill_after(n, m, k), k), 1e-9)
        << m;
  }
  EXPECT_EQ(narrow_penalty(1e8, 0x1p32, 4), 1);
  EXPECT_NEAR(narrow_penalty(3 * 0x1p30 / 6, 3 * 0x1p30, 4), 1.2335, 1e-4)
      << "half the probes at 1.5 times the load, half at 0.75";
  EXPECT_NEAR(narrow_penalty(1e6, 1e7, 7), 1, 1e-4);
}

TEST(Walks, FillMatchesTheClassicRate) {
  for (const double n : {1.0, 50.0, 1e6})
    for (const double k : {1.0, 7.0})
      EXPECT_NEAR(std::pow(fill_after(n, 1e7, k), k), bloom_fpr_classic(n, 1e7, k), 1e-12);
  EXPECT_EQ(fill_after(0, 100, 3), 0);
}

// Probes that never coincide set more bits: above the classic rate for k >= 2, equal for k = 1,
// equal in the limit.
TEST(Walks, PartitionedIsStrictlyAboveClassic) {
  for (const double m : {64.0, 1024.0, 1e6})
    for (const double per_key : {4.0, 10.0, 20.0})
      for (const double k : {2.0, 3.0, 7.0, 16.0}) {
        const double n = m / per_key;
        EXPECT_GT(partitioned_fpr(n, m, k), bloom_fpr_classic(n, m, k))
            << m << ' ' << per_key << ' ' << k;
        EXPECT_DOUBLE_EQ(partitioned_fpr(n, m, 1), bloom_fpr_classic(n, m, 1));
      }
  EXPECT_NEAR(partitioned_fpr(1e6, 1e7, 7) / bloom_fpr_classic(1e6, 1e7, 7), 1, 1e-5);
  EXPECT_EQ(partitioned_fpr(1, 5, 5), 1) << "one key sets every bit";
  EXPECT_EQ(partitioned_fpr(0, 5, 5), 0);
}

}  // namespace
}  // namespace umbel::sizing::walks_test
