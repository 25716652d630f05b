// sizing/walks.hpp - double, triple and enhanced double hashing [DM04], [KM06]: how much they add
// to the rate of independent probes.
//
// A non-member whose probe sequence is a shift of a stored one, forwards or backwards, finds nearly
// all its cells set. So does one whose sequence visits its own cells twice.
//
// Symbols    n keys, m cells, k probes, rho the share of set cells; all sequences modulo m.
// Limits     First-order sums over shifts: accurate for small rates (below 1e-3), too high above.
// Source     [DM04], [KM06]; derived and measured in doc/theory/hashing.md.
#pragma once

#include <cmath>
#include <cstdint>

namespace umbel::sizing {

[[nodiscard]] inline double fill_after(double n, double m, double k) {
  return -std::expm1(k * n * std::log1p(-1 / m));
}

// If m is even, steps that share a factor with m make sequences coincide twice as often.
[[nodiscard]] inline double double_excess(double n, double m, double rho) {
  return (std::fmod(m, 2) == 0 ? 2 : 1) * 2 * n / (m * m) * (1 + rho) / (1 - rho);
}
[[nodiscard]] inline double enhanced_excess(double n, double m) {
  return (std::fmod(m, 2) == 0 ? 2 : 1) * n / (m * m);
}
// With probability 1/m for each s, a sequence is symmetric about i + j = s and visits its cells in
// pairs.
[[nodiscard]] inline double triple_excess(double m, unsigned k, double rho) {
  double sum = 0;
  for (unsigned s = 1; s + 3 <= 2 * k; ++s) {
    const unsigned first = s < k ? 0 : s - k + 1;  // pairs i < j < k with i + j = s
    const unsigned pairs = (s + 1) / 2 - first;
    sum += (std::pow(rho, k - pairs) - std::pow(rho, k)) / m;
  }
  return sum;
}

// h1 + i h2 + i^2 is shifted like double hashing, and symmetric like triple hashing with h3 = 2.
[[nodiscard]] inline double extended_excess(double n, double m, unsigned k, double rho) {
  return double_excess(n, m, rho) + triple_excess(m, k, rho);
}

// 32-bit words modulo m: 2^32 mod m cells are drawn once more often than the others, which matters
// if m is a large part of 2^32. Returns the factor by which the rate rises over that of uniform
// draws.
[[nodiscard]] inline double narrow_penalty(double n, double m, double k, double words = 0x1p32) {
  const double often = std::floor(words / m), favoured = words - often * m;
  if (favoured == 0) return 1;
  const auto found = [&](double cells, double draws) {
    return cells * draws / words * -std::expm1(k * n * std::log1p(-draws / words));
  };
  return std::pow((found(favoured, often + 1) + found(m - favoured, often)) / fill_after(n, m, k),
                  k);
}

// Partitioned filter, one distinct cell per probe in each of k slices: cells stay clear with
// probability (1 - k/m)^n.
[[nodiscard]] inline double partitioned_fpr(double n, double m, double k) {
  // m = k would give 0 * infinity
  return n == 0 ? 0 : std::pow(-std::expm1(n * std::log1p(-k / m)), k);
}

}  // namespace umbel::sizing
