// sizing/rows.hpp - dynamic Bloom filters [GWCL06]: false positive rate of filters that grow by
// equal rows.
//
// Symbols    n keys; c the capacity of a row; f(n) the rate of one row that holds n keys.
// Source     [GWCL06]. Rows are independent filters.
#pragma once

#include <cmath>
#include <cstdint>

#include <umbel/sizing/bloom.hpp>

namespace umbel::sizing {

// Capacity of a row of m cells and k probes at rate eps: floor(-m ln(1 - eps^(1/k)) / k).
[[nodiscard]] inline std::uint64_t row_room(std::uint64_t m, unsigned k, double eps) {
  return static_cast<std::uint64_t>(-static_cast<double>(m) * std::log1p(-std::pow(eps, 1.0 / k)) /
                                    k);
}
// 1 - (1 - f(c))^floor(n/c) (1 - f(n mod c)).
[[nodiscard]] inline double rows_fpr(std::uint64_t n, std::uint64_t c, std::uint64_t m,
                                     unsigned k) {
  const auto one = [&](std::uint64_t keys) {
    return bloom_fpr_asymptotic(static_cast<double>(keys), static_cast<double>(m), k);
  };
  return 1 - std::pow(1 - one(c), static_cast<double>(n / c)) * (1 - one(n % c));
}
// Probability that the erase of a member finds no other row that accepts it.
[[nodiscard]] inline double unambiguous_share(double row_fpr, std::uint64_t rows) {
  return rows == 0 ? 1 : std::pow(1 - row_fpr, static_cast<double>(rows - 1));
}

// For a fixed number of rows: the rate that one of s rows may have if they are to have rate eps
// together. 1 - (1 - eps)^(1/s) if all rows are queried, eps if a hash selects one.
[[nodiscard]] inline double row_share(double eps, std::uint64_t s, bool hashed) {
  return hashed ? eps : -std::expm1(std::log1p(-eps) / static_cast<double>(s));
}
// Capacity of a row when a hash selects the row and `load` is the mean: three standard deviations
// more.
[[nodiscard]] inline std::uint64_t crowded_row(std::uint64_t load) {
  return load + static_cast<std::uint64_t>(std::ceil(3 * std::sqrt(static_cast<double>(load))));
}
// Rate of n keys, c per row, from the exact rate of each row.
[[nodiscard]] inline double filled_rows_fpr(std::uint64_t n, std::uint64_t c, std::uint64_t m,
                                            unsigned k) {
  const double last = n % c == 0 ? 0 : bloom_fpr(n % c, m, k);
  return 1 - std::pow(1 - bloom_fpr(c, m, k), static_cast<double>(n / c)) * (1 - last);
}
// Sum over loads l of Pois(l; n/s) f(l).
[[nodiscard]] inline double hashed_rows_fpr(std::uint64_t n, std::uint64_t s, std::uint64_t m,
                                            unsigned k) {
  const double mean = static_cast<double>(n) / static_cast<double>(s),
               spread = 12 * std::sqrt(mean) + 12;
  const auto first = mean > spread ? static_cast<std::uint64_t>(mean - spread) : 0;
  const auto last = static_cast<std::uint64_t>(mean + spread);
  // at most 512 of the loads of a large row, without loss of accuracy
  const std::uint64_t step = (last - first) / 512 + 1;
  double sum = 0, weight = 0;
  for (std::uint64_t l = first; l <= last; l += step) {
    const auto x = static_cast<double>(l);
    const double p = std::exp(x * std::log(mean) - mean - std::lgamma(x + 1));
    sum += p * bloom_fpr_classic(x, static_cast<double>(m), k);
    weight += p;
  }
  // The ratio of exact to classic rate is nearly the same at all loads.
  const auto near = static_cast<std::uint64_t>(mean + 0.5);
  const double factor = near == 0
                            ? 1
                            : bloom_fpr(near, m, k) / bloom_fpr_classic(static_cast<double>(near),
                                                                        static_cast<double>(m), k);
  return weight == 0 ? 0 : sum / weight * factor;
}

}  // namespace umbel::sizing
