// popularity_test.cpp - probes by popularity in weighted Bloom filters [BGJ06], [ZLS08]: reference
// figures, the budget, and a comparison with exhaustive search.
#include <umbel/sizing/popularity.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace umbel::sizing::popularity_test {
namespace {

constexpr double per_key = 8;  // m/n
double bits_for(const std::vector<popularity>& classes) {
  double n = 0;
  for (const popularity& c : classes) n += c.objects * c.membership;
  return per_key * n;
}
double real_error(const std::vector<popularity>& classes) {
  return popular_error(classes, real_probes(classes, bits_for(classes)));
}
constexpr double plain = 0.0214;  // 2^-(8 ln 2): half full, without rounding

TEST(Popularity, GivesTheComputedFigures) {
  const auto tenth = hot_and_cold(1e6, 0.01, 0.1, 0.9);
  const auto probes = real_probes(tenth, bits_for(tenth));
  EXPECT_NEAR(probes[0], 11.25, 0.005);
  EXPECT_NEAR(probes[1], 4.91, 0.005);
  EXPECT_NEAR(real_error(tenth), 0.00369, 0.000005);
  EXPECT_NEAR(real_error(tenth) / plain, 0.172, 0.001);
  EXPECT_NEAR(real_error(hot_and_cold(1e6, 0.01, 0.01, 0.9)), 0.00232, 0.000005);
  EXPECT_NEAR(real_error(hot_and_cold(1e6, 0.01, 0.01, 0.99)), 0.000237, 0.0000005);
  for (const auto& [power, ratio] : {std::pair(1.0, 0.225), {1.2, 0.065}}) {
    std::vector<popularity> zipf;
    for (int i = 1; i <= 100'000; ++i) zipf.push_back({std::pow(i, -power), 0.01});
    EXPECT_NEAR(real_error(zipf) / plain, ratio, 0.001) << power;
  }
}
TEST(Popularity, UniformKeysGetThePlainNumberOfProbes) {
  const std::vector<popularity> uniform(1000, {3, 0.02});
  for (const double k : real_probes(uniform, bits_for(uniform)))
    EXPECT_NEAR(k, per_key * std::numbers::ln2, 1e-9);
  // 5.545 probes each: five for every key, and the remaining probes for as many keys as they last.
  const auto whole = whole_probes(uniform, bits_for(uniform));
  EXPECT_EQ(std::count(whole.begin(), whole.end(), 6U), 545);
  EXPECT_EQ(std::count(whole.begin(), whole.end(), 5U), 455);
}
TEST(Popularity, ExtremePopularitiesGetExtremeNumbersOfProbes) {
  const std::vector<popularity> classes{{1, 0}, {1, 1}, {0, 0.5}, {1, 0.5}};
  const auto whole = whole_probes(classes, 20);
  EXPECT_EQ(whole[0], popularity_max_probes) << "never a member: probes cost nothing";
  EXPECT_EQ(whole[1], 0U) << "always a member: no question is about a non-member";
  EXPECT_EQ(whole[2], 0U) << "never asked";
  EXPECT_EQ(whole[3], 27U) << "all the rest: 20 ln 2 / 0.5";
  EXPECT_EQ(whole_probes({}, 10).size(), 0U);
  const std::vector<popularity> nobody{{0, 0.5}};
  EXPECT_EQ(whole_probes(nobody, 10)[0], 0U);
}

std::vector<popularity> random_classes(std::mt19937_64& random, std::size_t count) {
  std::vector<popularity> out;
  std::uniform_real_distribution<double> log(-8, 0);
  for (std::size_t i = 0; i < count; ++i)
    out.push_back({std::exp2(log(random)), std::exp2(log(random)) * 0.9});
  return out;
}
std::vector<double> as_real(const std::vector<unsigned>& whole) {
  return {whole.begin(), whole.end()};
}

TEST(Popularity, TheBudgetIsKeptAndTheErrorAtMostDoubled) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 300; ++round) {
    const auto classes = random_classes(random, 1 + random() % 60);
    const double m = bits_for(classes) * std::exp2(static_cast<double>(random() % 5) - 2);
    const auto real = real_probes(classes, m);
    const auto whole = whole_probes(classes, m);
    ASSERT_LE(popular_cost(classes, whole), m * std::numbers::ln2 * (1 + 1e-9));
    std::vector<double> down;
    for (const double k : real) down.push_back(std::floor(k + 1e-9));
    const double least = popular_error(classes, real), rounded = popular_error(classes, down);
    ASSERT_LE(popular_error(classes, as_real(whole)), rounded * (1 + 1e-12));
    ASSERT_LE(rounded, 2 * least * (1 + 1e-6));
  }
}
// Every assignment of 0 to 4 probes to up to 8 objects.
double exhaustive(const std::vector<popularity>& classes, double m, unsigned most) {
  std::vector<unsigned> k(classes.size());
  double best = 1;
  for (;;) {
    if (popular_cost(classes, k) <= m * std::numbers::ln2)
      best = std::min(best, popular_error(classes, as_real(k)));
    std::size_t i = 0;
    while (i < k.size() && ++k[i] > most) k[i++] = 0;
    if (i == k.size()) return best;
  }
}
TEST(Popularity, IsCloseToTheBestThereIs) {
  std::mt19937_64 random(8);
  double sum = 0;
  int rounds = 0;
  for (std::size_t count = 1; count <= 8; ++count)
    for (int round = 0; round < (count < 7 ? 20 : 3); ++round, ++rounds) {
      const auto classes = random_classes(random, count);
      const double m = bits_for(classes) / 2;
      const double best = exhaustive(classes, m, 4);
      const double ratio = popular_error(classes, as_real(whole_probes(classes, m, 4))) / best;
      ASSERT_LE(ratio, 2) << count;
      ASSERT_GE(ratio, 1 - 1e-9) << count;
      sum += ratio;
    }
  EXPECT_LT(sum / rounds, 1.1);
}

TEST(Popularity, ReportSaysWhetherTheTablePays) {
  const auto classes = hot_and_cold(1e6, 0.01, 0.001, 0.9);
  const double m = bits_for(classes);
  const auto probes = whole_probes(classes, m);
  const auto cheap = report_popular(classes, probes, m, 1000 * 20);
  EXPECT_LT(cheap.fpr, cheap.plain_fpr / 5);
  EXPECT_LT(cheap.plain_and_table, cheap.plain_fpr);
  EXPECT_GT(cheap.plain_and_table, cheap.fpr) << "a table of a thousand keys pays";
  EXPECT_LT(report_popular(classes, probes, m, 1e6 * 20).plain_and_table, cheap.fpr)
      << "one of all keys does not";
}
TEST(Popularity, CountsAreSmoothed) {
  const std::uint64_t in_sets[] = {0, 5, 10, 99}, asked[] = {0, 7, 1, 1};
  const auto made = popularity_from(in_sets, 10, asked);
  ASSERT_EQ(made.size(), 4U);
  EXPECT_DOUBLE_EQ(made[0].membership, 1.0 / 12);
  EXPECT_DOUBLE_EQ(made[0].queries, 1);
  EXPECT_DOUBLE_EQ(made[1].membership, 0.5);
  EXPECT_DOUBLE_EQ(made[1].queries, 8);
  EXPECT_LT(made[2].membership, 1);
  EXPECT_LT(made[3].membership, 1) << "more sets than there are";
}

}  // namespace
}  // namespace umbel::sizing::popularity_test
