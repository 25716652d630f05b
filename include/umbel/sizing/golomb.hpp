// sizing/golomb.hpp - Golomb-coded sets [PSS07]: Golomb-Rice codes of the gaps between sorted
// hashes.
//
// n values out of n*M have gaps of mean M. A gap costs P remainder bits, gap/2^P ones in unary, and
// a zero.
//
// Source     [PSS07]; the size formula is for geometric gaps.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace umbel::sizing {

// mean number of keys decoded from one entry point
inline constexpr std::uint64_t golomb_bucket_keys = 128;

struct golomb_plan {
  std::uint64_t spread;     // M: one value in M is stored; the rate is about 1/M
  unsigned remainder_bits;  // P
};

// Bits per key of the code, without entry points.
[[nodiscard]] inline double golomb_bits_per_key(double spread, unsigned remainder_bits) {
  return -1 / std::expm1(std::exp2(remainder_bits) * std::log1p(-1 / spread)) + remainder_bits;
}

[[nodiscard]] inline golomb_plan plan_golomb(double eps) {
  const double spread = std::clamp(std::ceil(1 / eps - 1e-9), 2.0, 0x1p40);
  const double best = std::round(std::log2(spread * std::numbers::ln2));
  return {static_cast<std::uint64_t>(spread), static_cast<unsigned>(std::max(0.0, best))};
}

// Bits for the offset of a bucket's start from the line through all starts. The number of keys
// before a bucket is a Brownian bridge, whose mean range is sqrt(pi/2) standard deviations of the
// total.
[[nodiscard]] inline double golomb_offset_bits(double n, double bits_per_key) {
  return std::max(
      1.0, std::ceil(std::log2(std::sqrt(std::numbers::pi / 2 * std::max(n, 1.0)) * bits_per_key)));
}

// Expected rate of n keys among n*M values. Keys with equal values are stored once.
[[nodiscard]] inline double golomb_planned_fpr(double spread) { return -std::expm1(-1 / spread); }
// Exact rate of u distinct values among n*M.
[[nodiscard]] inline double golomb_fpr(double distinct, double n, double spread) {
  return n == 0 ? 0 : distinct / (n * spread);
}

}  // namespace umbel::sizing
