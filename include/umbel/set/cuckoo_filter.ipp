// cuckoo_filter.ipp - bodies of cuckoo_filter.hpp: plans.
#pragma once

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/set/cuckoo_filter.hpp>

namespace umbel {

UMBEL_INLINE sizing::cuckoo_plan cuckoo_filter::sized(const options_type& options) {
  core::check({options.keys, options.fpr, options.bits});
  core::cuckoo::check_slots(options.slots, options.sorted ? 1 : 0);
  const auto made =
      !options.bits
          ? sizing::plan_cuckoo_for_rate(*options.keys, *options.fpr, options.slots, options.sorted)
      : options.fpr
          ? sizing::cuckoo_room_for(*options.bits, *options.fpr, options.slots, options.sorted)
          : sizing::plan_cuckoo_for_bits(*options.keys, *options.bits, options.slots,
                                         options.sorted);
  core::check_kept(options.fpr, made.fpr);
  core::cuckoo::check_shape(core::bucket_pair(made.buckets, made.width), made.slots,
                            made.sorted ? 1 : 0);
  return made;
}

UMBEL_INLINE plan cuckoo_filter::plan(const options_type& options) {
  const auto made = sized(options);
  return {.keys = made.keys,
          .cells = made.buckets * made.slots,
          .probes = 2,
          .bits = sizing::cuckoo_bits(made.buckets, made.slots, made.width, made.sorted),
          .fpr = made.fpr};
}

}  // namespace umbel
