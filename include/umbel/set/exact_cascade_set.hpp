// exact_cascade_set.hpp - filter cascade [LCL17]: which keys of a known universe are members,
// without error there, from a few bits per member.
//
// Layers of Bloom filters, each of the keys that the one before it answers wrongly
// (engine/compose/cascade.hpp).
//
// Invariant  Every key of the universe is answered as it was declared. Other keys get either
//            answer.
// Limits     Static. log2(e) (log2(s/r) + 2.91) bits for each of the r keys of the smaller side, s
//            those of the other; the bound is log2(s/r) + 1.44. At most 254 layers.
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

struct exact_cascade_options {
  std::optional<std::uint64_t> keys{};      // members; for plans, a build counts them itself
  std::optional<std::uint64_t> universe{};  // members and others; the same
  // a build refuses a universe that misses one: incomplete_universe
  bool members_in_universe = false;
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;
};

class exact_cascade_set : public core::keyed<core::cascade> {
 public:
  using options_type = exact_cascade_options;
  static constexpr std::string_view kind = "exact-cascade-set";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{.of = family::set, .is_static = true, .exact = true};

  exact_cascade_set() = default;

  template <core::key_range Members, core::key_range Universe>
  [[nodiscard]] static exact_cascade_set build(const Members& members, const Universe& universe,
                                               const options_type& options) {
    return build(core::spool_of(members, options.hash, options.threads),
                 core::spool_of(universe, options.hash, options.threads), options);
  }
  template <class Spool = digest_spool>  // a template, so that only programs that build compile it
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

  // members and others
  [[nodiscard]] std::uint64_t universe() const noexcept { return engine_.universe(); }
  [[nodiscard]] bool inverted() const noexcept { return engine_.inverted(); }
  [[nodiscard]] unsigned layers() const noexcept { return engine_.layers(); }
};

}  // namespace umbel
