// sizing/division.hpp - how keys are divided until each is alone: children of every size, chances,
// codes, bits.
// Idea       A division that comes out as wanted with chance p takes log2(1/p) bits to name, and
//            1.5 more because only the first such trial is looked for. So there shall be few
//            divisions, each hard; but a trial costs time, e^l of them a leaf of l keys. Leaves of
//            10 and three leaves at once take 1.7 bits per key; all figures are
//            bench/derive/perfect's.
// Source     [EGV20]; the fan is 3 above leaves and 2 elsewhere, whatever the leaf.
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

inline constexpr std::uint32_t division_leaf = 10;     // keys that are told apart at once
inline constexpr std::uint32_t division_bucket = 320;  // keys of a bucket, on average
inline constexpr std::uint32_t division_most = 1000;   // keys of a bucket: more are not chance
// seeds of a part; one in ten thousand needs a second
inline constexpr unsigned division_attempts = 20;
inline constexpr unsigned division_max_remainder = 24;  // bits of a code's second half

// Parts as of pilots, but no smaller than a bin of a spool while that is less than 2^31 keys: no
// bin is read twice.
[[nodiscard]] inline unsigned division_part_bits(std::uint64_t n, std::uint64_t part_from) {
  const unsigned bits = pilot_part_bits(n, part_from), bin_bits = std::min(bits, 8U);
  return n >> bin_bits < std::uint64_t{1} << 31 ? bin_bits : bits;
}
// Of each of 2^part_bits parts.
[[nodiscard]] constexpr std::uint64_t division_buckets(std::uint64_t n,
                                                       unsigned part_bits) noexcept {
  return std::max<std::uint64_t>(1, ((n >> part_bits) + division_bucket / 2) / division_bucket);
}

using division_sizes = std::array<std::uint32_t, 3>;

// Of `keys` more than a leaf: leaves and a rest up to three of them; else two, the first made of
// whole threes.
[[nodiscard]] constexpr division_sizes children_of(std::uint32_t keys,
                                                   std::uint32_t leaf = division_leaf) noexcept {
  const std::uint32_t three = 3 * leaf;
  if (keys <= 2 * leaf) return {leaf, 0, keys - leaf};
  if (keys <= three) return {leaf, leaf, keys - 2 * leaf};
  const std::uint32_t first = ((keys + 1) / 2 + three - 1) / three * three;
  return {first, 0, keys - first};
}

// The chance that so many keys, each drawing a child by its size, come out as these sizes: sqrt(n /
// 2 pi a b) of two that are not small, else the product itself. Nothing in it on which machines
// differ.
[[nodiscard]] inline double division_chance(const division_sizes& sizes) {
  const double a = sizes[0], b = sizes[2];
  if (sizes[1] == 0 && std::min(a, b) >= 30)
    return std::sqrt((a + b) / (2 * std::numbers::pi * a * b));
  double chance = 1, all = 0;
  for (const std::uint32_t size : sizes) all += size;
  // factors below 1 wait until the product is above it: it stays near
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
// And that `keys` keys all take different places of as many.
[[nodiscard]] inline double leaf_chance(std::uint32_t keys) {
  double chance = 1;
  for (double i = 1; i <= keys; ++i) chance *= i / keys;
  return chance;
}
[[nodiscard]] inline double chance_of(std::uint32_t keys, std::uint32_t leaf = division_leaf) {
  return keys <= leaf ? leaf_chance(keys) : division_chance(children_of(keys, leaf));
}

// Remainder bits of the code of Golomb and Rice for the number of trials that failed: the least k
// with (1-p)^(2^k) below the golden ratio's inverse [Kie04].
[[nodiscard]] inline unsigned remainder_bits(double chance) {
  unsigned bits = 0;
  for (double misses = 1 - chance; misses > 0.6180339887498949 && bits < division_max_remainder;
       misses *= misses)
    ++bits;
  return bits;
}
// Bits of that code, on average.
[[nodiscard]] inline double code_bits(double chance) {
  double misses = 1 - chance;
  const unsigned bits = remainder_bits(chance);
  for (unsigned i = 0; i < bits; ++i) misses *= misses;
  return bits + 1 / (1 - misses);
}

// What so many keys take, all their divisions together; for every number up to the largest.
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
