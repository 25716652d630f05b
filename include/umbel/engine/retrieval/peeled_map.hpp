// peeled_map.hpp - what the maps on peeled graphs share: options, plan and build. A kind adds its name and graph.
// Idea       engine/retrieval/peeled.hpp under the map adaptor: value and check tag are stored as one word that comes out of an XOR
//            of a few cells.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <type_traits>

#include <umbel/engine/retrieval/peeled_build.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/engine/retrieval/checked.hpp>
#include <umbel/core/traits.hpp>

namespace umbel::core {

struct peeled_map_options {
  std::optional<std::uint64_t> keys{};  // for plans; a build counts them itself
  unsigned value_bits = 8;
  std::optional<double> fpr{};  // none: no check, strangers always get some value
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;
  std::uint64_t shard_from = sizing::peel_shard_from;  // a seam for tests
};

template <class Self, core::peelable Graph>
class peeled_map : public retrieval_map<Self, peeled<Graph>> {
  using base = retrieval_map<Self, peeled<Graph>>;
  using how_to_build = typename peeled<Graph>::build_options;

 public:
  using options = peeled_map_options;
  static constexpr std::uint32_t format_version = 1;
  static constexpr traits what{.of = family::map, .answers = output::value, .is_static = true};

  using static_map<Self>::build;
  template <class Spool = pair_spool>  // a template, so that only programs that build compile the solver
  [[nodiscard]] static Self build(const std::type_identity_t<Spool>& pairs, const options& wish) {
    Self out;
    static_cast<peeled_map&>(out) = peeled_map(pairs, wish,
                                               {.width = tag_rule::width_for(wish.value_bits, wish.fpr),
                                                .memory = wish.memory,
                                                .threads = wish.threads,
                                                .shard_from = wish.shard_from});
    return out;
  }
  [[nodiscard]] static umbel::plan plan(const options& wish) {
    const unsigned width = tag_rule::width_for(wish.value_bits, wish.fpr);
    return peeled<Graph>::plan(wish.keys.value_or(0), width, width - wish.value_bits, wish.shard_from);
  }

 protected:
  peeled_map() = default;

 private:
  template <class Spool>
  peeled_map(const Spool& pairs, const options& wish, const how_to_build& how)
      : base(wish.hash, pairs, wish.value_bits, how) {}
};

}  // namespace umbel::core
