// golomb_filter.ipp - bodies of golomb_filter.hpp: plans and builds.
#pragma once

#include <umbel/set/golomb_filter.hpp>

namespace umbel {

UMBEL_INLINE plan golomb_filter::plan(const options& wish) {
  const double fpr = wish.fpr.value_or(1.0 / 256);
  core::check_fpr(fpr);
  const std::uint64_t n = wish.keys.value_or(0);
  core::check_keys(n);
  const auto code = sizing::plan_golomb(fpr);
  const double promised = sizing::golomb_planned_fpr(static_cast<double>(code.spread));
  core::check_kept(fpr, promised);
  const double coded =
      sizing::golomb_bits_per_key(static_cast<double>(code.spread), code.remainder_bits);
  const double per_key = coded + sizing::golomb_offset_bits(static_cast<double>(n), coded) /
                                     sizing::golomb_bucket_keys;
  return {.keys = n,
          .cells = n,
          .probes = 1,
          .bits = static_cast<std::uint64_t>(per_key * static_cast<double>(n)),
          .fpr = n == 0 ? 0 : promised};
}

UMBEL_INLINE golomb_filter golomb_filter::build(const digest_spool& keys, const options& wish) {
  const double fpr = wish.fpr.value_or(1.0 / 256);
  core::check_fpr(fpr);
  const auto code = sizing::plan_golomb(fpr);
  core::check_kept(fpr, sizing::golomb_planned_fpr(static_cast<double>(code.spread)));
  golomb_filter out;
  out.hash_ = wish.hash;
  if (keys.size() != 0)
    out.engine_ = core::golomb_lists(keys.distinct(wish.threads), code.spread, code.remainder_bits,
                                     wish.memory);
  return out;
}

}  // namespace umbel
