// sizing/peel.hpp - peeling thresholds of random hypergraphs [Wal21]; attempts and shards of all
// peeled systems.
//
// Source     [Wal21] for the thresholds; shards of equal capacity from [Vig25].
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace umbel::sizing {

inline constexpr unsigned peel_attempts = 100;  // seeds tried in all before `unsolvable`
// after these a larger shape; peel_attempts_at(arity) in general
inline constexpr unsigned peel_attempts_per_shape = 3;
inline constexpr std::uint64_t peel_shard_from = 4'000'000;  // fewer keys form one system
inline constexpr unsigned peel_least_arity = 2;              // cells per key
inline constexpr unsigned peel_max_arity = 8;

// Attempts per shape. With two cells per key there is no sharp threshold: some seeds peel at every
// size, and a larger shape helps little.
[[nodiscard]] constexpr unsigned peel_attempts_at(unsigned arity) noexcept {
  return arity == 2 ? peel_attempts : peel_attempts_per_shape;
}

// A shard is an aligned range of digests. There are 2^bits shards, a function of n alone, with
// about 1 to 2 million keys each.
[[nodiscard]] inline unsigned peel_shard_bits(std::uint64_t n,
                                              std::uint64_t shard_from = peel_shard_from) {
  unsigned bits = 0;
  // mean keys per shard
  const std::uint64_t least = std::max<std::uint64_t>(1, shard_from / 4);
  if (n >= shard_from)
    while ((n >> (bits + 1)) >= least) ++bits;
  return bits;
}

// Keys of the fullest of 2^bits shards: about sqrt(2 ln S) standard deviations above the mean. All
// shards get this capacity.
[[nodiscard]] inline std::uint64_t peel_fullest(std::uint64_t n, unsigned bits) {
  const double mean = static_cast<double>(n) / std::exp2(bits);
  return static_cast<std::uint64_t>(
      bits == 0 ? mean : mean + std::sqrt(2 * bits * std::numbers::ln2 * mean));
}

// Keys per cell below which a graph of k random cells per key peels almost surely, in the limit of
// many keys: min over x > 0 of x / (k (1 - e^-x)^(k-1)). For k from 2 to 8; bench/derive/fuse
// prints the values.
[[nodiscard]] constexpr double peel_threshold(unsigned k) noexcept {
  constexpr std::array<double, 9> of{0,        0,        0.5,      0.818469, 0.772280,
                                     0.701780, 0.637081, 0.581775, 0.534997};
  return of[k];
}

// Keys per start cell below which a fuse graph of k cells per key peels almost surely, in the limit
// of long and many segments. It equals the load at which the equations stop being solvable. k = 3
// or 4.
[[nodiscard]] constexpr double fuse_threshold(unsigned k) noexcept {
  return k == 3 ? 0.917935 : 0.976770;
}

}  // namespace umbel::sizing
