// sparse_map.hpp - static map from keys to small integers: 1.03 (value bits + check bits) per key
// at four reads.
// Idea       engine/retrieval/sparse.hpp under the map adaptor: as binary_fuse_map, but the
//            equations are solved by elimination in buckets of 1500 keys, so that far fewer cells
//            are left over. `probes` trades reads for space: 1.10 cells per key at three, 1.03 at
//            four (the two forms of [GOV20]), 1.018, 1.013, 1.011 and 1.010 at five to eight.
// Invariant  Every key given answers its value, always. A non-member gets none, or some value with
//            probability fpr.
// Limits     Values are fixed at build, which takes several times as long as binary_fuse_map's.
//            Value bits and check bits together at most 64.
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

class sparse_map : public core::keyed<core::checked<core::sparse>> {
 public:
  struct options_type {
    std::optional<std::uint64_t> keys{};  // for plans; a build counts them itself
    unsigned value_bits = 8;
    std::optional<double> fpr{};  // none: no check, non-members always get some value
    unsigned probes = 4;          // 3 to 8: more reads, fewer bits, a longer build
    hasher hash{};
    std::pmr::memory_resource* memory = nullptr;
    unsigned threads = 1;
  };
  static constexpr std::string_view kind = "sparse-map";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{
      .of = family::map, .answers = output::value, .is_static = true};

  template <core::pair_range Pairs>
  [[nodiscard]] static sparse_map build(const Pairs& pairs, const options_type& options) {
    return core::map_of<sparse_map>(pairs, options);
  }
  // a template, so that only programs that build compile the solver
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
