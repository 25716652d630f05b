// statistics_gate.hpp - gate.hpp and keys.hpp for integer keys, and bounds for many counts at once:
// shares and chi-squares.
// Source     Wilson and Hilferty 1931 for the quantiles of chi-square.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "support/gate.hpp"
#include "support/keys.hpp"

namespace umbel::statistics {

using test::binomial_gate;
using test::scatter;
using test::within;

// Integer keys, one at a time and many.
[[nodiscard]] constexpr std::uint64_t member(std::uint64_t i, std::uint64_t seed = 0) noexcept {
  return scatter(test::member_number(i, seed));
}
[[nodiscard]] constexpr std::uint64_t non_member(std::uint64_t i, std::uint64_t seed = 0) noexcept {
  return scatter(test::non_member_number(i, seed));
}
[[nodiscard]] inline std::vector<std::uint64_t> members(std::uint64_t count,
                                                        std::uint64_t seed = 0) {
  return test::member_keys(count, seed);
}

// The number of `count` non-members that a set accepts, asked in batches.
template <class Set>
[[nodiscard]] std::uint64_t passed(const Set& set, std::uint64_t count, std::uint64_t seed = 0) {
  constexpr std::uint64_t chunk = 4096;
  std::vector<std::uint64_t> keys;
  bool answers[chunk];
  std::uint64_t sum = 0;
  for (std::uint64_t first = 0; first < count; first += chunk) {
    keys.clear();
    for (std::uint64_t i = first; i < first + chunk && i < count; ++i)
      keys.push_back(non_member(i, seed));
    set.may_contain_batch(keys, answers);
    for (std::size_t i = 0; i < keys.size(); ++i) sum += answers[i];
  }
  return sum;
}

// The worst of thousands of shares that should be one half must pass: six sigmas, and a model
// error.
[[nodiscard]] inline ::testing::AssertionResult half(std::uint64_t observed, std::uint64_t trials,
                                                     double model_error = 0) {
  const auto mean = static_cast<double>(trials) / 2;
  return within(static_cast<double>(observed), mean, std::sqrt(mean / 2) + model_error * mean / 6,
                6);
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
// The quantile of chi-square with f degrees of freedom that lies `sigmas` up (or down) the normal
// scale: the cube root of chi-square / f is normal with mean 1 - 2/(9f) and variance 2/(9f),
// accurate enough for a test from f = 3 on.
[[nodiscard]] inline double chi_square_quantile(double freedom, double sigmas) {
  const double v = 2 / (9 * freedom);
  return freedom * std::pow(1 - v + sigmas * std::sqrt(v), 3);
}
// Counts spread as a uniform distribution spreads them: neither too unevenly nor, which is as
// wrong, too evenly.
[[nodiscard]] inline ::testing::AssertionResult uniform(std::span<const std::uint64_t> counts,
                                                        double sigmas = 5) {
  const double x = chi_square(counts);
  const double f = static_cast<double>(counts.size() - 1);
  const double low = chi_square_quantile(f, -sigmas), high = chi_square_quantile(f, sigmas);
  auto result =
      x >= low && x <= high ? ::testing::AssertionSuccess() : ::testing::AssertionFailure();
  return result << "chi-square " << x << " with " << f << " degrees of freedom, expected " << low
                << " to " << high;
}

}  // namespace umbel::statistics
