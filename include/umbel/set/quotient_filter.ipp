// quotient_filter.ipp - bodies of quotient_filter.hpp: plans.
#pragma once

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/set/quotient_filter.hpp>
#include <umbel/sizing/bloom.hpp>

namespace umbel {

UMBEL_INLINE sizing::quotient_plan quotient_filter::sized(const options& wish) {
  core::check({wish.keys, wish.fpr, wish.bits});
  if (!(wish.load > 0 && wish.load <= sizing::quotient_most_load))
    throw bad_parameter(detail::text("load: expected a share above 0 and up to ",
                                     sizing::quotient_most_load, ", found ", wish.load));
  const auto made = !wish.bits ? sizing::plan_quotient_for_rate(*wish.keys, *wish.fpr, wish.load)
                    : wish.fpr ? sizing::quotient_room_for(*wish.bits, *wish.fpr, wish.load)
                               : sizing::plan_quotient_for_bits(*wish.keys, *wish.bits, wish.load);
  core::check_kept(wish.fpr, made.fpr);
  if (made.blocks > sizing::max_bits / sizing::quotient_block_bits(made.width))
    throw bad_parameter(
        detail::text("keys: ", made.keys, " of them take more than 2^56 bits at this rate"));
  return made;
}

UMBEL_INLINE plan quotient_filter::plan(const options& wish) {
  const auto made = sized(wish);
  return {.keys = made.keys,
          .cells = made.blocks * sizing::quotient_block_slots,
          .probes = 1,
          .bits = made.blocks * sizing::quotient_block_bits(made.width),
          .fpr = made.fpr};
}

}  // namespace umbel
