// sizing/fuse.hpp - shapes of binary fuse graphs: segments, cells, shards.
// Idea       Keys fall on `starts` = segments * length start cells and reach into the next arity-1 segments; such a
//            graph peels almost surely while keys <= threshold * starts.
// Limits     The published formula has holes just below each step of the segment count; the threshold mends them.
// Source     [GL22] for the length and the factor at small n; [Wal21] for the threshold; bench/derive/fuse redoes both.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace umbel::sizing {

inline constexpr unsigned fuse_attempts = 100;               // seeds in all before `unsolvable`
inline constexpr unsigned fuse_attempts_per_shape = 3;       // then one segment more
inline constexpr std::uint64_t fuse_shard_from = 4'000'000;  // fewer keys than this make one system

struct fuse_shape {
  std::uint32_t length_bits = 2;  // a segment has 2^length_bits cells
  std::uint32_t segments = 1;     // that a key may start in
  [[nodiscard]] std::uint64_t starts() const noexcept { return std::uint64_t{segments} << length_bits; }
  [[nodiscard]] std::uint64_t cells(unsigned arity) const noexcept {
    return (std::uint64_t{segments} + arity - 1) << length_bits;
  }
};

// Shape for one system of n keys, three cells per key.
[[nodiscard]] inline fuse_shape plan_fuse3(std::uint64_t n) {
  if (n <= 1) return {.length_bits = 2, .segments = 1};
  const auto keys = static_cast<double>(n);
  const double log_n = std::log(keys);
  fuse_shape shape;
  // Up to the size of a shard 2^13 is as good as the formula's 2^14 (measured at 1.3e6 to 3e6 keys: 95% of seeds or more
  // at load 0.90), loses less at the ends, and keeps a row's place, value and count in one word.
  const double longest = n < fuse_shard_from ? 13 : 18;
  shape.length_bits = static_cast<std::uint32_t>(std::clamp(std::floor(log_n / std::log(3.33) + 2.25), 2.0, longest));
  const double factor = std::max(1.125, 0.875 + 0.25 * std::log(1e6) / log_n);
  const double length = std::exp2(shape.length_bits);
  const double by_formula = std::ceil(std::round(keys * factor) / length) - 2;
  const double by_threshold = n >= 1500 ? std::ceil(keys / (0.90 * length)) : 1;
  // From 1e6 keys on the formula only rounds the same bound up by a segment or two: the threshold alone is enough.
  const double segments = n >= 1'000'000 ? by_threshold : std::max(by_formula, by_threshold);
  shape.segments = static_cast<std::uint32_t>(std::max(1.0, segments));
  return shape;
}

// Shards are aligned ranges of digests: 2^bits of them, from n alone, with about 1 to 2 million keys each.
[[nodiscard]] inline unsigned fuse_shard_bits(std::uint64_t n, std::uint64_t shard_from = fuse_shard_from) {
  unsigned bits = 0;
  const std::uint64_t least = std::max<std::uint64_t>(1, shard_from / 4);  // keys of a shard, on average
  if (n >= shard_from)
    while ((n >> (bits + 1)) >= least) ++bits;
  return bits;
}

}  // namespace umbel::sizing
