// sizing/walks.hpp - what a way of drawing probes adds to the rate of independent ones.
// Words      n keys, m cells, k probes, rho the share of set cells; all walks modulo m.
// Idea       A non-member whose walk is a shift of a stored one, forwards or backwards, finds
//            nearly all its cells set; so does a walk that visits its own cells twice.
// Limits     First-order sums over shifts: they fit where the rate is small (below 1e-3) and
//            overstate above.
// Source     [DM04], [KM06]; derived and measured in doc/theory/hashing.md.
#pragma once

#include <cmath>
#include <cstdint>

namespace umbel::sizing {

[[nodiscard]] inline double fill_after(double n, double m, double k) {
  return -std::expm1(k * n * std::log1p(-1 / m));
}

// Steps that share factors with an even m coincide twice as often.
[[nodiscard]] inline double double_excess(double n, double m, double rho) {
  return (std::fmod(m, 2) == 0 ? 2 : 1) * 2 * n / (m * m) * (1 + rho) / (1 - rho);
}
[[nodiscard]] inline double enhanced_excess(double n, double m) {
  return (std::fmod(m, 2) == 0 ? 2 : 1) * n / (m * m);
}
// With probability 1/m for each s a walk is symmetric about i + j = s and visits its cells in
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

// h1 + i h2 + i^2 is shifted as double hashing is, and is symmetric as triple hashing is, whose h3
// would be 2.
[[nodiscard]] inline double extended_excess(double n, double m, unsigned k, double rho) {
  return double_excess(n, m, rho) + triple_excess(m, k, rho);
}

// Words of 32 bits modulo m: 2^32 mod m cells are drawn once more often than the others, which
// tells when m is a large part of 2^32. By what factor the rate rises over that of even draws.
[[nodiscard]] inline double narrow_penalty(double n, double m, double k, double words = 0x1p32) {
  const double often = std::floor(words / m), favoured = words - often * m;
  if (favoured == 0) return 1;
  const auto found = [&](double cells, double draws) {
    return cells * draws / words * -std::expm1(k * n * std::log1p(-draws / words));
  };
  return std::pow((found(favoured, often + 1) + found(m - favoured, often)) / fill_after(n, m, k),
                  k);
}

// Probes of a key that never coincide, one in each of k slices: cells stay clear with (1 - k/m)^n.
[[nodiscard]] inline double partitioned_fpr(double n, double m, double k) {
  // m = k would give 0 * infinity
  return n == 0 ? 0 : std::pow(-std::expm1(n * std::log1p(-k / m)), k);
}

}  // namespace umbel::sizing
