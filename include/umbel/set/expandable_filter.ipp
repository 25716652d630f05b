// expandable_filter.ipp - bodies of expandable_filter.hpp: plans.
#pragma once

#include <algorithm>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/set/expandable_filter.hpp>
#include <umbel/sizing/bloom.hpp>

namespace umbel {

UMBEL_INLINE sizing::expandable_plan expandable_filter::sized(const options_type& options) {
  core::check({options.keys, options.fpr, options.bits});
  const auto made = !options.bits ? sizing::plan_expandable_for_rate(*options.keys, *options.fpr)
                    : options.fpr ? sizing::expandable_room_for(*options.bits, *options.fpr)
                                  : sizing::plan_expandable_for_bits(*options.keys, *options.bits);
  core::check_kept(options.fpr, std::max(made.fpr, made.bound));
  if (made.blocks > sizing::max_bits / sizing::quotient_block_bits(made.length + 1))
    throw bad_parameter(
        detail::text("keys: ", made.keys, " of them take more than 2^56 bits at this rate"));
  return made;
}

UMBEL_INLINE plan expandable_filter::plan(const options_type& options) {
  const auto made = sized(options);
  return {.keys = made.keys,
          .cells = made.blocks * sizing::quotient_block_slots,
          .probes = 1,
          .bits = made.blocks * sizing::quotient_block_bits(made.length + 1),
          .fpr = made.fpr};
}

}  // namespace umbel
