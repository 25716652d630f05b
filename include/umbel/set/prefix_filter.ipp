// prefix_filter.ipp - bodies of prefix_filter.hpp: plans, unions, and what is read off the whole filter.
#pragma once

#include <algorithm>
#include <cmath>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/engine/block/block_filter.hpp>
#include <umbel/set/prefix_filter.hpp>
#include <umbel/sizing/bloom.hpp>

namespace umbel {

UMBEL_INLINE sizing::prefix_plan prefix_filter::sized(const options& wish) {
  core::check({wish.keys, wish.fpr, wish.bits});
  const auto made = !wish.bits ? sizing::plan_prefix_for_rate(*wish.keys, *wish.fpr)
                    : wish.fpr ? sizing::prefix_room_for(*wish.bits, *wish.fpr)
                               : sizing::plan_prefix_for_bits(*wish.keys, *wish.bits);
  core::check_kept(wish.fpr, made.fpr);
  if (made.pockets > sizing::max_bits / sizing::prefix_pocket_bits)
    throw bad_parameter(detail::text("keys: ", made.keys, " of them take more than 2^56 bits"));
  return made;
}

UMBEL_INLINE plan prefix_filter::plan(const options& wish) {
  const auto made = sized(wish);
  return {.keys = made.keys,
          .cells = made.pockets * sizing::prefix_pocket_values,
          .probes = 1,
          .bits = made.bits(),
          .fpr = made.fpr};
}

UMBEL_INLINE void prefix_filter::clear() noexcept {
  for (std::uint64_t i = 0; i < pockets_; ++i) cells::kernel::portable_pocket::clear(pocket_at(i));
  spare_.blocks().storage().clear();
}

// What either side pushed out is beyond 25 values of that side, and so beyond the 25 smallest of both.
UMBEL_INLINE void prefix_filter::merge(const prefix_filter& other) {
  if (hash_ != other.hash_) throw incompatible("these filters were built with different hashes, seeds or keys");
  if (pockets_ != other.pockets_ || spare_.index() != other.spare_.index())
    throw incompatible(detail::text("these filters differ in size: ", pockets_, " pockets and ", spare_blocks(),
                                    " spare blocks against ", other.pockets_, " and ", other.spare_blocks()));
  cells::kernel::with_pockets([&](auto ops) {
    for (std::uint64_t i = 0; i < pockets_; ++i) {
      ops.each(other.pocket_at(i), [&](unsigned value) {
        if (ops.add(pocket_at(i), value) == room::none)
          (void)spare_.insert(spare_key(i, ops.push(pocket_at(i), value).rest));
      });
      if (ops.overflowed(other.pocket_at(i))) ops.set_overflowed(pocket_at(i));
    }
  });
  spare_.blocks().storage() |= other.spare_.blocks().storage();
}

UMBEL_INLINE std::uint64_t prefix_filter::kept() const noexcept {
  std::uint64_t out = 0;
  for (std::uint64_t i = 0; i < pockets_; ++i) out += cells::kernel::portable_pocket::used(pocket_at(i));
  return out;
}

// Keys that share pocket and value are one. Of those there are, nearly all are counted; the two errors are independent.
UMBEL_INLINE estimate prefix_filter::cardinality() const noexcept {
  const double all = static_cast<double>(pockets_) * cells::kernel::pocket_shape::values;
  const estimate in_spare = core::cardinality_of(spare_);
  const double distinct = std::min(static_cast<double>(kept()) + in_spare.value, all - 1);
  const double keys = sizing::bloom_cardinality(all - distinct, all, 1);
  return {.value = keys,
          .standard_error = std::hypot(sizing::bloom_cardinality_error(keys, all, 1), in_spare.standard_error),
          .saturated = in_spare.saturated};
}

UMBEL_INLINE double prefix_filter::expected_fpr() const noexcept {
  using pocket = cells::kernel::portable_pocket;
  const double all = static_cast<double>(pockets_) * pocket::values, in_spare = core::cardinality_of(spare_).value;
  std::uint64_t beyond = 0;
  for (std::uint64_t i = 0; i < pockets_; ++i)
    if (const unsigned char* const at = pocket_at(i); pocket::overflowed(at))
      beyond += pocket::values - 1 - std::min(pocket::limit(at), pocket::values - 1);
  const auto asked = static_cast<double>(beyond), known = std::min(in_spare, asked);
  return (static_cast<double>(kept()) + known + (asked - known) * core::rate_of_marks(spare_)) / all;
}

UMBEL_INLINE void prefix_filter::check() {
  if (pockets_ == 0 || pockets_ > sizing::max_bits / sizing::prefix_pocket_bits)
    throw corrupt(detail::text("pockets: expected 1 to 2^48, found ", pockets_));
  cells_.require(pockets_ * pocket_words);
  spare_.check();
}

}  // namespace umbel
