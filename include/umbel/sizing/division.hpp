// sizing/division.hpp - RecSplit [EGV20]: splitting tree, success probabilities, codes and bits.
//
// A split that succeeds with probability p needs log2(1/p) bits, and 1.5 more because only the
// first successful seed is stored. So few and hard splits are best. But seeds cost time: a leaf of
// l keys needs e^l of them. Leaves of 10 and a fan-out of three leaves take 1.7 bits per key. All
// figures are from bench/derive/perfect.
//
// Source     [EGV20]. Here the fan-out is 3 just above leaves and 2 elsewhere, for every leaf size.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

#include <umbel/sizing/perfect.hpp>

namespace umbel::sizing {

inline constexpr std::uint32_t division_leaf = 10;     // keys of a leaf
inline constexpr std::uint32_t division_bucket = 320;  // mean keys of a bucket
// maximal keys of a bucket: more indicate an error
inline constexpr std::uint32_t division_most = 1000;
// seeds of a part; one part in ten thousand needs a second seed
inline constexpr unsigned division_attempts = 20;
inline constexpr unsigned division_max_remainder = 24;  // maximal remainder bits of a code

// Parts as in pilot_part_bits(), but no smaller than a bin of a spool if that has less than 2^31
// keys: then no bin is read twice.
[[nodiscard]] inline unsigned division_part_bits(std::uint64_t n, std::uint64_t part_from) {
  const unsigned bits = pilot_part_bits(n, part_from), bin_bits = std::min(bits, 8U);
  return n >> bin_bits < std::uint64_t{1} << 31 ? bin_bits : bits;
}
// Number of buckets in each of 2^part_bits parts.
[[nodiscard]] constexpr std::uint64_t division_buckets(std::uint64_t n,
                                                       unsigned part_bits) noexcept {
  return std::max<std::uint64_t>(1, ((n >> part_bits) + division_bucket / 2) / division_bucket);
}

using division_sizes = std::array<std::uint32_t, 3>;

// Children of a node of more than `leaf` keys. Up to three leaves: whole leaves and a rest. Above:
// two children, of which the first is a multiple of three leaves.
[[nodiscard]] constexpr division_sizes children_of(std::uint32_t keys,
                                                   std::uint32_t leaf = division_leaf) noexcept {
  const std::uint32_t three = 3 * leaf;
  if (keys <= 2 * leaf) return {leaf, 0, keys - leaf};
  if (keys <= three) return {leaf, leaf, keys - 2 * leaf};
  const std::uint32_t first = ((keys + 1) / 2 + three - 1) / three * three;
  return {first, 0, keys - first};
}

// Probability that the keys, each drawing a child with probability proportional to its size, give
// exactly these sizes: sqrt(n / 2 pi a b) for two large children, otherwise the exact product. Uses
// only operations that give the same result on every machine.
[[nodiscard]] inline double division_chance(const division_sizes& sizes) {
  const double a = sizes[0], b = sizes[2];
  if (sizes[1] == 0 && std::min(a, b) >= 30)
    return std::sqrt((a + b) / (2 * std::numbers::pi * a * b));
  double chance = 1, all = 0;
  for (const std::uint32_t size : sizes) all += size;
  // factors below 1 wait until the product exceeds 1, so it stays near 1
  double placed = 0, pending = 0;
  for (const std::uint32_t size : sizes) {
    pending = size;
    for (double i = 1; i <= size; ++i) {
      chance *= ++placed / i;
      for (; pending > 0 && chance > 1; --pending) chance *= size / all;
    }
    for (; pending > 0; --pending) chance *= size / all;
  }
  return chance;
}
// Probability that a random function on `keys` keys is a bijection.
[[nodiscard]] inline double leaf_chance(std::uint32_t keys) {
  double chance = 1;
  for (double i = 1; i <= keys; ++i) chance *= i / keys;
  return chance;
}
[[nodiscard]] inline double chance_of(std::uint32_t keys, std::uint32_t leaf = division_leaf) {
  return keys <= leaf ? leaf_chance(keys) : division_chance(children_of(keys, leaf));
}

// Remainder bits of the Golomb-Rice code of the number of failed seeds: the least k with
// (1-p)^(2^k) below the inverse of the golden ratio [Kie04].
[[nodiscard]] inline unsigned remainder_bits(double chance) {
  unsigned bits = 0;
  for (double misses = 1 - chance; misses > 0.6180339887498949 && bits < division_max_remainder;
       misses *= misses)
    ++bits;
  return bits;
}
// Mean bits of that code.
[[nodiscard]] inline double code_bits(double chance) {
  double misses = 1 - chance;
  const unsigned bits = remainder_bits(chance);
  for (unsigned i = 0; i < bits; ++i) misses *= misses;
  return bits + 1 / (1 - misses);
}

// Expected bits for all splits of a subtree, for every number of keys up to the largest.
[[nodiscard]] inline std::vector<double> division_bits(std::uint32_t largest,
                                                       std::uint32_t leaf = division_leaf) {
  std::vector<double> out(largest + 1);
  for (std::uint32_t keys = 2; keys <= largest; ++keys) {
    out[keys] = code_bits(chance_of(keys, leaf));
    if (keys <= leaf) continue;
    for (const std::uint32_t child : children_of(keys, leaf)) out[keys] += out[child];
  }
  return out;
}

}  // namespace umbel::sizing
