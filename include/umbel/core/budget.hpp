// budget.hpp - the three numbers from which every structure is sized (keys, false positive rate,
// bits), and their only validation.
//
// Idea       Exactly two of the three are given. Constructors, plans, the command line tool and
//            loaders all validate here.
#pragma once

#include <cstdint>
#include <optional>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/sizing/bloom.hpp>

namespace umbel::core {

struct budget {
  std::optional<std::uint64_t> keys;
  std::optional<double> fpr;
  std::optional<std::uint64_t> bits;
};

inline constexpr double smallest_fpr = 0x1p-64;
inline constexpr std::uint64_t max_keys = std::uint64_t{1} << 50;

inline void check_fpr(double fpr) {
  if (!(fpr > 0 && fpr < 1))  // written so that NaN fails too
    throw bad_parameter(detail::text(
        "fpr: expected a rate between 0 and 1 (both excluded), such as 0.01, found ", fpr));
  if (fpr < smallest_fpr)
    throw bad_parameter(
        detail::text("fpr: rates below 2^-64 ask for an exact structure, found ", fpr));
}
inline void check_keys(std::uint64_t keys) {
  if (keys > max_keys)
    throw bad_parameter(detail::text("keys: expected at most 2^50, found ", keys));
}
inline void check_bits(std::uint64_t bits) {
  if (bits == 0 || bits > sizing::max_bits)
    throw bad_parameter(detail::text("bits: expected 1 to 2^56, found ", bits));
}

// Throws unless exactly two are given and each is possible.
inline void check(const budget& b) {
  const int given = b.keys.has_value() + b.fpr.has_value() + b.bits.has_value();
  if (given != 2)
    throw bad_parameter(
        detail::text("give exactly two of keys, fpr and bits (the third follows), found ", given));
  if (b.keys) check_keys(*b.keys);
  if (b.fpr) check_fpr(*b.fpr);
  if (b.bits) check_bits(*b.bits);
}

// The same for a build that counts its keys itself: the rate, or the bits, or neither for the
// default.
inline void check_static(const budget& b) {
  if (b.fpr && b.bits)
    throw bad_parameter("give fpr or bits, not both: one follows from the other");
  if (b.keys) check_keys(*b.keys);
  if (b.fpr) check_fpr(*b.fpr);
  if (b.bits) check_bits(*b.bits);
}

// Tolerance for rounding: widths of tags are computed with a slack of 1e-9 bits.
[[nodiscard]] inline bool keeps(double asked, double promised) noexcept {
  return promised <= asked * (1 + 1e-8);
}
// Throws if a plan's rate is higher than the requested one, so that no plan silently promises less.
inline void check_kept(const std::optional<double>& asked, double promised) {
  if (asked && !keeps(*asked, promised))
    throw bad_parameter(
        detail::text("fpr: ", *asked,
                     " is out of this structure's reach; the best it can promise is ", promised));
}

}  // namespace umbel::core
