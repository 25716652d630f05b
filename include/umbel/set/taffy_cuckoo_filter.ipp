// taffy_cuckoo_filter.ipp - bodies of taffy_cuckoo_filter.hpp: plans.
#pragma once

#include <umbel/set/taffy_cuckoo_filter.hpp>

namespace umbel {

UMBEL_INLINE sizing::taffy_plan taffy_cuckoo_filter::sized(const options& wish) {
  core::check({wish.keys, wish.fpr, wish.bits});
  const auto made = !wish.bits ? sizing::plan_taffy_for_rate(*wish.keys, *wish.fpr)
                    : wish.fpr ? sizing::taffy_room_for(*wish.bits, *wish.fpr)
                               : sizing::plan_taffy_for_bits(*wish.keys, *wish.bits);
  if (wish.fpr && made.keys != 0) core::check_kept(wish.fpr, sizing::taffy_bound(made.head_bits));
  core::taffy::check_shape(made.buckets, 0, made.head_bits);
  return made;
}

UMBEL_INLINE plan taffy_cuckoo_filter::plan(const options& wish) {
  const auto made = sized(wish);
  return {.keys = made.keys,
          .cells = 2 * sizing::taffy_slots * made.buckets,
          .probes = 2,
          .bits = sizing::taffy_bits(made.buckets, made.head_bits),
          .fpr = made.fpr};
}

}  // namespace umbel
