// bloomier_bounds_test.cpp - lower bounds of Bloomier filters [CKRT04]: by exhaustive search for
// small cases, by hand for others.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/sizing/bloom.hpp>
#include <umbel/sizing/bloomier_bounds.hpp>

namespace bloomier_bounds_test {
namespace {

using namespace umbel::sizing;

TEST(BloomierBounds, AMapCostsItsValuesAndItsChecks) {
  EXPECT_DOUBLE_EQ(map_lower_bound(1000, 6, 1.0 / 256), 14'000);
  EXPECT_DOUBLE_EQ(map_lower_bound(1000, 6, 1), 6000) << "retrieval";
  EXPECT_DOUBLE_EQ(map_lower_bound(1e6, 0, 0.01), set_lower_bound(1e6, 0.01)) << "a filter";
}

// Nodes (A, B) of Lemma 5.1 as bit masks, and edges as the lemma draws them.
std::vector<std::pair<unsigned, unsigned>> nodes(int n, unsigned N) {
  std::vector<std::pair<unsigned, unsigned>> out;
  for (unsigned a = 0; a < 1U << N; ++a)
    for (unsigned b = 0; b < 1U << N; ++b)
      if ((a & b) == 0 && std::popcount(a) == n && std::popcount(b) == n) out.emplace_back(a, b);
  return out;
}
bool adjacent(const std::pair<unsigned, unsigned>& x, const std::pair<unsigned, unsigned>& y) {
  return ((x.first & y.second) | (x.second & y.first)) != 0;
}
// A colour class is a set of nodes without an edge: the union of its A is disjoint from the union
// of its B. So two unions describe a class. The search gives node after node to a class with room
// for it, or to a new class.
bool colourable(const std::vector<std::pair<unsigned, unsigned>>& all, std::size_t from,
                std::vector<std::pair<unsigned, unsigned>>& classes, std::size_t colours) {
  if (from == all.size()) return true;
  const auto node = all[from];
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (adjacent(node, classes[i])) continue;
    const auto before = classes[i];
    classes[i] = {before.first | node.first, before.second | node.second};
    if (colourable(all, from + 1, classes, colours)) return true;
    classes[i] = before;
  }
  if (classes.size() == colours) return false;
  classes.push_back(node);
  const bool found = colourable(all, from + 1, classes, colours);
  if (!found) classes.pop_back();
  return found;
}
unsigned chromatic_number(int n, unsigned N) {
  const auto all = nodes(n, N);
  for (unsigned colours = 1;; ++colours) {
    std::vector<std::pair<unsigned, unsigned>> classes;
    if (colourable(all, 0, classes, colours)) return colours;
  }
}

TEST(BloomierBounds, TheChromaticNumberOfSmallGraphsLiesBetween) {
  for (unsigned N = 2; N <= 6; ++N) {
    const double bits = std::log2(chromatic_number(1, N));
    EXPECT_DOUBLE_EQ(fixed_hash_lower_bits(1, N), bits) << N << ": exact for n = 1";
    EXPECT_GE(fixed_hash_upper_bits(1, N), bits) << N;
  }
  EXPECT_EQ(chromatic_number(1, 6), 4U);
  EXPECT_EQ(chromatic_number(2, 4), 6U) << "all six nodes are adjacent to each other";
  for (unsigned N = 4; N <= 5; ++N) {
    const double bits = std::log2(chromatic_number(2, N));
    EXPECT_LE(fixed_hash_lower_bits(2, N), bits) << N;
    EXPECT_GE(fixed_hash_upper_bits(2, N), bits) << N;
  }
}

// Coordinates as columns of t bits. Two columns show all four patterns if both and neither have a
// bit in common, and each has a bit that the other lacks. Exhaustive: the largest such family of
// columns [KS73].
unsigned largest_family(unsigned t, std::vector<unsigned>& chosen, unsigned from) {
  const unsigned mask = (1U << t) - 1;
  auto most = static_cast<unsigned>(chosen.size());
  for (unsigned next = from; next < 1U << (t - 1); ++next) {  // or its complement
    bool fits = true;
    for (const unsigned c : chosen)
      for (const unsigned shown : {c & next, c & ~next, ~c & next, ~(c | next) & mask})
        fits &= shown != 0;
    if (!fits) continue;
    chosen.push_back(next);
    most = std::max(most, largest_family(t, chosen, next + 1));
    chosen.pop_back();
  }
  return most;
}
TEST(BloomierBounds, UniversalVectorsAreAsFewAsASearchFinds) {
  for (unsigned t = 4; t <= 6; ++t) {
    std::vector<unsigned> chosen;
    const unsigned coordinates = largest_family(t, chosen, 1);
    EXPECT_EQ(pair_universal_vectors(coordinates), t);
    EXPECT_EQ(pair_universal_vectors(coordinates + 1), t + 1);
  }
}

TEST(BloomierBounds, ValuesWorkedOutByHand) {
  EXPECT_EQ(pair_universal_vectors(3), 4U);
  EXPECT_EQ(pair_universal_vectors(4), 5U);
  EXPECT_EQ(pair_universal_vectors(11), 7U);
  EXPECT_EQ(pair_universal_vectors(1001), 14U) << "C(12, 5) = 792, C(13, 6) = 1716";
  EXPECT_EQ(pair_universal_vectors(~std::uint64_t{0}), 69U) << "C(68, 33) = 1.5 times 2^64";
  EXPECT_EQ(separating_vectors(924), 12U) << "C(12, 6) = 924";
  EXPECT_EQ(separating_vectors(925), 13U);
  EXPECT_DOUBLE_EQ(fixed_hash_lower_bits(10, 1009), 8 + std::log2(14.0));
  EXPECT_DOUBLE_EQ(fixed_hash_lower_bits(1, 924), std::log2(12.0));
  EXPECT_NEAR(fixed_hash_upper_bits(2, 4), std::log2(16 * std::log(6.0) + 1), 1e-12);
  // 2 n + log2 ln(C(1000, 20) C(20, 10)) = 20 + log2(95.628 + 12.127)
  EXPECT_NEAR(fixed_hash_upper_bits(10, 1000), 26.7516, 0.0001);
}
// A difference of logarithms of factorials would lose all digits here.
TEST(BloomierBounds, SubsetsOfLargeUniversesAreCountedExactly) {
  double by_factors = 0;
  for (int i = 0; i < 200; ++i) by_factors += std::log2((std::exp2(64.0) - i) / (200 - i));
  EXPECT_NEAR(subset_bits(std::exp2(64.0), 200), by_factors, 1e-9 * by_factors);
  EXPECT_NEAR(subset_bits(1e6, 1), std::log2(1e6), 1e-10);
  EXPECT_NEAR(subset_bits(40, 20), std::log2(137'846'528'820.0), 1e-10);
  EXPECT_NEAR(subset_bits(140, 70), 136.107'034'207'552, 1e-10);
}
// n + log log N against 2 n + log log N, up to lower-order terms.
TEST(BloomierBounds, TheLemmaBoundsTheBitsUpToAFactorOfTwo) {
  for (const std::uint64_t n : {100U, 10'000U, 1'000'000U})
    for (const std::uint64_t N : {std::uint64_t{1} << 32, ~std::uint64_t{0}}) {
      const auto keys = static_cast<double>(n), all = static_cast<double>(N);
      const double log_log = std::log2(std::log2(all));
      EXPECT_NEAR(fixed_hash_lower_bits(n, N), keys + log_log, 2.2);
      // The number of pairs (A, B) is between (N / 2n)^2n and N^2n.
      EXPECT_LE(fixed_hash_upper_bits(n, N), 2 * keys + log_log + std::log2(2 * keys));
      const double fewest = 2 * keys * std::log(all / (2 * keys));
      EXPECT_GE(fixed_hash_upper_bits(n, N), 2 * keys + std::log2(fewest));
    }
}

// The table of doc/theory/bloomier.md.
TEST(BloomierBounds, ThePublishedTable) {
  constexpr std::uint64_t small = std::uint64_t{1} << 32, large = ~std::uint64_t{0};
  struct row {
    std::uint64_t n, N;
    double lower, upper;
  };
  constexpr row table[] = {
      {10, small, 13.2, 28.7},
      {10, large, 14.1, 29.7},
      {1000, small, 1003.2, 2015.0},
      {1000, large, 1004.1, 2016.2},
      {1'000'000, small, 1e6 + 3.2, 2e6 + 24.2},
      {1'000'000, large, 1e6 + 4.1, 2e6 + 25.9},
  };
  for (const row& r : table) {
    EXPECT_NEAR(fixed_hash_lower_bits(r.n, r.N), r.lower, 0.05) << r.n;
    EXPECT_NEAR(fixed_hash_upper_bits(r.n, r.N), r.upper, 0.05) << r.n;
  }
}

TEST(BloomierBounds, KeysCanChangeOnlyInMoreThanLinearSpace) {
  // N / (c n^3) = 2^16 and 2^256
  EXPECT_DOUBLE_EQ(changing_keys_bits(1024, std::exp2(47), 2), 512 * 4);
  EXPECT_DOUBLE_EQ(changing_keys_bits(1024, std::exp2(287), 2), 512 * 8);
  EXPECT_DOUBLE_EQ(changing_keys_bits(1024, std::exp2(32), 2), 0) << "N / (c n^3) = 2";
  EXPECT_DOUBLE_EQ(changing_keys_bits(1024, 1e6, 2), 0) << "fewer than c n^3 keys: nothing is said";
}

}  // namespace
}  // namespace bloomier_bounds_test
