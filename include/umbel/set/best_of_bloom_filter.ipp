// best_of_bloom_filter.ipp - bodies of best_of_bloom_filter.hpp: planning and building.
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include <umbel/base/parallel.hpp>
#include <umbel/set/best_of_bloom_filter.hpp>

namespace umbel {

UMBEL_INLINE plan best_of_bloom_filter::plan(const options& wish) {
  core::check_static({wish.keys, wish.fpr, wish.bits});
  if (wish.probes > sizing::bloom_max_probes)
    throw bad_parameter(detail::text("probes: expected at most ", sizing::bloom_max_probes,
                                     ", found ", wish.probes));
  if (wish.tries == 0 || wish.tries > 65536)
    throw bad_parameter(detail::text("tries: expected 1 to 65536, found ", wish.tries));
  const std::uint64_t keys = wish.keys.value_or(0);
  const sizing::selection whole{.groups = 1, .candidates = static_cast<double>(wish.tries)};
  const auto made = wish.bits ? sizing::plan_selected_for_bits(keys, *wish.bits, whole, wish.probes)
                              : sizing::plan_selected_for_rate(keys, wish.fpr.value_or(1.0 / 256),
                                                               whole, wish.probes);
  core::check_kept(wish.fpr, made.fpr);
  return {
      .keys = keys, .cells = made.bits, .probes = made.probes, .bits = made.bits, .fpr = made.fpr};
}

template <class Spool>
best_of_bloom_filter best_of_bloom_filter::build(const std::type_identity_t<Spool>& keys,
                                                 const options& wish) {
  const Spool once = keys.distinct(wish.threads);  // or copies of a key would count in the plan
  options counted = wish;
  counted.keys = once.size();
  const auto made = plan(counted);

  struct attempt {
    engine_type filled;
    std::uint64_t ones;
    std::size_t number;
    // in any order of comparing, the same one wins
    [[nodiscard]] bool beats(const attempt& other) const noexcept {
      return std::pair(ones, number) < std::pair(other.ones, other.number);
    }
  };
  // from 1: under salt 0 it would be a plain Bloom filter
  const auto fill = [&](std::size_t number) {
    engine_type filled(core::k_probes(made.cells, made.probes, number), wish.memory);
    once.for_each(0, digest_spool::bins, [&](std::span<const digest> block) {
      filled.insert(block.size(), [&](std::size_t i) { return block[i]; });
    });
    const std::uint64_t ones = filled.cells().storage().ones();
    return attempt{std::move(filled), ones, number};
  };
  // of each thread
  std::vector<std::optional<attempt>> best(detail::crew_size(wish.tries, wish.threads));
  detail::parallel_for(wish.tries, wish.threads, [&](std::size_t number, std::size_t worker) {
    attempt next = fill(number + 1);
    if (!best[worker] || next.beats(*best[worker])) best[worker] = std::move(next);
  });
  const auto winner = std::min_element(best.begin(), best.end(), [](const auto& a, const auto& b) {
    return a && (!b || a->beats(*b));  // a thread may have come too late for any
  });
  return {wish.hash, std::move((*winner)->filled)};
}

#if defined(UMBEL_BODIES)
template best_of_bloom_filter best_of_bloom_filter::build<digest_spool>(const digest_spool&,
                                                                        const options&);
#endif

}  // namespace umbel
