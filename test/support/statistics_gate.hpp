// statistics_gate.hpp - bounds that a correct implementation passes and a wrong one does not, in sigmas.
// Idea       Every statistical test has fixed seeds, so it is deterministic; the bound says how unlikely the seeds would
//            have to be. At 5 sigmas a correct program fails one check in 1.7 million choices of seeds.
// Source     Sheet 01 section 0, "binomial gate"; Wilson and Hilferty 1931 for the quantiles of chi-square.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include <gtest/gtest.h>

namespace umbel::statistics {

// A bijection of 64-bit words that the library does not use (the finisher of splitmix64): test keys owe nothing to the
// mixers under test. Members have even numbers and strangers odd ones: disjoint by construction, for every seed.
[[nodiscard]] constexpr std::uint64_t scatter(std::uint64_t x) noexcept {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}
[[nodiscard]] constexpr std::uint64_t member(std::uint64_t i, std::uint64_t seed = 0) noexcept {
  return scatter((seed << 40) + 2 * i);
}
[[nodiscard]] constexpr std::uint64_t stranger(std::uint64_t i, std::uint64_t seed = 0) noexcept {
  return scatter((seed << 40) + 2 * i + 1);
}

[[nodiscard]] inline std::vector<std::uint64_t> members(std::uint64_t count, std::uint64_t seed = 0) {
  std::vector<std::uint64_t> out(count);
  for (std::uint64_t i = 0; i < count; ++i) out[i] = member(i, seed);
  return out;
}

// How many of `count` strangers a set lets through, asked in batches.
template <class Set>
[[nodiscard]] std::uint64_t passed(const Set& set, std::uint64_t count, std::uint64_t seed = 0) {
  constexpr std::uint64_t chunk = 4096;
  std::vector<std::uint64_t> keys;
  bool answers[chunk];
  std::uint64_t sum = 0;
  for (std::uint64_t first = 0; first < count; first += chunk) {
    keys.clear();
    for (std::uint64_t i = first; i < first + chunk && i < count; ++i) keys.push_back(stranger(i, seed));
    set.may_contain_batch(keys, answers);
    for (std::size_t i = 0; i < keys.size(); ++i) sum += answers[i];
  }
  return sum;
}

// Accepts X out of N at probability p iff |X - Np| <= sigmas * sqrt(Np(1-p)) + model_error * Np.
[[nodiscard]] inline ::testing::AssertionResult binomial_gate(std::uint64_t observed, std::uint64_t trials, double p,
                                                              double model_error = 0.02, double sigmas = 5) {
  const double mean = static_cast<double>(trials) * p;
  const double allowed = sigmas * std::sqrt(mean * (1 - p)) + model_error * mean;
  const double off = static_cast<double>(observed) - mean;
  auto result = std::abs(off) <= allowed ? ::testing::AssertionSuccess() : ::testing::AssertionFailure();
  return result << observed << " of " << trials << ", expected " << mean << " +- " << allowed;
}

// |x - mean| <= sigmas * deviation.
[[nodiscard]] inline ::testing::AssertionResult within(double x, double mean, double deviation, double sigmas = 5) {
  auto result =
      std::abs(x - mean) <= sigmas * deviation ? ::testing::AssertionSuccess() : ::testing::AssertionFailure();
  return result << x << ", expected " << mean << " +- " << sigmas << " * " << deviation;
}

// Chi-square of counts that should all be equal.
[[nodiscard]] inline double chi_square(std::span<const std::uint64_t> counts) {
  double total = 0;
  for (const auto count : counts) total += static_cast<double>(count);
  const double mean = total / static_cast<double>(counts.size());
  double sum = 0;
  for (const auto count : counts)
    sum += (static_cast<double>(count) - mean) * (static_cast<double>(count) - mean) / mean;
  return sum;
}
// The quantile of chi-square with f degrees of freedom that lies `sigmas` up (or down) the normal scale: the cube root
// of chi-square / f is normal with mean 1 - 2/(9f) and variance 2/(9f), to well within what a test needs from f = 3 on.
[[nodiscard]] inline double chi_square_quantile(double freedom, double sigmas) {
  const double v = 2 / (9 * freedom);
  return freedom * std::pow(1 - v + sigmas * std::sqrt(v), 3);
}
// Counts spread as a uniform draw spreads them: neither too unevenly nor, which would be as wrong, too evenly.
[[nodiscard]] inline ::testing::AssertionResult uniform(std::span<const std::uint64_t> counts, double sigmas = 5) {
  const double x = chi_square(counts);
  const double f = static_cast<double>(counts.size() - 1);
  const double low = chi_square_quantile(f, -sigmas), high = chi_square_quantile(f, sigmas);
  auto result = x >= low && x <= high ? ::testing::AssertionSuccess() : ::testing::AssertionFailure();
  return result << "chi-square " << x << " with " << f << " degrees of freedom, expected " << low << " to " << high;
}

}  // namespace umbel::statistics
