// ribbon_map.hpp - static map from keys to small integers, in hardly more than value bits and check bits per key.
// Idea       engine/retrieval/ribbon/ribbon.hpp under the map adaptor: value and check tag are stored as one word, whose bits are parities
//            of a short run of slots.
// Invariant  Every key given answers its value, always. A stranger gets none, or some value with probability fpr.
// Limits     Values are fixed at build. Value bits and check bits together at most 64. Any preset but the homogeneous.
// Threads    Immutable: any number of readers.
// Source     [DHSW22] for the ribbon, [CKRT04] for the idea of a map without keys.
#pragma once

#include <string_view>
#include <type_traits>

#include <umbel/core/plan.hpp>
#include <umbel/engine/retrieval/checked.hpp>
#include <umbel/engine/retrieval/ribbon/build.hpp>
#include <umbel/core/traits.hpp>

namespace umbel {

struct ribbon_map_options {
  std::optional<std::uint64_t> keys{};  // for plans; a build counts them itself
  unsigned value_bits = 8;
  std::optional<double> fpr{};  // none: no check, strangers always get some value
  ribbon_preset preset = ribbon_preset::fast;
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;
  std::uint64_t shard_from = sizing::peel_shard_from;  // a seam for tests
};

class ribbon_map : public core::retrieval_map<ribbon_map, core::ribbon> {
 public:
  using options = ribbon_map_options;
  static constexpr std::string_view kind = "ribbon-map";
  static constexpr std::uint32_t format_version = 1;
  static constexpr traits what{.of = family::map, .answers = output::value, .is_static = true, .lines = 3};

  ribbon_map() = default;

  using core::static_map<ribbon_map>::build;
  template <class Spool = pair_spool>  // a template, so that only programs that build compile the solver
  [[nodiscard]] static ribbon_map build(const std::type_identity_t<Spool>& pairs, const options& wish) {
    core::ribbon::require_values(wish.preset);
    return {wish.hash,
            pairs,
            wish.value_bits,
            {.width = core::tag_rule::width_for(wish.value_bits, wish.fpr),
             .preset = wish.preset,
             .memory = wish.memory,
             .threads = wish.threads,
             .shard_from = wish.shard_from}};
  }
  [[nodiscard]] static umbel::plan plan(const options& wish) {
    core::ribbon::require_values(wish.preset);
    const unsigned width = core::tag_rule::width_for(wish.value_bits, wish.fpr);
    return core::ribbon::plan(wish.keys.value_or(0), width, width - wish.value_bits, wish.preset, wish.shard_from);
  }
  void check() {
    retrieval_map::check();
    core::ribbon::require_values(engine().preset());
  }

 private:
  using retrieval_map::retrieval_map;
};

}  // namespace umbel
