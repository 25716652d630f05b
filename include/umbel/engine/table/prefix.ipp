// prefix.ipp - bodies of prefix.hpp: unions, and figures computed from the whole filter.
#pragma once

#include <algorithm>
#include <cmath>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/engine/block/block_filter.hpp>
#include <umbel/engine/table/prefix.hpp>
#include <umbel/sizing/bloom.hpp>
#include <umbel/sizing/prefix.hpp>

namespace umbel::core {

UMBEL_INLINE void prefix::clear() noexcept {
  for (std::uint64_t i = 0; i < pockets_; ++i) cells::kernel::portable_pocket::clear(pocket_at(i));
  spare_.blocks().storage().clear();
}

// A value that overflowed on one side is larger than 25 values of that side, and so is not among
// the 25 smallest of the union.
UMBEL_INLINE void prefix::merge(const prefix& other) {
  if (pockets_ != other.pockets_ || spare_.index() != other.spare_.index())
    throw incompatible(detail::text("these filters differ in size: ", pockets_, " pockets and ",
                                    spare_blocks(), " spare blocks against ", other.pockets_,
                                    " and ", other.spare_blocks()));
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

UMBEL_INLINE std::uint64_t prefix::kept() const noexcept {
  std::uint64_t out = 0;
  for (std::uint64_t i = 0; i < pockets_; ++i)
    out += cells::kernel::portable_pocket::used(pocket_at(i));
  return out;
}

// Keys with the same pocket and value count as one. The errors of this correction and of the
// spare's estimate are independent.
UMBEL_INLINE estimate prefix::cardinality() const noexcept {
  const double all = static_cast<double>(pockets_) * cells::kernel::pocket_shape::values;
  const estimate in_spare = cardinality_of(spare_);
  const double distinct = std::min(static_cast<double>(kept()) + in_spare.value, all - 1);
  const double keys = sizing::bloom_cardinality(all - distinct, all, 1);
  return {.value = keys,
          .standard_error =
              std::hypot(sizing::bloom_cardinality_error(keys, all, 1), in_spare.standard_error),
          .saturated = in_spare.saturated};
}

UMBEL_INLINE double prefix::expected_fpr() const noexcept {
  using pocket = cells::kernel::portable_pocket;
  const double all = static_cast<double>(pockets_) * pocket::values,
               in_spare = cardinality_of(spare_).value;
  std::uint64_t beyond = 0;
  for (std::uint64_t i = 0; i < pockets_; ++i)
    if (const unsigned char* const at = pocket_at(i); pocket::overflowed(at))
      beyond += pocket::values - 1 - std::min(pocket::limit(at), pocket::values - 1);
  const auto asked = static_cast<double>(beyond), known = std::min(in_spare, asked);
  return (static_cast<double>(kept()) + known + (asked - known) * rate_of_marks(spare_)) / all;
}

UMBEL_INLINE void prefix::check() {
  if (pockets_ == 0 || pockets_ > sizing::max_bits / sizing::prefix_pocket_bits)
    throw corrupt(detail::text("pockets: expected 1 to 2^48, found ", pockets_));
  cells_.require(pockets_ * pocket_words);
  spare_.check();
}

}  // namespace umbel::core
