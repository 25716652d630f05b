// sizing/taffy.hpp - Taffy cuckoo filters [App22]: buckets, bits and false positive rate of a tag
// table that doubles without its keys.
//
// An entry matches a share 2^-len / (N 2^h) of all non-members, where len is the number of tail
// bits it has left. New entries have all 5. So n keys inserted without a doubling have rate
// 1 - (1 - 1/(32 N 2^h))^n. Entries without a tail are the worst. At most 0.9 * 8N entries exist,
// so the rate never exceeds 7.2 / 2^h. A frozen table has only entries without tails: 8a / 2^h,
// less the entries that coincide.
//
// Symbols    n keys; N buckets of 4 slots on each of two sides; h bits of a head and up to 5 bits
//            of a tail; load a = n / 8N.
// Source     [App22]. The first formula is exact. The bound is a union bound over all entries.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <umbel/base/integers.hpp>

namespace umbel::sizing {

struct taffy_plan {
  std::uint64_t keys, buckets;
  unsigned head_bits;
  double fpr;
};

inline constexpr unsigned taffy_tail_bits = 5, taffy_slots = 4, taffy_stash = 8;  // words
inline constexpr unsigned taffy_least_head = 5, taffy_max_head = 26;

// Entries that N buckets per side hold before they double: nine tenths of the slots.
[[nodiscard]] constexpr std::uint64_t taffy_room(std::uint64_t buckets) noexcept {
  return 2 * taffy_slots * buckets / 10 * 9 + 2 * taffy_slots * buckets % 10 * 9 / 10;
}
[[nodiscard]] constexpr std::uint64_t taffy_buckets(std::uint64_t n) noexcept {
  return std::max<std::uint64_t>(1, umbel::detail::ceil_div(n * 5, 36));
}
[[nodiscard]] inline double taffy_fpr(std::uint64_t n, std::uint64_t buckets, unsigned head_bits) {
  const double each =
      std::exp2(-static_cast<double>(head_bits + taffy_tail_bits)) / static_cast<double>(buckets);
  return -std::expm1(static_cast<double>(n) * std::log1p(-each));
}
// Upper bound of the rate after any number of doublings.
[[nodiscard]] inline double taffy_bound(unsigned head_bits) {
  return 7.2 * std::exp2(-static_cast<double>(head_bits));
}
// Slots of this width in whole words, one more word, and the stash.
[[nodiscard]] constexpr std::uint64_t taffy_bits_of_slots(std::uint64_t buckets,
                                                          unsigned slot_bits) noexcept {
  return (umbel::detail::ceil_div(2 * taffy_slots * buckets * slot_bits, 64) + 1 + taffy_stash) *
         64;
}
[[nodiscard]] constexpr std::uint64_t taffy_bits(std::uint64_t buckets,
                                                 unsigned head_bits) noexcept {
  return taffy_bits_of_slots(buckets, head_bits + taffy_tail_bits + 1);
}
[[nodiscard]] constexpr std::uint64_t taffy_frozen_bits(std::uint64_t buckets,
                                                        unsigned head_bits) noexcept {
  return taffy_bits_of_slots(buckets, head_bits);
}
// The narrowest head that keeps the rate for ever, or the widest possible.
[[nodiscard]] inline unsigned taffy_head_bits(double eps) {
  unsigned h = taffy_least_head;
  while (h < taffy_max_head && taffy_bound(h) > eps) ++h;
  return h;
}

[[nodiscard]] inline taffy_plan plan_taffy_for_rate(std::uint64_t n, double eps) {
  const unsigned h = taffy_head_bits(eps);
  return {n, taffy_buckets(n), h, taffy_fpr(n, taffy_buckets(n), h)};
}
[[nodiscard]] inline std::uint64_t taffy_buckets_in(std::uint64_t bits, unsigned h) {
  constexpr std::uint64_t around = 64 * (1 + taffy_stash);
  return std::max<std::uint64_t>(
      1, (std::max(bits, around) - around) / (2 * taffy_slots * (h + taffy_tail_bits + 1)));
}
// The widest head with room for n keys before a doubling; if n keys do not fit, as many as do.
[[nodiscard]] inline taffy_plan plan_taffy_for_bits(std::uint64_t n, std::uint64_t bits) {
  unsigned h = taffy_max_head;
  while (h > taffy_least_head &&
         (taffy_room(taffy_buckets_in(bits, h)) < n || taffy_bits(1, h) > bits))
    --h;
  const std::uint64_t buckets = taffy_buckets_in(bits, h), keys = std::min(n, taffy_room(buckets));
  return {keys, buckets, h, taffy_fpr(keys, buckets, h)};
}
[[nodiscard]] inline taffy_plan taffy_room_for(std::uint64_t bits, double eps) {
  const unsigned h = taffy_head_bits(eps);
  const std::uint64_t buckets = taffy_buckets_in(bits, h);
  const std::uint64_t keys = taffy_bound(h) > eps ? 0 : taffy_room(buckets);
  return {keys, buckets, h, taffy_fpr(keys, buckets, h)};
}

}  // namespace umbel::sizing
