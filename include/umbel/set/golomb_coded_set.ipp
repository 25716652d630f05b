// golomb_coded_set.ipp - bodies of golomb_coded_set.hpp: plans and builds.
#pragma once

#include <umbel/set/golomb_coded_set.hpp>

namespace umbel {

UMBEL_INLINE plan golomb_coded_set::plan(const options_type& options) {
  const double fpr = options.fpr.value_or(1.0 / 256);
  core::check_fpr(fpr);
  const std::uint64_t n = options.keys.value_or(0);
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

UMBEL_INLINE golomb_coded_set golomb_coded_set::build(const digest_spool& keys,
                                                      const options_type& options) {
  const double fpr = options.fpr.value_or(1.0 / 256);
  core::check_fpr(fpr);
  const auto code = sizing::plan_golomb(fpr);
  core::check_kept(fpr, sizing::golomb_planned_fpr(static_cast<double>(code.spread)));
  golomb_coded_set out;
  out.hash_ = options.hash;
  if (keys.size() != 0)
    out.engine_ = core::golomb_lists(keys.distinct(options.threads), code.spread,
                                     code.remainder_bits, options.memory);
  return out;
}

}  // namespace umbel
