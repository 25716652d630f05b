// ribbon_map.hpp - static function on a bumped ribbon (BuRR) [DHSW22]: map from keys to small
// integers in little more than value bits and check bits per key.
//
// Value and check bits are stored as one word, whose bits are parities of a short range of slots.
//
// Invariant  Every key of the build gets its value. A non-member gets none, or some value with
//            probability fpr.
// Limits     Values are fixed at the build. Value bits and check bits together are at most 64. Any
//            preset but homogeneous.
// Threads    Immutable: any number of readers.
// Source     [DHSW22] for the ribbon, [CKRT04] for a map without keys.
#pragma once

#include <concepts>
#include <string_view>
#include <type_traits>

#include <umbel/core/keyed.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/spooled.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/engine/retrieval/checked.hpp>
#include <umbel/engine/retrieval/ribbon/build.hpp>

namespace umbel {

// Options of ribbon_map.
struct ribbon_map_options {
  std::optional<std::uint64_t> keys{};  // keys, for plan(); a build counts them itself
  unsigned value_bits = 8;              // bits of a value; with the check bits at most 64
  // rate at which a non-member gets a value; absent: no check, each gets one
  std::optional<double> fpr{};
  // speed against size: see set/ribbon_filter.hpp; any but homogeneous
  ribbon_preset preset = ribbon_preset::fast;
  hasher hash{};                                // hash function, and its seed or secret key
  std::pmr::memory_resource* memory = nullptr;  // for the cells; null: the default resource
  unsigned threads = 1;                         // threads of a build
  // least number of keys that is split into shards; for tests
  std::uint64_t shard_from = sizing::peel_shard_from;
};

// The map. Inherited from core/keyed.hpp: find, find_batch, value, value_batch, keys, value_bits.
class ribbon_map : public core::keyed<core::checked<core::ribbon>> {
 public:
  using options_type = ribbon_map_options;
  static constexpr std::string_view kind = "ribbon-map";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{
      .of = family::map, .answers = output::value, .is_static = true, .lines = 3};

  ribbon_map() = default;
  // The map of a spool of digests with values.
  // A template, so that only programs that build compile the solver.
  template <std::same_as<pair_spool> Spool>
  ribbon_map(const Spool& pairs, const options_type& options)
      : keyed(options.hash, core::checked<core::ribbon>::build(pairs, options.value_bits,
                                                               build_options_of(options))) {}

  // A map of these pairs (key, value). Throws bad_parameter for a value that does not fit and
  // conflict for a key with two values; both messages name the key.
  template <core::pair_range Pairs>
  [[nodiscard]] static ribbon_map build(const Pairs& pairs, const options_type& options) {
    return core::map_of<ribbon_map>(pairs, options);
  }
  // The same from a spool of digests with values. A template, so that only programs that call it
  // compile the solver.
  template <class Spool = pair_spool>
  [[nodiscard]] static ribbon_map build(const std::type_identity_t<Spool>& pairs,
                                        const options_type& options) {
    return {pairs, options};
  }
  // Size and predicted false positive rate of a map with these options. Builds nothing.
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    const unsigned width = build_options_of(options).width;
    return core::ribbon::plan(options.keys.value_or(0), width, width - options.value_bits,
                              options.preset, options.shard_from);
  }
  void check() {
    keyed::check();
    core::ribbon::require_values(engine().retrieval().preset());
  }

 private:
  [[nodiscard]] static core::ribbon::build_options build_options_of(const options_type& options) {
    core::ribbon::require_values(options.preset);
    return {.width = core::tag_rule::width_for(options.value_bits, options.fpr),
            .preset = options.preset,
            .memory = options.memory,
            .threads = options.threads,
            .shard_from = options.shard_from};
  }
};

}  // namespace umbel
