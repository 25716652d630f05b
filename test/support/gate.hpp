// gate.hpp - bounds for counts of random events, as named numbers of standard deviations.
// Idea       Seeds are fixed, so every check is deterministic; the bound says how unlikely the
//            choice of seeds would have to be for a correct program to fail. A wrong rate is
//            detected as soon as it leaves the model error.
#pragma once

#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

namespace umbel::test {

inline constexpr double five_sigmas = 5;       // two-sided error below 6e-7 per check
inline constexpr double exact_model = 0;       // the predicted probability is the true one
inline constexpr double usual_model = 0.02;    // unless a test says otherwise
inline constexpr double blocked_model = 0.05;  // split blocks

// Binomial gate: N fresh non-members, expected probability p, X hits: accept iff |X - Np| <= 5
// sqrt(Np(1-p)) + d Np.
[[nodiscard]] inline ::testing::AssertionResult binomial_gate(std::uint64_t hits,
                                                              std::uint64_t trials, double p,
                                                              double d = usual_model) {
  const double mean = static_cast<double>(trials) * p;
  const double allowed = five_sigmas * std::sqrt(mean * (1 - p)) + d * mean;
  const double off = static_cast<double>(hits) - mean;
  auto result =
      std::abs(off) <= allowed ? ::testing::AssertionSuccess() : ::testing::AssertionFailure();
  return result << hits << " of " << trials << " at " << p << ", expected " << mean << " +- "
                << allowed;
}

// The upper half of it: no more than planned.
[[nodiscard]] inline ::testing::AssertionResult no_more_than(std::uint64_t hits,
                                                             std::uint64_t trials, double p,
                                                             double d = usual_model) {
  const double mean = static_cast<double>(trials) * p;
  const double most = mean + five_sigmas * std::sqrt(mean * (1 - p)) + d * mean;
  auto result = static_cast<double>(hits) <= most ? ::testing::AssertionSuccess()
                                                  : ::testing::AssertionFailure();
  return result << hits << " of " << trials << " at " << p << ", expected at most " << most;
}

// The value that a Poisson (or binomial) count of this mean, at most a few hundred, exceeds as
// rarely as a normal variable exceeds `sigmas`. The tail is summed exactly: for small means no
// approximation is close enough.
[[nodiscard]] inline double poisson_upper(double mean, double sigmas = five_sigmas) {
  const double rarely = std::erfc(sigmas / std::sqrt(2.0)) / 2;
  double most = 0, term = std::exp(-mean), above = -std::expm1(-mean);
  while (above > rarely) above -= term *= mean / ++most;
  return most;
}

// |x - mean| <= sigmas * deviation.
[[nodiscard]] inline ::testing::AssertionResult within(double x, double mean, double deviation,
                                                       double sigmas = five_sigmas) {
  auto result = std::abs(x - mean) <= sigmas * deviation ? ::testing::AssertionSuccess()
                                                         : ::testing::AssertionFailure();
  return result << x << ", expected " << mean << " +- " << sigmas << " * " << deviation;
}

}  // namespace umbel::test
