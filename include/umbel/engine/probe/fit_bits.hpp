// fit_bits.hpp - fits the index of a filter over one array of bits to two of keys, false positive
// rate and bits.
//
// Idea       The formulas of plain Bloom filters give a first size. The index may have to round it,
//            or need more bits for the same rate. An index to be fitted has probes_for, fitted and
//            rate (engine/probe/k_probes.hpp, engine/probe/banked.hpp).
#pragma once

#include <algorithm>
#include <cstdint>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/sizing/bloom.hpp>

namespace umbel::core {

template <class Index>
struct bit_fit {
  Index at;
  std::uint64_t keys;
};

// `requested_probes` 0: the best number. `choice` is the option of this index.
template <class Index>
[[nodiscard]] bit_fit<Index> fit_bits(const budget& options, unsigned requested_probes,
                                      const typename Index::choice& choice) {
  core::check(options);
  if (requested_probes > sizing::bloom_max_probes)
    throw bad_parameter(detail::text("probes: expected at most ", sizing::bloom_max_probes,
                                     ", found ", requested_probes));
  const unsigned probes = Index::probes_for(choice, requested_probes);
  bit_fit<Index> out{.at = {}, .keys = options.keys.value_or(0)};
  if (options.bits) {
    unsigned best = probes;
    if (options.fpr) {
      const auto room = sizing::bloom_room_for(*options.bits, *options.fpr, probes);
      out.keys = room.keys;
      best = room.probes;
    }
    const auto fit_into = [&](std::uint64_t bits) {
      const auto made = sizing::plan_bloom_for_bits(out.keys, bits, best);
      out.at = Index::fitted(made.bits, made.probes, choice, false);
    };
    fit_into(*options.bits);
    // the best number of probes for the bits left after rounding
    if (out.at.cells() < *options.bits) fit_into(out.at.cells());
    while (options.fpr && out.keys > 0 && out.at.rate(out.keys) > *options.fpr)
      out.keys -= out.keys / 256 + 1;
  } else {
    const auto made = sizing::plan_bloom_for_rate(out.keys, *options.fpr, probes);
    for (std::uint64_t bits = made.bits;;
         bits = std::min(bits + bits / 256 + 1, sizing::max_bits)) {
      out.at = Index::fitted(bits, made.probes, choice, true);
      if (out.at.rate(out.keys) <= *options.fpr || bits == sizing::max_bits) break;
    }
  }
  check_kept(options.fpr, out.at.rate(out.keys));
  return out;
}

}  // namespace umbel::core
