// sizing/blocked.hpp - filters that put a whole key into one block: the load of a block is Poisson, and that costs.
// Idea       A block of b bits at c bits per key holds Poisson(b/c) keys; average the block's own rate over its load.
// Source     [PSS07] for blocks, the Parquet format page for lanes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <umbel/base/config.hpp>

namespace umbel::sizing {

// Sum over i of Poisson(i; mean) * rate(i), to 12 standard deviations on both sides.
template <class Rate>
[[nodiscard]] double poisson_average(double mean, Rate&& rate) {
  const double reach = 12 * std::sqrt(mean) + 30;
  const double first = std::max(0.0, std::floor(mean - reach));
  double sum = 0;
  for (double i = first; i <= mean + reach; ++i)
    sum += std::exp(i * std::log(mean) - mean - std::lgamma(i + 1)) * rate(i);
  return sum;
}

// One bit in each of `lanes` words of `lane_bits`: Parquet's split block has 8 lanes of 32.
[[nodiscard]] inline double lanes_fpr(double bits_per_key, double lane_bits, double lanes) {
  return poisson_average(lane_bits * lanes / bits_per_key,
                         [&](double i) { return std::pow(1 - std::pow(1 - 1 / lane_bits, i), lanes); });
}

// Standard error of the number of keys inferred from the clear bits of z blocks, n keys inside. The loads of blocks
// and the spread inside lanes both vary; that n is fixed takes part of the first away (regression on the load).
[[nodiscard]] inline double lanes_cardinality_error(double n, double z, double lane_bits, double lanes) {
  const double load = n / z, b = lane_bits;
  const double clear = std::exp(-load / b), two_clear = std::exp(-2 * load / b),
               square = std::exp(-load * (2 / b - 1 / (b * b)));
  const double of_loads = b * b * (square - two_clear) - load * two_clear;
  const double inside = b * clear + b * (b - 1) * two_clear - b * b * square;
  return std::sqrt(std::max(0.0, z * (lanes * inside + lanes * lanes * of_loads))) / (lanes * clear);
}

// Blocks of 256 bits for n keys at rate eps: the smallest number whose true rate is within eps.
[[nodiscard]] inline std::uint64_t split_blocks_for_rate(std::uint64_t n, double eps) {
  double low = 0.5, high = 1 << 16;  // bits per key; the rate falls as they grow
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (lanes_fpr(middle, 32, 8) <= eps ? high : low) = middle;
  }
  const double blocks = std::ceil(high * static_cast<double>(n) / 256);
  return blocks < 1 ? 1 : blocks > 1.8e16 ? std::uint64_t{1} << 54 : static_cast<std::uint64_t>(blocks);
}

}  // namespace umbel::sizing
