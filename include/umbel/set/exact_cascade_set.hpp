// exact_cascade_set.hpp - filter cascade [LCL17]: exact set on a known universe of keys, in a few
// bits per member.
//
// A sequence of Bloom filters. Each layer holds the keys that the layer before it answers wrongly
// (engine/compose/cascade.hpp).
//
// Invariant  Every key of the universe gets the right answer. Other keys get either answer.
// Limits     Static. It takes log2(e) (log2(s/r) + 2.91) bits for each of the r keys of the smaller
//            side (members or others), s being the keys of the larger; the bound is log2(s/r) +
//            1.44. At most 254 layers.
// Threads    Immutable: any number of readers.
// Source     [LCL17]. Differs in that a layer keeps its rate after rounding.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/keyed.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/spooled.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/core/universe.hpp>
#include <umbel/engine/compose/cascade.hpp>
#include <umbel/sizing/cascade.hpp>

namespace umbel {

// Options of exact_cascade_set.
struct exact_cascade_options {
  std::optional<std::uint64_t> keys{};  // number of members, for plan(); a build counts them itself
  // number of members and other keys, for plan(); a build counts them itself
  std::optional<std::uint64_t> universe{};
  // if true, a build throws incomplete_universe for a universe that lacks a member
  bool members_in_universe = false;
  hasher hash{};                                // hash function, and its seed or secret key
  std::pmr::memory_resource* memory = nullptr;  // for the cells; null: the default resource
  unsigned threads = 1;                         // threads of a build
};

// The set. Inherited from core/keyed.hpp: contains, contains_batch.
class exact_cascade_set : public core::keyed<core::cascade> {
 public:
  using options_type = exact_cascade_options;
  static constexpr std::string_view kind = "exact-cascade-set";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{.of = family::set, .is_static = true, .exact = true};

  exact_cascade_set() = default;

  // The set of `members`, exact for the keys of `universe`. The universe may be given with or
  // without the members.
  template <core::key_range Members, core::key_range Universe>
  [[nodiscard]] static exact_cascade_set build(const Members& members, const Universe& universe,
                                               const options_type& options) {
    return build(core::spool_of(members, options.hash, options.threads),
                 core::spool_of(universe, options.hash, options.threads), options);
  }
  // The same from a spool of digests. A template, so that only programs that call it compile it.
  template <class Spool = digest_spool>
  [[nodiscard]] static exact_cascade_set build(const std::type_identity_t<Spool>& members,
                                               const std::type_identity_t<Spool>& universe,
                                               const options_type& options) {
    auto sides =
        core::told_apart<Spool>(members, universe, options.threads, options.members_in_universe);
    exact_cascade_set out;
    out.hash_ = options.hash;
    out.engine_ = core::cascade(std::move(sides.members), std::move(sides.others), options.memory);
    return out;
  }
  // Size of a set with these options, which needs keys and universe. Builds nothing.
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    const std::uint64_t keys = options.keys.value_or(0), universe = options.universe.value_or(keys);
    core::check_keys(keys);
    if (universe < keys || universe > core::max_keys)
      throw bad_parameter(detail::text("universe: expected the number of all keys, at least the ",
                                       keys, " members and at most 2^50, found ", universe));
    const auto shaped = sizing::plan_exact_cascade(keys, universe - keys);
    if (shaped.bits > sizing::cascade_filter_bits)
      throw bad_parameter(
          detail::text("universe: ", universe, " keys take more than the 2^48 bits of a cascade"));
    return {.keys = keys,
            .cells = shaped.bits,
            .probes = shaped.probes,
            .bits = shaped.bits + 64 * shaped.layers,
            .fpr = 0};
  }

  // Number of keys in the universe, members included.
  [[nodiscard]] std::uint64_t universe() const noexcept { return engine_.universe(); }
  // members are the larger side; the layers start with the others
  [[nodiscard]] bool inverted() const noexcept { return engine_.inverted(); }
  [[nodiscard]] unsigned layers() const noexcept { return engine_.layers(); }  // number of filters
};

}  // namespace umbel
