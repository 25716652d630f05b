// sizing/fuse.hpp - binary fuse graphs [GL22]: segment length and number of segments.
//
// Keys start in one of `starts` = segments * length cells and reach into the next arity-1 segments.
// Such a graph peels almost surely while keys <= threshold * starts.
//
// Differs    The formula of [GL22] gives graphs that do not peel just below each step of the
//            segment count. The load threshold used here in addition avoids them.
// Source     [GL22] for the length and the factor at small n; [Wal21] for the threshold.
//            bench/derive/fuse reproduces both.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <umbel/sizing/peel.hpp>

namespace umbel::sizing {

struct fuse_shape {
  std::uint64_t length_bits = 1;  // a segment has 2^length_bits cells
  std::uint64_t segments = 1;     // where a key may start
  [[nodiscard]] std::uint64_t starts() const noexcept { return segments << length_bits; }
  [[nodiscard]] std::uint64_t cells(unsigned arity) const noexcept {
    return (segments + arity - 1) << length_bits;
  }
  void grow() noexcept { ++segments; }
  friend bool operator==(const fuse_shape&, const fuse_shape&) = default;

  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("length_bits", self.length_bits);
    field("segments", self.segments);
  }
};

namespace detail {

// Constants per arity: the formula of [GL22], and the load that peels at every n.
struct fuse_law {
  double base, shift;               // length_bits = floor(log_base n + shift)
  double least, offset, slope, at;  // cells per key = max(least, offset + slope * ln at / ln n)
  // keys per start cell in segments of 2^13, and the decrease per halving of the segment
  double load, less;
};
[[nodiscard]] constexpr fuse_law fuse_law_of(unsigned arity) noexcept {
  if (arity == 3) return {3.33, 2.25, 1.125, 0.875, 0.25, 1e6, 0.90, 0};
  return {2.91, -0.5, 1.075, 0.77, 0.305, 6e5, 0.955, 0.0125};
}

}  // namespace detail

// Shape of one system of n keys, three or four cells per key.
[[nodiscard]] inline fuse_shape plan_fuse(unsigned arity, std::uint64_t n) {
  if (n <= 1) return {.length_bits = 2, .segments = 1};
  const auto law = detail::fuse_law_of(arity);
  const auto keys = static_cast<double>(n);
  const double log_n = std::log(keys);
  const bool large = n >= 1'000'000;
  // With four cells per key in segments of four cells, two seeds in five fail at 41 keys; in
  // segments of eight, one in twenty.
  double length_bits =
      std::clamp(std::floor(log_n / std::log(law.base) + law.shift), n < 30 ? 2.0 : 3.0, 18.0);
  // At the sizes of a shard, use 2^13. With three cells it is as good as the formula's 2^14 (95% of
  // seeds or more at load 0.90); with four it supports a load that 2^12 does not. It loses little
  // at the ends and keeps a row in one word.
  if (large && n < peel_shard_from) length_bits = 13;
  const double length = std::exp2(length_bits);
  const double factor = std::max(law.least, law.offset + law.slope * std::log(law.at) / log_n);
  const double by_formula = std::ceil(std::round(keys * factor) / length) - (arity - 1);
  const double load = law.load - law.less * std::max(0.0, 13 - length_bits);
  const double by_load = n >= 1500 ? std::ceil(keys / (load * length)) : 1;
  // From 1e6 keys on, the formula only rounds the same bound up by a segment or two, so the load
  // alone decides.
  const double segments = large ? by_load : std::max(by_formula, by_load);
  return {.length_bits = static_cast<std::uint64_t>(length_bits),
          .segments = static_cast<std::uint64_t>(std::max(1.0, segments))};
}

// Bits for n keys with values of `width` bits: whole shards of packed cells, and one byte per
// shard.
[[nodiscard]] inline std::uint64_t fuse_bits(unsigned arity, std::uint64_t n, unsigned width,
                                             std::uint64_t shard_from = peel_shard_from) {
  if (n == 0) return 0;
  const unsigned shard_bits = peel_shard_bits(n, shard_from);
  const std::uint64_t cells = plan_fuse(arity, peel_fullest(n, shard_bits)).cells(arity);
  // 64 cells of any width are whole words
  const std::uint64_t words = ((cells + 63) / 64 << shard_bits) * width + 1;
  return words * 64 + (std::uint64_t{8} << shard_bits);
}

}  // namespace umbel::sizing
