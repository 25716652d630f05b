// prefix_filter.ipp - bodies of prefix_filter.hpp: plans.
#pragma once

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
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

}  // namespace umbel
