// set/bloom_rate_test.cpp - false positive rate of Bloom filters against the formulas: by size, by
// fill, and at small sizes, where dependent probes raise it; and the number of probes per query.
// Bounds     Binomial: 5 sigmas and a stated model error (support/gate.hpp); fixed seeds.
#include <umbel/set/bloom_filter.hpp>

#include <cmath>
#include <cstdint>
#include <memory_resource>

#include <gtest/gtest.h>

#include "support/statistics_gate.hpp"

namespace umbel::bloom_rate_test {
namespace {

using statistics::binomial_gate;
using statistics::member;
using statistics::members;
using statistics::non_member;
using statistics::passed;

struct gate_case {
  std::uint64_t bits_per_key;
  unsigned probes;
  double rate;
};
class BloomRateGate : public ::testing::TestWithParam<gate_case> {};
INSTANTIATE_TEST_SUITE_P(Sizes, BloomRateGate,
                         ::testing::Values(gate_case{8, 6, .021577}, gate_case{10, 7, .008194},
                                           gate_case{16, 11, .000459}));

// N = 10^4/p non-members: Np = 10^4, so 5 sigmas are 5 % of it.
TEST_P(BloomRateGate, RateFillAndIndependence) {
  const auto [c, k, p] = GetParam();
  constexpr std::uint64_t n = 100'000;
  const std::uint64_t m = c * n;
  for (const hasher& hash : {hasher(), hasher::seeded(1)}) {
    bloom_filter filter({.keys = n, .bits = m, .probes = k, .hash = hash});
    (void)filter.insert_batch(members(n));
    const auto trials = static_cast<std::uint64_t>(1e4 / p);
    const std::uint64_t hits = passed(filter, trials);
    EXPECT_TRUE(binomial_gate(hits, trials, p)) << "a priori";
    EXPECT_TRUE(binomial_gate(hits, trials, std::pow(filter.fill(), k)))
        << "given the fill: probes are independent";
    const double zeros = static_cast<double>(m) * (1 - filter.fill());
    const double sigma = std::sqrt(sizing::bloom_variance_of_zeros(n, static_cast<double>(m), k));
    EXPECT_TRUE(statistics::within(
        zeros, sizing::bloom_expected_zeros(n, static_cast<double>(m), k), sigma, 6));
    EXPECT_NEAR(filter.expected_fpr(), std::pow(filter.fill(), k), 1e-12);
  }
}

// The sizes of the default plan.
TEST(BloomRate, DefaultPlanKeepsItsRate) {
  for (const double eps : {0.1, 0.01, 0.001}) {
    const auto plan = bloom_filter::plan({.keys = 20'000, .fpr = eps});
    bloom_filter filter({.keys = 20'000, .fpr = eps});
    (void)filter.insert_batch(members(20'000, 5));
    const auto trials = static_cast<std::uint64_t>(1e4 / eps);
    EXPECT_TRUE(binomial_gate(passed(filter, trials, 5), trials, plan.fpr)) << eps;
  }
}

// False positives of many small filters, compared with the sum of rho^k over the same filters: the
// number that independent probes would give at these fills.
::testing::AssertionResult many_small(std::uint64_t m, std::uint64_t n, unsigned k,
                                      std::uint64_t filters, std::uint64_t non_members,
                                      double model_error) {
  std::uint64_t hits = 0;
  double expected = 0;
  for (std::uint64_t f = 0; f < filters; ++f) {
    bloom_filter filter({.keys = 1, .bits = m, .probes = k, .hash = hasher::seeded(f)});
    (void)filter.insert_batch(members(n, f));
    hits += passed(filter, non_members, f);
    expected += std::pow(filter.fill(), k) / static_cast<double>(filters);
  }
  return binomial_gate(hits, filters * non_members, expected, model_error);
}

// At these sizes plain double hashing gives 6 times the planned rate, enhanced double hashing 1.8
// times, triple hashing modulo m 1.6 times [DM04]. Below 4096 bits the default draws every probe
// independently: no model error is allowed.
TEST(BloomRate, SmallFiltersHaveIndependentProbes) {
  EXPECT_TRUE(many_small(1021, 50, 14, 2000, 4000, 0));
  EXPECT_TRUE(many_small(512, 32, 10, 2000, 4000, 0));
  EXPECT_TRUE(many_small(512, 64, 6, 500, 4000, 0));
  EXPECT_TRUE(many_small(4095, 400, 7, 500, 4000, 0));
}

// From 4096 bits on walks are accurate enough: 3 % model error.
TEST(BloomRate, WalksAreGoodEnoughFrom4096Bits) {
  EXPECT_TRUE(many_small(4096, 400, 7, 500, 8000, 0.03));
  EXPECT_TRUE(many_small(4096, 200, 14, 500, 8000, 0.03));
  EXPECT_TRUE(many_small(8192, 800, 7, 500, 8000, 0.03));
  EXPECT_TRUE(many_small(1 << 17, (1 << 17) / 10, 7, 20, 200'000, 0.03));
}

// Bits that count how often they are read.
class counting_bits {
 public:
  explicit counting_bits(std::uint64_t size, std::pmr::memory_resource* memory = nullptr)
      : bits_(size, memory) {}
  [[nodiscard]] bool test(std::uint64_t i) const noexcept { return ++looks, bits_.test(i); }
  bool set(std::uint64_t i) noexcept { return ++sets, bits_.set(i); }
  [[nodiscard]] std::uint64_t size() const noexcept { return bits_.size(); }
  friend bool operator==(const counting_bits&, const counting_bits&) = default;
  void prefetch(std::uint64_t) const noexcept {}
  void prefetch_for_write(std::uint64_t) const noexcept {}
  [[nodiscard]] double fill() const noexcept {
    return static_cast<double>(bits_.storage().ones()) / static_cast<double>(bits_.size());
  }
  mutable std::uint64_t looks = 0;
  std::uint64_t sets = 0;

 private:
  cells::bits bits_;
};

// [TRL12] Table I: an insert and a true positive cost k probes, a non-member (1-rho^k)/(1-rho):
// below 2 at half fill. Bound: reads per non-member are geometric, with variance below
// rho/(1-rho)^2; 5 sigmas of the mean over 200,000.
TEST(BloomRate, ProbesPerNonMemberAreAsPredicted) {
  const hasher hash;
  for (const unsigned k : {1U, 3U, 7U, 14U}) {
    constexpr std::uint64_t m = 1 << 18, non_members = 200'000;
    const auto n = static_cast<std::uint64_t>(m * 0.6931 / k);
    core::probes<core::k_probes, counting_bits> filter(core::k_probes(m, k));
    for (std::uint64_t i = 0; i < n; ++i) (void)filter.insert(hash(member(i)));
    EXPECT_EQ(filter.cells().sets, n * k);
    for (std::uint64_t i = 0; i < n; ++i) ASSERT_TRUE(filter.may_contain(hash(member(i))));
    EXPECT_EQ(filter.cells().looks, n * k) << "a true positive looks at all its bits";
    filter.cells().looks = 0;
    for (std::uint64_t i = 0; i < non_members; ++i) (void)filter.may_contain(hash(non_member(i)));
    const double rho = filter.cells().fill();
    const double mean = static_cast<double>(filter.cells().looks) / non_members;
    EXPECT_TRUE(statistics::within(mean, sizing::bloom_probes_per_non_member(rho, k),
                                   std::sqrt(rho / non_members) / (1 - rho)));
    EXPECT_LT(mean, 2.02) << k;
  }
}

}  // namespace
}  // namespace umbel::bloom_rate_test
