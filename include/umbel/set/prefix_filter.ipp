// prefix_filter.ipp - bodies of prefix_filter.hpp: plans.
#pragma once

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/set/prefix_filter.hpp>
#include <umbel/sizing/bloom.hpp>

namespace umbel {

UMBEL_INLINE sizing::prefix_plan prefix_filter::sized(const options_type& options) {
  core::check({options.keys, options.fpr, options.bits});
  const auto made = !options.bits ? sizing::plan_prefix_for_rate(*options.keys, *options.fpr)
                    : options.fpr ? sizing::prefix_room_for(*options.bits, *options.fpr)
                                  : sizing::plan_prefix_for_bits(*options.keys, *options.bits);
  core::check_kept(options.fpr, made.fpr);
  if (made.pockets > sizing::max_bits / sizing::prefix_pocket_bits)
    throw bad_parameter(detail::text("keys: ", made.keys, " of them take more than 2^56 bits"));
  return made;
}

UMBEL_INLINE plan prefix_filter::plan(const options_type& options) {
  const auto made = sized(options);
  return {.keys = made.keys,
          .cells = made.pockets * sizing::prefix_pocket_values,
          .probes = 1,
          .bits = made.bits(),
          .fpr = made.fpr};
}

}  // namespace umbel
