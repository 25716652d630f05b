// peeled_map.hpp - options, plan and build of maps on peeled graphs (Bloomier filters [CKRT04] and
// their relatives). A kind adds its name and graph.
//
// Value and check are stored as one word: the XOR of a few cells (engine/retrieval/peeled.hpp).
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>

#include <umbel/core/keyed.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/spooled.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/engine/retrieval/checked.hpp>
#include <umbel/engine/retrieval/peeled_build.hpp>

namespace umbel::core {

struct peeled_map_options {
  std::optional<std::uint64_t> keys{};  // for plans; a build counts them itself
  unsigned value_bits = 8;
  std::optional<double> fpr{};  // none: no check, non-members always get some value
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;
  std::uint64_t shard_from = sizing::peel_shard_from;  // a seam for tests
};

template <peelable Graph>
class peeled_map : public keyed<checked<peeled<Graph>>> {
  using base = keyed<checked<peeled<Graph>>>;

 public:
  using options_type = peeled_map_options;
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{
      .of = family::map, .answers = output::value, .is_static = true};

  peeled_map() = default;
  peeled_map(const pair_source& pairs, const options_type& options)
      : base(options.hash, checked<peeled<Graph>>::build(
                               pairs, options.value_bits,
                               {.width = tag_rule::width_for(options.value_bits, options.fpr),
                                .memory = options.memory,
                                .threads = options.threads,
                                .shard_from = options.shard_from})) {}

  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    const unsigned width = tag_rule::width_for(options.value_bits, options.fpr);
    return peeled<Graph>::plan(options.keys.value_or(0), width, width - options.value_bits,
                               options.shard_from);
  }
  // One system is piled up straight from the keys.
  [[nodiscard]] static bool reads_once(std::uint64_t keys, const options_type& options) noexcept {
    return sizing::peel_shard_bits(keys, options.shard_from) == 0;
  }
};

}  // namespace umbel::core
