// sizing/perfect.hpp - sizes of perfect hashes: PtrHash and PHOBIC [GK25], [HLPSW24], BBHash
// [LRCP17], Blooming trees [AFGP08], BDZ [BPZ07].
//
// Source     [GK25] for byte pilots, [HLPSW24] for skewed buckets; the loads are from
//            bench/derive/perfect.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <string_view>

#include <umbel/base/integers.hpp>

namespace umbel {

// fast, balanced, compact: PtrHash with byte pilots, from the fastest build to the fewest bits.
// levels: BBHash, whose build needs the least memory. smallest: RecSplit, the fewest bits of all.
// coded: pilots of any size, Golomb-Rice coded. peeled: BDZ. tree: a Blooming tree, which rejects
// half of the non-members. solved: BDZ with elimination, on fewer cells than peeling needs.
enum class perfect_preset : std::uint64_t {
  fast,
  balanced,
  compact,
  levels,
  smallest,
  coded,
  peeled,
  tree,
  solved
};

inline constexpr std::array<std::string_view, 9> perfect_preset_names{
    "fast", "balanced", "compact", "levels", "smallest", "coded", "peeled", "tree", "solved"};
// Returns false and changes nothing if no preset has this name.
[[nodiscard]] constexpr bool preset_named(std::string_view name, perfect_preset& out) noexcept {
  for (std::size_t i = 0; i < perfect_preset_names.size(); ++i) {
    if (perfect_preset_names[i] != name) continue;
    out = static_cast<perfect_preset>(i);
    return true;
  }
  return false;
}

namespace sizing {

// log2(e): lower bound on the bits per key of any minimal perfect hash.
inline constexpr double perfect_bound = std::numbers::log2e;

// seeds of a part at one shape; few parts need a second seed
inline constexpr unsigned pilot_attempts = 20;
// each with more buckets and slots than the one before
inline constexpr unsigned pilot_shapes = 4;
inline constexpr std::uint64_t pilot_part_from = 1 << 18;  // fewer keys form one part
// with fewer keys, keys of a large bucket collide too often
inline constexpr std::uint64_t pilot_skew_from = 1000;
inline constexpr double pilot_load = 0.994;  // keys per slot of the fullest part

struct pilot_shape {
  double lambda;  // mean keys per bucket
  bool skewed;    // some buckets are larger than others by design
};
// For the presets with pilots.
[[nodiscard]] constexpr pilot_shape shape_of(perfect_preset preset,
                                             std::uint64_t keys_of_a_part) noexcept {
  const pilot_shape even{3.0, false};
  if (keys_of_a_part < pilot_skew_from) return even;
  switch (preset) {
    case perfect_preset::balanced: return {3.5, true};
    case perfect_preset::compact: return {4.05, true};
    case perfect_preset::coded: return {6.0, true};
    default: return even;
  }
}
// Bits of the pilots of n keys: a byte per bucket, or the measured size of the codes.
inline constexpr double coded_pilot_bits = 1.81;  // per key; 2.3 with even buckets
[[nodiscard]] inline std::uint64_t pilot_bits(perfect_preset preset, std::uint64_t n,
                                              std::uint64_t buckets) {
  if (preset != perfect_preset::coded) return buckets * 8;
  return static_cast<std::uint64_t>(static_cast<double>(n) * coded_pilot_bits) + 64 * 8 + 128;
}

// A part is an aligned range of digests. There are 2^bits parts, a function of n alone. With 130 to
// 260 thousand keys, the bitmap of taken slots stays in the L1 cache during the search, and the
// fullest part is about one percent above the mean.
[[nodiscard]] inline unsigned pilot_part_bits(std::uint64_t n,
                                              std::uint64_t part_from = pilot_part_from) {
  unsigned bits = 0;
  const std::uint64_t least = std::max<std::uint64_t>(1, part_from / 2);
  while ((n >> (bits + 1)) >= least) ++bits;
  return bits;
}
// Keys of the fullest of 2^bits parts: about sqrt(2 ln P) standard deviations above the mean.
[[nodiscard]] inline std::uint64_t pilot_fullest(std::uint64_t n, unsigned bits) {
  const double mean = static_cast<double>(n) / std::exp2(bits);
  return static_cast<std::uint64_t>(
      std::ceil(mean + std::sqrt(2 * bits * std::numbers::ln2 * mean)));
}
// Slots of every part, at least one more than its keys. Each later shape has 1 % more.
[[nodiscard]] inline std::uint64_t pilot_slots(std::uint64_t fullest, unsigned shape = 0) {
  const double wanted = static_cast<double>(fullest) / pilot_load * (1 + 0.01 * shape);
  return std::max(fullest + 1, static_cast<std::uint64_t>(wanted));
}
[[nodiscard]] inline std::uint64_t pilot_buckets(std::uint64_t n, unsigned bits, double lambda,
                                                 unsigned shape = 0) {
  return static_cast<std::uint64_t>(static_cast<double>(n) / std::exp2(bits) / lambda *
                                    (1 + 0.05 * shape)) +
         1;
}

// BBHash level sizes in bits, whole words: a share e^(-1/2) of the keys is alone in its bit, and
// all levels together take 2 e^(1/2) = 3.30 bits per key [LRCP17].
// The last key is alone after log(n) / log(1 / 0.39) levels, unless keys repeat.
inline constexpr unsigned max_levels = 64;
[[nodiscard]] constexpr std::uint64_t level_bits(std::uint64_t keys) noexcept {
  return umbel::detail::ceil_div(2 * keys, 64) * 64;
}
[[nodiscard]] inline std::uint64_t level_bits_in_all(std::uint64_t keys) {
  std::uint64_t out = 0;
  for (double left = static_cast<double>(keys); left >= 1; left *= 1 - std::exp(-0.5))
    out += level_bits(static_cast<std::uint64_t>(left));
  return out;
}

// Blooming trees: bits of the first row, and nodes per key in all. With a keys per bit of m, a node
// of level i exists if a key falls on it and its parent has two keys: m 2^i (1 - e^-b - b e^-2b)
// nodes, b = a / 2^i.
inline constexpr double tree_load = 0.8;
inline constexpr unsigned max_tree_levels = 256;  // log2(n) and a few, unless keys repeat
[[nodiscard]] constexpr std::uint64_t tree_cells(
    std::uint64_t n) noexcept {  // equally many in each of 256 ranges of digests
  return umbel::detail::ceil_div(n + umbel::detail::ceil_div(n, 4), 256) * 256;
}
[[nodiscard]] inline double tree_nodes_per_key(double load = tree_load) {
  double nodes = (1 - std::exp(-load)) / load;
  for (double scale = 2; scale < 0x1p40; scale *= 2) {
    const double keys = load / scale;
    nodes += (-std::expm1(-keys) - keys * std::exp(-2 * keys)) / keys;
  }
  return nodes;
}
// One bit per cell, one per node, two per inner node.
[[nodiscard]] inline double tree_bits_per_key(double load = tree_load) {
  const double nodes = tree_nodes_per_key(load);
  return 1 / load + nodes + 2 * (nodes - 1);
}

// Buckets whose cells are solved by elimination: three blocks of 11/30 cells per key, 1.10 in all,
// and one more cell per block, so that none is empty. Returns the cells of a block before a bucket,
// given the keys and buckets before it.
inline constexpr unsigned solved_redraws = 8;  // of all digests, if a bucket gets too many keys
[[nodiscard]] constexpr std::uint64_t solved_blocks(std::uint64_t keys,
                                                    std::uint64_t buckets) noexcept {
  return umbel::detail::ceil_div(11 * keys, 30) + buckets;
}

// Number of low bits that minimizes the Elias-Fano code [Eli74] of `count` rising numbers below
// `range`.
[[nodiscard]] constexpr unsigned monotone_low_bits(std::uint64_t count,
                                                   std::uint64_t range) noexcept {
  return count == 0 || range <= count ? 0
                                      : static_cast<unsigned>(std::bit_width(range / count)) - 1;
}
// One bit per number, one per step of the high bits, and one word per 128 numbers for select.
[[nodiscard]] constexpr std::uint64_t monotone_bits(std::uint64_t count,
                                                    std::uint64_t range) noexcept {
  const unsigned low = monotone_low_bits(count, range);
  return count * low + count + (range >> low) + umbel::detail::ceil_div(count, 128) * 64 + 128;
}

}  // namespace sizing
}  // namespace umbel
