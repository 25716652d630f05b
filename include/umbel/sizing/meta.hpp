// sizing/meta.hpp - size of a directory of D databases [CKRT04]: a map from each key to the set of
// databases that hold it, in four forms.
//
// Symbols    n keys; D databases; eps the share of non-members that get any answer, the same for
//            every form. A form with V answers and words of q bits has rate V / 2^q, so
//            q = log2(V / eps), rounded up.
// Forms      bank: D Bloom filters of one shape, each with rate 1 - (1 - eps)^(1/D), as large as
//            the fullest database needs.
//            owner: V = D; for keys that are in exactly one database.
//            dictionary: V = the number of distinct owner sets, kept in a table. If it pays, the
//            rarest sets share one answer that refers to a separate bitmap per key.
//            bitmap: the set itself is the answer, V = 2^D.
// Source     [CKRT04] sec. 1 for the use, sec. 3 for the rate.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <umbel/sizing/bloom.hpp>
#include <umbel/sizing/fuse.hpp>

namespace umbel::sizing {

enum class meta_form : std::uint64_t { bank, owner, dictionary, bitmap };
inline constexpr std::array<std::string_view, 4> meta_form_names{"bank", "owner", "dictionary",
                                                                 "bitmap"};
[[nodiscard]] constexpr std::string_view name_of(meta_form f) noexcept {
  return meta_form_names[static_cast<std::size_t>(f)];
}

inline constexpr unsigned meta_max_databases = 4096;
// databases of a set that fits one word
inline constexpr unsigned meta_max_bitmap = 64;
inline constexpr std::uint64_t meta_max_sets = std::uint64_t{1} << 16;  // rows of a dictionary
// cells per key: chosen for space
inline constexpr unsigned meta_arity = 4;

// What the choice of a form depends on.
struct meta_counts {
  std::uint64_t keys = 0;     // n, distinct
  unsigned databases = 1;     // D
  std::uint64_t fullest = 0;  // keys of the largest database
  bool single = true;         // no key is in two databases
  // keys of each distinct owner set, falling; empty if not counted
  std::span<const std::uint64_t> frequencies{};
};
struct meta_price {
  meta_form form;
  std::uint64_t bits;
  unsigned width = 0;      // of a word, except in a bank
  std::uint64_t sets = 0;  // rows of the dictionary; if fewer than all, the others escape
};

// The least q with V / 2^q <= eps, given log2 V; nothing if q exceeds 64.
[[nodiscard]] inline std::optional<unsigned> meta_width(double log2_values, double eps) {
  const double bits = std::ceil(log2_values - std::log2(eps) - 1e-9);
  if (bits > 64) return std::nullopt;
  return static_cast<unsigned>(std::max(1.0, bits));
}
// The rate of each of D filters such that a non-member passes at least one of them with probability
// eps.
[[nodiscard]] inline double meta_bank_rate(unsigned databases, double eps) {
  return -std::expm1(std::log1p(-eps) / databases);
}
// Expected number of databases reported for a non-member by D filters at that rate.
[[nodiscard]] inline double meta_bank_extra(unsigned databases, double rate) {
  return databases * rate;
}

[[nodiscard]] inline std::uint64_t meta_rows_bits(std::uint64_t rows, unsigned databases) {
  return rows == 0 ? 0 : ((rows * databases + 63) / 64 + 1) * 64;
}

// The size of one form, or nothing if it cannot hold these keys.
[[nodiscard]] inline std::optional<meta_price> price_meta_bank(const meta_counts& c, double eps) {
  const auto one = plan_bloom_for_rate(c.fullest, meta_bank_rate(c.databases, eps));
  if (one.bits > max_bits / c.databases) return std::nullopt;
  return meta_price{.form = meta_form::bank, .bits = meta_rows_bits(one.bits, c.databases)};
}
[[nodiscard]] inline std::optional<meta_price> price_meta_owner(const meta_counts& c, double eps) {
  const auto width = meta_width(std::log2(c.databases), eps);
  if (!c.single || !width) return std::nullopt;
  return meta_price{
      .form = meta_form::owner, .bits = fuse_bits(meta_arity, c.keys, *width), .width = *width};
}
[[nodiscard]] inline std::optional<meta_price> price_meta_bitmap(const meta_counts& c, double eps) {
  if (c.databases > meta_max_bitmap) return std::nullopt;
  const auto width = meta_width(c.databases, eps);
  if (!width) return std::nullopt;
  return meta_price{
      .form = meta_form::bitmap, .bits = fuse_bits(meta_arity, c.keys, *width), .width = *width};
}
// A row costs no more than the bitmaps of its keys. A large dictionary costs the width of all its
// numbers. So it is only truncated where a number would get wider.
[[nodiscard]] inline std::optional<meta_price> price_meta_dictionary(const meta_counts& c,
                                                                     double eps) {
  const std::uint64_t all = c.frequencies.size();
  if (all == 0 && c.keys != 0) return std::nullopt;
  std::optional<meta_price> best;
  const auto offer = [&](std::uint64_t sets, std::uint64_t escaped) {
    const std::uint64_t values = sets + (escaped != 0);
    const auto width = meta_width(std::log2(std::max<double>(1, static_cast<double>(values))), eps);
    if (!width) return;
    const std::uint64_t bits = fuse_bits(meta_arity, c.keys, *width) +
                               meta_rows_bits(sets, c.databases) +
                               fuse_bits(meta_arity, escaped, c.databases);
    if (!best || bits < best->bits)
      best = {.form = meta_form::dictionary, .bits = bits, .width = *width, .sets = sets};
  };
  if (all <= meta_max_sets) offer(all, 0);
  if (c.databases > meta_max_bitmap) return best;
  std::uint64_t covered = 0, at = 0;
  for (std::uint64_t sets = 1; sets < std::min(all, meta_max_sets); sets = 2 * sets + 1) {
    for (; at < sets; ++at) covered += c.frequencies[at];
    offer(sets, c.keys - covered);
  }
  return best;
}

[[nodiscard]] inline std::optional<meta_price> price_meta(const meta_counts& c, double eps,
                                                          meta_form form) {
  switch (form) {
    case meta_form::bank: return price_meta_bank(c, eps);
    case meta_form::owner: return price_meta_owner(c, eps);
    case meta_form::dictionary: return price_meta_dictionary(c, eps);
    case meta_form::bitmap: return price_meta_bitmap(c, eps);
  }
  return std::nullopt;
}
// The smallest of the four forms; among equals the first in this order.
[[nodiscard]] inline std::optional<meta_price> choose_meta(const meta_counts& c, double eps) {
  std::optional<meta_price> best;
  for (const meta_form form :
       {meta_form::owner, meta_form::bitmap, meta_form::dictionary, meta_form::bank})
    if (const auto price = price_meta(c, eps, form); price && (!best || price->bits < best->bits))
      best = price;
  return best;
}

}  // namespace umbel::sizing
