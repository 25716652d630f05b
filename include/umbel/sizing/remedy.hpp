// sizing/remedy.hpp - size of the ways to remove known false positives without losing a member
// [CKRT04], [DBF06], [LCL17].
//
// Symbols    n members; e known non-members to clear; eps the rate of other non-members;
//            f = log2(1/eps); w bits per key of an exception list; u keys that can ever be queried.
// Remedies   exception list: a filter and an exact list of the e keys, n f + e w bits. The list
//            must be exact: an approximate one clears members too, at its own rate.
//            two-value map: one map over both sets, with values "flagged" and "cleared":
//            (n + e)(1 + f) bits. Other non-members get a value at rate eps, half of them
//            "flagged". If a wrong "cleared" does no harm, the check is a bit shorter at the same
//            rate of wrong flags, and the map is smaller for every e.
//            retouched: bits of the e keys cleared in a Bloom filter of n f / ln 2 bits. No more
//            bits for any e, but members may be lost. So it has a size here and is never chosen.
//            exact cascade: no error on the u keys; arbitrary answers for others.
// Source     [CKRT04] sec. 1 for the list and why it does not scale; [DBF06] for retouching;
//            [LCL17] for the cascade.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

#include <umbel/sizing/bloom.hpp>
#include <umbel/sizing/cascade.hpp>
#include <umbel/sizing/fuse.hpp>

namespace umbel::sizing {

enum class remedy { exception_list, two_value_map, retouched, exact_cascade };
[[nodiscard]] constexpr std::string_view name_of(remedy r) noexcept {
  constexpr std::array<std::string_view, 4> names{"exception list", "two-value map",
                                                  "retouched filter", "exact cascade"};
  return names[static_cast<std::size_t>(r)];
}

struct trouble {
  std::uint64_t members = 0;                // n
  std::uint64_t cleared = 0;                // e
  double fpr = 1.0 / 256;                   // eps
  bool any_value = true;                    // eps also counts non-members answered "cleared"
  unsigned key_bits = 128;                  // w
  std::optional<std::uint64_t> universe{};  // u, if all keys are known
  unsigned arity = 3;                       // of the fuse graph under filter or map
};

// Word widths of the filter and of the map. The map's words include one bit of value.
[[nodiscard]] inline unsigned remedy_filter_width(const trouble& t) {
  return static_cast<unsigned>(std::clamp(std::ceil(-std::log2(t.fpr) - 1e-9), 1.0, 64.0));
}
[[nodiscard]] inline unsigned remedy_map_width(const trouble& t) {
  return std::max(2U, remedy_filter_width(t) + (t.any_value ? 1 : 0));
}

// The ratio e/n above which the map is smaller than the list, at c cells per key: c n f + e w = c
// (n + e)(1 + f).
[[nodiscard]] constexpr double remedy_crossing(double w, double f, double c = 1) {
  return c / (w - c * (1 + f));
}

// Bits of one remedy; nothing if it does not apply.
[[nodiscard]] inline std::optional<std::uint64_t> price_remedy(const trouble& t, remedy which) {
  switch (which) {
    case remedy::exception_list:
      return fuse_bits(t.arity, t.members, remedy_filter_width(t)) + t.cleared * t.key_bits;
    case remedy::two_value_map:
      if (remedy_map_width(t) > 64) return std::nullopt;
      return fuse_bits(t.arity, t.members + t.cleared, remedy_map_width(t));
    case remedy::retouched: return bloom_stored_bits(plan_bloom_for_rate(t.members, t.fpr).bits);
    case remedy::exact_cascade:
      if (!t.universe || *t.universe < t.members) return std::nullopt;
      return static_cast<std::uint64_t>(exact_cascade_bits(
          static_cast<double>(t.members), static_cast<double>(*t.universe - t.members)));
  }
  return std::nullopt;
}

struct remedy_choice {
  remedy which;
  std::uint64_t bits;
};
// The smallest remedy that clears every known key and keeps every member.
[[nodiscard]] inline remedy_choice choose_remedy(const trouble& t) {
  remedy_choice best{remedy::exception_list, *price_remedy(t, remedy::exception_list)};
  for (const remedy which : {remedy::two_value_map, remedy::exact_cascade})
    if (const auto bits = price_remedy(t, which); bits && *bits < best.bits) best = {which, *bits};
  return best;
}

}  // namespace umbel::sizing
