// hash_compaction_filter.ipp - bodies of hash_compaction_filter.hpp: plans.
#pragma once

#include <algorithm>
#include <cmath>

#include <umbel/base/text.hpp>
#include <umbel/set/hash_compaction_filter.hpp>

namespace umbel {

UMBEL_INLINE sizing::compaction_plan hash_compaction_filter::sized(const options_type& options) {
  core::check({options.keys, options.fpr, options.bits});
  if (!(options.load > 0 && options.load <= sizing::compaction_max_load))
    throw bad_parameter(detail::text("load: expected a share above 0 and up to ",
                                     sizing::compaction_max_load, ", found ", options.load));
  // Packed cells take whole words, and one word more at the end.
  const std::uint64_t room = std::max<std::uint64_t>(2, options.bits.value_or(0) / 64) * 64 - 64;
  const auto made =
      !options.bits ? sizing::plan_compaction_for_rate(*options.keys, *options.fpr, options.load)
      : options.fpr ? sizing::compaction_room_for(room, *options.fpr, options.load)
                    : sizing::plan_compaction_for_bits(*options.keys, room, options.load);
  if (made.slots > sizing::max_bits / made.width)
    throw bad_parameter(
        detail::text("keys: ", made.keys, " of them take more than 2^56 bits at this rate"));
  core::check_kept(options.fpr, made.fpr);
  return made;
}

UMBEL_INLINE plan hash_compaction_filter::plan(const options_type& options) {
  const auto made = sized(options);
  const double load = static_cast<double>(made.keys) / static_cast<double>(made.slots);
  return {.keys = made.keys,
          .cells = made.slots,
          .probes = made.width == 1
                        ? 1
                        : static_cast<unsigned>(std::lround(sizing::compaction_probes(load))),
          .bits = cells::packed::words_for(made.slots, made.width) * 64,
          .fpr = made.fpr};
}

}  // namespace umbel
