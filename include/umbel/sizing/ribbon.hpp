// sizing/ribbon.hpp - BuRR and plain ribbons [DHSW22], [DW21]: widths, buckets, bumping thresholds,
// overload and spare slots.
//
// A layer has fewer slots than keys. Buckets of 2^bucket_bits starts bump the keys beyond a
// threshold to the next layer, which is smaller accordingly. The keys left after four layers go to
// a plain ribbon, the base.
//
// Layout     The depth of a key is its position in its bucket, counted from the right. The deepest
//            starts are bumped first, because rows of the bucket to their left extend into their
//            slots. `bounds` split a bucket into classes of depth: class c is [bounds[c],
//            bounds[c + 1]), and threshold c bumps class c and all above. Plain ribbons, standard
//            and homogeneous, bump no keys and have more slots than keys.
// Rate       2^-columns; of a homogeneous ribbon at most 2^-columns + 2^-sum_bits. A non-member
//            whose row is a sum of members' rows passes a homogeneous ribbon whatever its columns
//            hold. A build counts such rows exactly and tries another seed while their share is
//            above 2^-sum_bits, so every filter keeps the rate.
// Limits     Thresholds are stored as integers, here and in files, and are never recomputed from a
//            formula.
// Source     [DHSW22] for the codes and constants; test/sizing/ribbon_test.cpp recomputes the
//            integers from their formulas. [DW21] for plain ribbons; bench/derive/ribbon measures
//            how often the sizes here succeed.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <umbel/base/integers.hpp>
#include <umbel/sizing/peel.hpp>

namespace umbel {

// fast: width 64, two bits per bucket. compact: width 128, two bits. smallest: width 128, one bit
// and exceptions. standard: one system with spare slots, rebuilt with new seeds until it is
// solvable, and no data besides the slots. homogeneous: the same for filters, where all members
// have value 0; rebuilt until it keeps its rate.
enum class ribbon_preset : std::uint64_t {
  fast,
  compact,
  smallest,
  standard_64,
  standard_128,
  homogeneous_64,
  homogeneous_128
};

inline constexpr std::array<std::string_view, 7> ribbon_preset_names{
    "fast",         "compact",        "smallest",       "standard_64",
    "standard_128", "homogeneous_64", "homogeneous_128"};
// Returns false and changes nothing if no preset has this name.
[[nodiscard]] constexpr bool preset_named(std::string_view name, ribbon_preset& out) noexcept {
  for (std::size_t i = 0; i < ribbon_preset_names.size(); ++i) {
    if (ribbon_preset_names[i] != name) continue;
    out = static_cast<ribbon_preset>(i);
    return true;
  }
  return false;
}

namespace sizing {

inline constexpr unsigned ribbon_layers = 4;  // at most; then the base
// fewer keys go directly to the base
inline constexpr std::uint64_t ribbon_base_from = 2000;
// for a base or a plain ribbon: four attempts at each size
inline constexpr unsigned ribbon_attempts = 64;
inline constexpr unsigned ribbon_max_shard_bits = 8;
// what a file stores of a ribbon besides its arrays
inline constexpr std::uint64_t ribbon_field_words = 5;
// plain ribbons with fewer slots get more keys at their ends
inline constexpr std::uint64_t ribbon_smash_below = 10'000;

enum class ribbon_form { bumped, standard, homogeneous };

struct ribbon_shape {
  unsigned width;        // coefficients of a row
  unsigned bucket_bits;  // a bucket has 2^bucket_bits starts
  unsigned classes;      // classes of depth in a bucket
  unsigned code_bits;    // stored per bucket: the threshold minus `code_base`
  // smaller thresholds are kept in a list of exceptions, with the exact depth
  unsigned code_base;
  double overload;  // a layer for n keys has (1 - overload) n slots
  std::array<std::uint16_t, 4> bounds;
  ribbon_form form = ribbon_form::bumped;
  // for plain ribbons: slots per key, less 1, at the size given at ribbon_spare()
  double spare = 0;
  double per_doubling = 0;  // increase for twice the keys
  // For homogeneous ribbons. sum_bits: by how many bits the share of sums is below the rate of the
  // columns. max_sum_bits: its limit, as bits below 1. d bits more than with 8 columns take d
  // per_bit + d^2 per_square slots per key.
  unsigned sum_bits = 0, max_sum_bits = 0;
  double per_bit = 0, per_square = 0;

  [[nodiscard]] constexpr std::uint64_t bucket() const noexcept {
    return std::uint64_t{1} << bucket_bits;
  }
  [[nodiscard]] constexpr std::uint64_t starts(std::uint64_t slots) const noexcept {
    return slots - width + 1;
  }
  [[nodiscard]] constexpr std::uint64_t buckets(std::uint64_t slots) const noexcept {
    return umbel::detail::ceil_div(starts(slots), bucket());
  }
  // The least depth that a bucket with this code bumps.
  [[nodiscard]] constexpr std::uint64_t limit(std::uint64_t code) const noexcept {
    return bounds[code + code_base];
  }

  // Mean number of additional keys at the first and at the last start. Without them the slots
  // beyond would get too few: in a layer those on the right, which is filled last; in a small plain
  // ribbon those on both sides.
  struct crowds {
    std::uint64_t first, last;
  };
  [[nodiscard]] constexpr crowds crowded(std::uint64_t slots) const noexcept {
    if (form == ribbon_form::bumped) return {0, width * 3 / 8};
    return slots < ribbon_smash_below ? crowds{width / 4, width / 4} : crowds{0, 0};
  }
};

// Sized such that about one attempt in twenty fails: a standard ribbon because a row is a sum of
// others with a different value, a homogeneous one because of too many sums. The figures of the
// latter are fitted to exact counts (bench/derive/ribbon). With width 128, sums are so rare that
// the rate is 2^-columns within the resolution of tag widths (1e-9 of a bit). With width 64 that
// would take 8 % more slots; there, sums may add a thousandth.
[[nodiscard]] constexpr ribbon_shape plain_ribbon(unsigned width, ribbon_form form) noexcept {
  const bool narrow = width == 64, standard = form == ribbon_form::standard;
  const std::uint16_t bucket = narrow ? 128 : 512;  // for sorting rows during the build
  ribbon_shape out{.width = width,
                   .bucket_bits = narrow ? 7U : 9U,
                   .classes = 1,
                   .code_bits = 0,
                   .code_base = 0,
                   .overload = 0,
                   .bounds = {0, bucket, bucket, bucket},
                   .form = form};
  out.spare = narrow ? (standard ? 0.0940 : 0.111) : (standard ? 0.0361 : 0.053);
  out.per_doubling = narrow ? (standard ? 0.0083 : 0.0055) : (standard ? 0.0038 : 0.0035);
  if (standard) return out;
  out.sum_bits = narrow ? 10 : 31;
  out.max_sum_bits = narrow ? 46 : 95;
  out.per_bit = narrow ? 0.0022 : 0.0005;
  out.per_square = narrow ? 0.00014 : 0.00002;
  return out;
}

// Two bits: overload 4/w, bounds floor((0.78 - 1.30 o) b) + 1 and floor((0.91 - 0.75 o) b) + 1. One
// bit: overload (2/3) w / (4 b + w), bound floor((1 - 2 o) b - sqrt(b / (1 - o)) / 2).
inline constexpr std::array<ribbon_shape, 7> ribbon_shapes{{
    {.width = 64,
     .bucket_bits = 7,
     .classes = 3,
     .code_bits = 2,
     .code_base = 0,
     .overload = 4.0 / 64,
     .bounds = {0, 90, 111, 128}},
    {.width = 128,
     .bucket_bits = 9,
     .classes = 3,
     .code_bits = 2,
     .code_base = 0,
     .overload = 4.0 / 128,
     .bounds = {0, 379, 454, 512}},
    {.width = 128,
     .bucket_bits = 9,
     .classes = 2,
     .code_bits = 1,
     .code_base = 1,
     .overload = 2.0 / 3 * 128 / (4 * 512 + 128),
     .bounds = {0, 460, 512, 512}},
    plain_ribbon(64, ribbon_form::standard),
    plain_ribbon(128, ribbon_form::standard),
    plain_ribbon(64, ribbon_form::homogeneous),
    plain_ribbon(128, ribbon_form::homogeneous),
}};
[[nodiscard]] constexpr const ribbon_shape& shape_of(ribbon_preset preset) noexcept {
  return ribbon_shapes[static_cast<std::uint64_t>(preset)];
}

// A shard is an aligned range of digests, as for fuse graphs, with half as many keys; at most as
// many shards as a spool has bins. The data of two threads then fits into a shared cache: at 1e7
// keys the build takes an eighth less time, for 0.002 % more bits. Layers after the first have few
// keys and get smaller shards, so that several threads have work. The slots lost at the ends of
// shards are a few in 1e5.
[[nodiscard]] inline unsigned ribbon_shard_bits(std::uint64_t n, std::size_t layer = 0,
                                                std::uint64_t shard_from = peel_shard_from) {
  const std::uint64_t from = std::max<std::uint64_t>(1, shard_from / (layer == 0 ? 2 : 16));
  unsigned bits = std::min(ribbon_max_shard_bits, peel_shard_bits(n, from));
  // the ends of a shard lose some slots
  while (bits > 0 && n >> bits < ribbon_base_from / 2) --bits;
  return bits;
}

// Slots of one shard of a layer for n keys. Tests use `scale` to check that layers which are far
// too small do no harm.
[[nodiscard]] inline std::uint64_t ribbon_slots(const ribbon_shape& shape, std::uint64_t n,
                                                unsigned shard_bits, double scale = 1) {
  const double wanted =
      (1 - shape.overload) * scale * static_cast<double>(n) / std::exp2(shard_bits);
  return std::max<std::uint64_t>(
      2 * shape.width, umbel::detail::ceil_div(static_cast<std::uint64_t>(wanted), 64) * 64);
}

// Slots added after failed attempts: one block or a thirty-second of the keys for every four
// attempts.
[[nodiscard]] inline std::uint64_t ribbon_added_slots(std::uint64_t n, unsigned attempt) {
  return attempt / 4 * umbel::detail::ceil_div(n, 32 * 64) * 64;
}
// Slots of a base of n keys; at first one per key, in whole blocks.
[[nodiscard]] inline std::uint64_t ribbon_base_slots(const ribbon_shape& shape, std::uint64_t n,
                                                     unsigned attempt) {
  return std::max<std::uint64_t>(shape.width, umbel::detail::ceil_div(n, 64) * 64) +
         ribbon_added_slots(n, attempt);
}

// In a homogeneous ribbon, the share of rows that are sums of members' rows is at most 2 to minus
// this.
[[nodiscard]] constexpr unsigned ribbon_sum_bits(const ribbon_shape& shape,
                                                 unsigned columns) noexcept {
  return std::min(columns + shape.sum_bits, shape.max_sum_bits);
}
// Upper bound on the false positive rate of a filter with this many columns.
[[nodiscard]] inline double ribbon_fpr(const ribbon_shape& shape, unsigned columns) {
  const double by_chance = std::exp2(-static_cast<double>(columns));
  if (shape.form != ribbon_form::homogeneous) return by_chance;
  return by_chance + std::exp2(-static_cast<double>(ribbon_sum_bits(shape, columns)));
}

// Slots per key, less 1, of a plain ribbon of n keys. Twice the keys have twice as many ranges that
// may be overfull, and more slots halve their number. `spare` is for 2^17 keys in a standard
// ribbon, for 10^5 in a homogeneous one.
[[nodiscard]] inline double ribbon_spare(const ribbon_shape& shape, std::uint64_t n,
                                         unsigned columns) {
  const double doublings = std::log2(static_cast<double>(std::max<std::uint64_t>(1, n)));
  if (shape.form == ribbon_form::standard)
    return std::max(0.0, shape.spare + shape.per_doubling * (doublings - 17));
  const unsigned usual = ribbon_sum_bits(shape, 8), bits = ribbon_sum_bits(shape, columns);
  const double more = bits > usual ? bits - usual : 0;
  return std::max(0.0, shape.spare + shape.per_doubling * (doublings - std::log2(1e5)) +
                           more * (shape.per_bit + more * shape.per_square));
}
// Slots of every shard of a plain ribbon of n keys whose fullest shard has `fullest`. Shards share
// a seed, so for ribbon_spare() they are one system. The span of n rows is at least a share
// 2^(n - slots) of all rows.
[[nodiscard]] inline std::uint64_t ribbon_plain_slots(const ribbon_shape& shape, std::uint64_t n,
                                                      std::uint64_t fullest, unsigned columns,
                                                      unsigned attempt = 0, double scale = 1) {
  const auto keys = static_cast<double>(fullest);
  double wanted = (1 + ribbon_spare(shape, n, columns)) * keys;
  if (shape.form == ribbon_form::homogeneous)
    wanted = std::max(wanted, keys + ribbon_sum_bits(shape, columns) + 2);
  const auto blocks =
      umbel::detail::ceil_div(static_cast<std::uint64_t>(std::ceil(scale * wanted)), 64);
  return std::max<std::uint64_t>(shape.width, blocks * 64) + ribbon_added_slots(fullest, attempt);
}

// Expected slots and buckets of n keys, over all layers and the base.
struct ribbon_plan {
  std::uint64_t slots = 0;
  std::uint64_t buckets = 0;
  unsigned layers = 0;
};
[[nodiscard]] inline ribbon_plan plan_ribbon(const ribbon_shape& shape, std::uint64_t n,
                                             unsigned columns,
                                             std::uint64_t shard_from = peel_shard_from) {
  ribbon_plan out;
  if (shape.form != ribbon_form::bumped) {
    const unsigned shard_bits = ribbon_shard_bits(n, 0, shard_from);
    const std::uint64_t slots = ribbon_plain_slots(shape, n, peel_fullest(n, shard_bits), columns);
    return {.slots = slots << shard_bits, .buckets = 0, .layers = 1};
  }
  while (out.layers < ribbon_layers && n >= ribbon_base_from) {
    const unsigned shard_bits = ribbon_shard_bits(n, out.layers, shard_from);
    const std::uint64_t slots = ribbon_slots(shape, n, shard_bits);
    out.slots += slots << shard_bits;
    out.buckets += shape.buckets(slots) << shard_bits;
    ++out.layers;
    // Nearly every slot gets a key. The end of a shard loses about three quarters of a width.
    const std::uint64_t taken = (slots - slots / 2048 - shape.width * 3 / 4) << shard_bits;
    n -= std::min(n, taken);
  }
  if (n != 0) out.slots += ribbon_base_slots(shape, n, 0);
  return out;
}
// Bits for n keys with values of `width` bits: slots, thresholds and stored fields.
[[nodiscard]] inline std::uint64_t ribbon_bits(const ribbon_shape& shape, std::uint64_t n,
                                               unsigned width,
                                               std::uint64_t shard_from = peel_shard_from) {
  if (n == 0) return 0;
  const auto sizes = plan_ribbon(shape, n, width, shard_from);
  // exceptions: three buckets in four hundred
  const std::uint64_t listed = shape.code_base == 0 ? 0 : sizes.buckets / 128;
  const std::uint64_t codes =
      sizes.buckets == 0 ? 0 : umbel::detail::ceil_div(sizes.buckets * shape.code_bits, 64) + 1;
  return 64 * (sizes.slots / 64 * width + codes + sizes.layers + listed / 2 + ribbon_field_words);
}

}  // namespace sizing
}  // namespace umbel
