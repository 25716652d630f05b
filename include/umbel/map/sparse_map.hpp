// sparse_map.hpp - retrieval by sparse linear systems in buckets [GOV20]: static map from keys to
// small integers in 1.03 (value bits + check bits) per key, four reads.
//
// engine/retrieval/sparse.hpp under the map adaptor. The equations are those of a binary_fuse_map,
// but they are solved by elimination in buckets of 1500 keys, so far fewer cells are left unused.
// More `probes` take less space: 1.10 cells per key at three, 1.03 at four (the two forms of
// [GOV20]), 1.018, 1.013, 1.011 and 1.010 at five to eight.
//
// Invariant  Every key of the build gets its value. A non-member gets none, or some value with
//            probability fpr.
// Limits     Values are fixed at the build, which takes several times as long as binary_fuse_map's.
//            Value bits and check bits together are at most 64.
// Threads    Immutable: any number of readers.
// Source     [GOV20], [DP08]; also the bucketed form of [CC08].
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <type_traits>

#include <umbel/core/keyed.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/spooled.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/engine/retrieval/checked.hpp>
#include <umbel/engine/retrieval/sparse_build.hpp>

namespace umbel {

// The map. Inherited from core/keyed.hpp: find, find_batch, value, value_batch, keys, value_bits.
class sparse_map : public core::keyed<core::checked<core::sparse>> {
 public:
  // Options of sparse_map.
  struct options_type {
    std::optional<std::uint64_t> keys{};  // keys, for plan(); a build counts them itself
    unsigned value_bits = 8;              // bits of a value; with the check bits at most 64
    // rate at which a non-member gets a value; absent: no check, each gets one
    std::optional<double> fpr{};
    unsigned probes = 4;  // reads per query, 3 to 8; more: fewer bits, a longer build
    hasher hash{};        // hash function, and its seed or secret key
    std::pmr::memory_resource* memory = nullptr;  // for the cells; null: the default resource
    unsigned threads = 1;                         // threads of a build
  };
  static constexpr std::string_view kind = "sparse-map";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{
      .of = family::map, .answers = output::value, .is_static = true};

  // A map of these pairs (key, value). Throws bad_parameter for a value that does not fit and
  // conflict for a key with two values; both messages name the key.
  template <core::pair_range Pairs>
  [[nodiscard]] static sparse_map build(const Pairs& pairs, const options_type& options) {
    return core::map_of<sparse_map>(pairs, options);
  }
  // The same from a spool of digests with values. A template, so that only programs that call it
  // compile the solver.
  template <class Spool = pair_spool>
  [[nodiscard]] static sparse_map build(const std::type_identity_t<Spool>& pairs,
                                        const options_type& options) {
    return {options.hash,
            engine_type::build(pairs, options.value_bits,
                               {.width = core::tag_rule::width_for(options.value_bits, options.fpr),
                                .probes = options.probes,
                                .memory = options.memory,
                                .threads = options.threads})};
  }
  // Size and predicted false positive rate of a map with these options. Builds nothing.
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    const unsigned width = core::tag_rule::width_for(options.value_bits, options.fpr);
    return core::sparse::plan(options.keys.value_or(0), width, width - options.value_bits,
                              options.probes);
  }

  sparse_map() = default;

 private:
  using keyed::keyed;
};

}  // namespace umbel
