// quotient_filter.ipp - bodies of quotient_filter.hpp: plans.
#pragma once

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/set/quotient_filter.hpp>
#include <umbel/sizing/bloom.hpp>

namespace umbel {

UMBEL_INLINE sizing::quotient_plan quotient_filter::sized(const options_type& options) {
  core::check({options.keys, options.fpr, options.bits});
  if (!(options.load > 0 && options.load <= sizing::quotient_max_load))
    throw bad_parameter(detail::text("load: expected a share above 0 and up to ",
                                     sizing::quotient_max_load, ", found ", options.load));
  const auto made =
      !options.bits ? sizing::plan_quotient_for_rate(*options.keys, *options.fpr, options.load)
      : options.fpr ? sizing::quotient_room_for(*options.bits, *options.fpr, options.load)
                    : sizing::plan_quotient_for_bits(*options.keys, *options.bits, options.load);
  core::check_kept(options.fpr, made.fpr);
  if (made.blocks > sizing::max_bits / sizing::quotient_block_bits(made.width))
    throw bad_parameter(
        detail::text("keys: ", made.keys, " of them take more than 2^56 bits at this rate"));
  return made;
}

UMBEL_INLINE plan quotient_filter::plan(const options_type& options) {
  const auto made = sized(options);
  return {.keys = made.keys,
          .cells = made.blocks * sizing::quotient_block_slots,
          .probes = 1,
          .bits = made.blocks * sizing::quotient_block_bits(made.width),
          .fpr = made.fpr};
}

}  // namespace umbel
