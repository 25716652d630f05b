// best_of_bloom_filter.ipp - bodies of best_of_bloom_filter.hpp: planning and building.
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include <umbel/base/parallel.hpp>
#include <umbel/set/best_of_bloom_filter.hpp>

namespace umbel {

UMBEL_INLINE plan best_of_bloom_filter::plan(const options_type& options) {
  core::check_static({options.keys, options.fpr, options.bits});
  if (options.probes > sizing::bloom_max_probes)
    throw bad_parameter(detail::text("probes: expected at most ", sizing::bloom_max_probes,
                                     ", found ", options.probes));
  if (options.tries == 0 || options.tries > 65536)
    throw bad_parameter(detail::text("tries: expected 1 to 65536, found ", options.tries));
  const std::uint64_t keys = options.keys.value_or(0);
  const sizing::selection whole{.groups = 1, .candidates = static_cast<double>(options.tries)};
  const auto made = options.bits
                        ? sizing::plan_selected_for_bits(keys, *options.bits, whole, options.probes)
                        : sizing::plan_selected_for_rate(keys, options.fpr.value_or(1.0 / 256),
                                                         whole, options.probes);
  core::check_kept(options.fpr, made.fpr);
  return {
      .keys = keys, .cells = made.bits, .probes = made.probes, .bits = made.bits, .fpr = made.fpr};
}

template <class Spool>
best_of_bloom_filter best_of_bloom_filter::build(const std::type_identity_t<Spool>& keys,
                                                 const options_type& options) {
  const Spool once = keys.distinct(options.threads);  // else duplicate keys would count in the plan
  best_of_options counted = options;
  counted.keys = once.size();
  const auto made = plan(counted);

  struct attempt {
    engine_type filled;
    std::uint64_t ones;
    std::size_t number;
    // a total order: the result does not depend on the order of comparisons
    [[nodiscard]] bool beats(const attempt& other) const noexcept {
      return std::pair(ones, number) < std::pair(other.ones, other.number);
    }
  };
  // numbers start at 1: salt 0 gives the bits of a plain Bloom filter
  const auto fill = [&](std::size_t number) {
    engine_type filled(core::k_probes(made.cells, made.probes, number), options.memory);
    once.for_each(0, digest_spool::bins, [&](std::span<const digest> block) {
      filled.insert(block.size(), [&](std::size_t i) { return block[i]; });
    });
    const std::uint64_t ones = filled.cells().storage().ones();
    return attempt{std::move(filled), ones, number};
  };
  // the best attempt of each thread
  std::vector<std::optional<attempt>> best(detail::crew_size(options.tries, options.threads));
  detail::parallel_for(options.tries, options.threads, [&](std::size_t number, std::size_t worker) {
    attempt next = fill(number + 1);
    if (!best[worker] || next.beats(*best[worker])) best[worker] = std::move(next);
  });
  const auto winner = std::min_element(best.begin(), best.end(), [](const auto& a, const auto& b) {
    return a && (!b || a->beats(*b));  // a thread that made no attempt has none
  });
  return {options.hash, std::move((*winner)->filled)};
}

#if defined(UMBEL_BODIES)
template best_of_bloom_filter best_of_bloom_filter::build<digest_spool>(const digest_spool&,
                                                                        const best_of_options&);
#endif

}  // namespace umbel
