// expandable_filter.ipp - bodies of expandable_filter.hpp: plans.
#pragma once

#include <algorithm>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/set/expandable_filter.hpp>
#include <umbel/sizing/bloom.hpp>

namespace umbel {

UMBEL_INLINE sizing::expandable_plan expandable_filter::sized(const options& wish) {
  core::check({wish.keys, wish.fpr, wish.bits});
  const auto made = !wish.bits ? sizing::plan_expandable_for_rate(*wish.keys, *wish.fpr)
                    : wish.fpr ? sizing::expandable_room_for(*wish.bits, *wish.fpr)
                               : sizing::plan_expandable_for_bits(*wish.keys, *wish.bits);
  core::check_kept(wish.fpr, std::max(made.fpr, made.bound));
  if (made.blocks > sizing::max_bits / sizing::quotient_block_bits(made.length + 1))
    throw bad_parameter(
        detail::text("keys: ", made.keys, " of them take more than 2^56 bits at this rate"));
  return made;
}

UMBEL_INLINE plan expandable_filter::plan(const options& wish) {
  const auto made = sized(wish);
  return {.keys = made.keys,
          .cells = made.blocks * sizing::quotient_block_slots,
          .probes = 1,
          .bits = made.blocks * sizing::quotient_block_bits(made.length + 1),
          .fpr = made.fpr};
}

}  // namespace umbel
