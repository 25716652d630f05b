// bloom_walk_penalty_test.cpp - by how much double, enhanced double and triple hashing raise the
// rate of small filters [DM04], [KM06], and that the formulas predict it. This is why the default
// draws independent probes below 4096 bits.
// Bounds     False positives of many small filters against the sum of rho^k over the same filters
//            plus the predicted excess: 5 sigmas, and the stated error of the first-order formula.
#include <umbel/engine/probe/k_probes.hpp>

#include <cmath>
#include <cstdint>
#include <tuple>

#include <gtest/gtest.h>

#include <umbel/cells/bits.hpp>
#include <umbel/engine/probe/probes.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/sizing/walks.hpp>

#include "support/statistics_gate.hpp"

namespace umbel::bloom_walk_penalty_test {
namespace {

using core::k_probes;
using core::scheme;

struct outcome {
  double hits = 0, ideal = 0, trials = 0;  // ideal: hits that independent probes would have

  [[nodiscard]] double sigma() const { return std::sqrt(ideal); }
  [[nodiscard]] double excess() const { return (hits - ideal) / trials; }
  [[nodiscard]] double times() const { return hits / ideal; }
};

outcome measured(const k_probes& at, std::uint64_t keys, std::uint64_t filters) {
  constexpr std::uint64_t non_members = 2000;
  outcome out{.trials = static_cast<double>(filters * non_members)};
  for (std::uint64_t f = 0; f < filters; ++f) {
    const hasher hash = hasher::seeded(f);
    core::probes<k_probes, cells::bits> filter(at);
    for (std::uint64_t i = 0; i < keys; ++i) (void)filter.insert(hash(statistics::member(i, f)));
    for (std::uint64_t i = 0; i < non_members; ++i)
      out.hits += filter.may_contain(hash(statistics::non_member(i, f)));
    const double fill =
        static_cast<double>(filter.cells().storage().ones()) / static_cast<double>(at.cells());
    out.ideal += non_members * std::pow(fill, at.probes());
  }
  return out;
}

// The excess exists, and is the predicted one within the formula's own error.
void expect_excess(const outcome& got, double predicted, double model_error) {
  EXPECT_GT(got.hits, got.ideal + 5 * got.sigma()) << "no worse than independent probes?";
  EXPECT_TRUE(statistics::within(
      got.hits, got.ideal + predicted * got.trials,
      std::sqrt(got.ideal + predicted * got.trials) + model_error * predicted * got.trials / 5))
      << got.excess() << " where " << predicted << " was predicted";
}

// A prime number of cells: 3.6e-4, 1.0e-4 and 8.9e-5 are expected, against 5.7e-5.
TEST(BloomWalkPenalty, PrimeSize) {
  constexpr std::uint64_t m = 1021, n = 50;
  constexpr unsigned k = 14;
  const double rho = sizing::fill_after(n, m, k);
  const auto twice = measured(k_probes(m, k, 0, scheme::plain_double), n, 500);
  EXPECT_GT(twice.times(), 4);
  expect_excess(twice, sizing::double_excess(n, m, rho), 0.1);
  expect_excess(measured(k_probes(m, k, 0, scheme::extended), n, 500),
                sizing::extended_excess(n, m, k, rho), 0.1);
  expect_excess(measured(k_probes(m, k, 0, scheme::enhanced), n, 2000),
                sizing::enhanced_excess(n, m), 0.1);
  expect_excess(measured(k_probes(m, k, 0, scheme::triple_modular), n, 2000),
                sizing::triple_excess(m, k, rho), 0.25);
}

// A power of two, where steps are odd.
TEST(BloomWalkPenalty, PowerOfTwo) {
  constexpr std::uint64_t m = 512, n = 32;
  constexpr unsigned k = 10;
  const double rho = sizing::fill_after(n, m, k);
  const auto twice = measured(k_probes(m, k, 0, scheme::plain_double), n, 500);
  EXPECT_GT(twice.times(), 3);
  expect_excess(twice, sizing::double_excess(n, m, rho), 0.25);
  expect_excess(measured(k_probes(m, k, 0, scheme::extended), n, 500),
                sizing::extended_excess(n, m, k, rho), 0.25);
  expect_excess(measured(k_probes(m, k, 0, scheme::enhanced), n, 500),
                sizing::enhanced_excess(n, m), 0.25);
  expect_excess(measured(k_probes(m, k, 0, scheme::triple_modular), n, 1000),
                sizing::triple_excess(m, k, rho), 0.5);
}

// The default draws independent probes at these sizes; 64-bit walks would hardly be worse.
TEST(BloomWalkPenalty, TheDefaultHasNone) {
  for (const auto& [m, n, k] : {std::tuple{1021U, 50U, 14U}, std::tuple{512U, 32U, 10U}}) {
    const auto usual = measured(k_probes(m, k), n, 1000);
    EXPECT_TRUE(statistics::within(usual.hits, usual.ideal, usual.sigma())) << m;
    const auto walks = measured(k_probes(m, k, 0, scheme::triple), n, 1000);
    EXPECT_TRUE(statistics::within(walks.hits, walks.ideal, walks.sigma() + 0.1 * walks.ideal / 5))
        << m;
  }
}

}  // namespace
}  // namespace umbel::bloom_walk_penalty_test
