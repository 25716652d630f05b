// sparse_map.hpp - static map from keys to small integers: 1.03 (value bits + check bits) per key
// at four reads.
// Idea       engine/retrieval/sparse.hpp under the map adaptor: as fuse_map, but the equations are
//            solved by elimination in buckets of 1500 keys, so that far fewer cells are left over.
//            `probes` trades reads for space: 1.10 cells per key at three, 1.03 at four (the two
//            forms of [GOV20]), 1.018, 1.013, 1.011 and 1.010 at five to eight.
// Invariant  Every key given answers its value, always. A stranger gets none, or some value with
//            probability fpr.
// Limits     Values are fixed at build, which takes several times as long as fuse_map's. Value bits
//            and check bits together at most 64.
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
  struct options {
    std::optional<std::uint64_t> keys{};  // for plans; a build counts them itself
    unsigned value_bits = 8;
    std::optional<double> fpr{};  // none: no check, strangers always get some value
    unsigned probes = 4;          // 3 to 8: more reads, fewer bits, a longer build
    hasher hash{};
    std::pmr::memory_resource* memory = nullptr;
    unsigned threads = 1;
  };
  static constexpr std::string_view kind = "sparse-map";
  static constexpr std::uint32_t format_version = 1;
  static constexpr traits what{.of = family::map, .answers = output::value, .is_static = true};

  template <core::pair_range Pairs>
  [[nodiscard]] static sparse_map build(const Pairs& pairs, const options& wish) {
    return core::map_of<sparse_map>(pairs, wish);
  }
  // a template, so that only programs that build compile the solver
  template <class Spool = pair_spool>
  [[nodiscard]] static sparse_map build(const std::type_identity_t<Spool>& pairs,
                                        const options& wish) {
    return {wish.hash,
            engine_type::build(pairs, wish.value_bits,
                               {.width = core::tag_rule::width_for(wish.value_bits, wish.fpr),
                                .probes = wish.probes,
                                .memory = wish.memory,
                                .threads = wish.threads})};
  }
  [[nodiscard]] static umbel::plan plan(const options& wish) {
    const unsigned width = core::tag_rule::width_for(wish.value_bits, wish.fpr);
    return core::sparse::plan(wish.keys.value_or(0), width, width - wish.value_bits, wish.probes);
  }

  sparse_map() = default;

 private:
  using keyed::keyed;
};

}  // namespace umbel
