// sizing/rows.hpp - the rate of filters that grow by equal rows.
// Words      n keys, c the keys a row has room for, f(n) the rate of one row that holds n keys.
// Source     [GWCL06]; rows are independent filters.
#pragma once

#include <cmath>
#include <cstdint>

#include <umbel/sizing/bloom.hpp>

namespace umbel::sizing {

// Keys that a row of m cells and k probes has room for at rate eps: floor(-m ln(1 - eps^(1/k)) / k).
[[nodiscard]] inline std::uint64_t row_room(std::uint64_t m, unsigned k, double eps) {
  return static_cast<std::uint64_t>(-static_cast<double>(m) * std::log1p(-std::pow(eps, 1.0 / k)) / k);
}
// 1 - (1 - f(c))^floor(n/c) (1 - f(n mod c)).
[[nodiscard]] inline double rows_fpr(std::uint64_t n, std::uint64_t c, std::uint64_t m, unsigned k) {
  const auto one = [&](std::uint64_t keys) {
    return bloom_fpr_asymptotic(static_cast<double>(keys), static_cast<double>(m), k);
  };
  return 1 - std::pow(1 - one(c), static_cast<double>(n / c)) * (1 - one(n % c));
}
// That the erase of a member finds no other row that accepts it.
[[nodiscard]] inline double unambiguous_share(double row_fpr, std::uint64_t rows) {
  return rows == 0 ? 1 : std::pow(1 - row_fpr, static_cast<double>(rows - 1));
}

}  // namespace umbel::sizing
