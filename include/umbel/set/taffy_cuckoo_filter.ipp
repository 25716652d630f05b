// taffy_cuckoo_filter.ipp - bodies of taffy_cuckoo_filter.hpp: plans.
#pragma once

#include <umbel/set/taffy_cuckoo_filter.hpp>

namespace umbel {

UMBEL_INLINE sizing::taffy_plan taffy_cuckoo_filter::sized(const options_type& options) {
  core::check({options.keys, options.fpr, options.bits});
  const auto made = !options.bits ? sizing::plan_taffy_for_rate(*options.keys, *options.fpr)
                    : options.fpr ? sizing::taffy_room_for(*options.bits, *options.fpr)
                                  : sizing::plan_taffy_for_bits(*options.keys, *options.bits);
  if (options.fpr && made.keys != 0)
    core::check_kept(options.fpr, sizing::taffy_bound(made.head_bits));
  core::taffy::check_shape(made.buckets, 0, made.head_bits);
  return made;
}

UMBEL_INLINE plan taffy_cuckoo_filter::plan(const options_type& options) {
  const auto made = sized(options);
  return {.keys = made.keys,
          .cells = 2 * sizing::taffy_slots * made.buckets,
          .probes = 2,
          .bits = sizing::taffy_bits(made.buckets, made.head_bits),
          .fpr = made.fpr};
}

}  // namespace umbel
