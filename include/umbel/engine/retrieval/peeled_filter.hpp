// peeled_filter.hpp - options, plan and build of xor filters [GL20] and binary fuse filters [GL22].
// A kind adds its name and graph.
//
// The build solves f(x) = tag(x) for all keys (engine/retrieval/peeled.hpp). A non-member passes
// with probability 2^-r.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>

#include <umbel/core/keyed.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/spooled.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/engine/retrieval/peeled_build.hpp>
#include <umbel/engine/retrieval/tagged.hpp>

namespace umbel::core {

struct peeled_filter_options {
  std::optional<std::uint64_t> keys{};  // for plans; a build counts them itself
  std::optional<double> fpr{};
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;
  std::uint64_t shard_from = sizing::peel_shard_from;  // a seam for tests
};

template <peelable Graph>
class peeled_filter : public keyed<tagged<peeled<Graph>>> {
  using base = keyed<tagged<peeled<Graph>>>;

 public:
  using options_type = peeled_filter_options;
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{.of = family::set, .is_static = true};

  peeled_filter() = default;
  peeled_filter(const digest_source& keys, const options_type& options)
      : base(options.hash, tagged<peeled<Graph>>::build(keys, build_options_of(options))) {}

  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    const unsigned width = build_options_of(options).width;
    return peeled<Graph>::plan(options.keys.value_or(0), width, width, options.shard_from);
  }
  // One system is piled up straight from the keys.
  [[nodiscard]] static bool reads_once(std::uint64_t keys, const options_type& options) noexcept {
    return sizing::peel_shard_bits(keys, options.shard_from) == 0;
  }

 private:
  [[nodiscard]] static typename peeled<Graph>::build_options build_options_of(
      const options_type& options) {
    return {.width = tag_bits_for(options.fpr.value_or(1.0 / 256)),
            .memory = options.memory,
            .threads = options.threads,
            .shard_from = options.shard_from};
  }
};

}  // namespace umbel::core
