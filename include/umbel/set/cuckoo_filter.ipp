// cuckoo_filter.ipp - bodies of cuckoo_filter.hpp: plans.
#pragma once

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/set/cuckoo_filter.hpp>

namespace umbel {

UMBEL_INLINE sizing::cuckoo_plan cuckoo_filter::sized(const options& wish) {
  core::check({wish.keys, wish.fpr, wish.bits});
  core::cuckoo::check_slots(wish.slots, wish.sorted ? 1 : 0);
  const auto made =
      !wish.bits ? sizing::plan_cuckoo_for_rate(*wish.keys, *wish.fpr, wish.slots, wish.sorted)
      : wish.fpr ? sizing::cuckoo_room_for(*wish.bits, *wish.fpr, wish.slots, wish.sorted)
                 : sizing::plan_cuckoo_for_bits(*wish.keys, *wish.bits, wish.slots, wish.sorted);
  core::check_kept(wish.fpr, made.fpr);
  core::cuckoo::check_shape(core::bucket_pair(made.buckets, made.width), made.slots,
                            made.sorted ? 1 : 0);
  return made;
}

UMBEL_INLINE plan cuckoo_filter::plan(const options& wish) {
  const auto made = sized(wish);
  return {.keys = made.keys,
          .cells = made.buckets * made.slots,
          .probes = 2,
          .bits = sizing::cuckoo_bits(made.buckets, made.slots, made.width, made.sorted),
          .fpr = made.fpr};
}

}  // namespace umbel
