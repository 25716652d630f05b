// peeled_filter.hpp - options, plan and build of the sets on peeled graphs: xor and binary fuse
// filters. A kind adds its name and graph.
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
  using options = peeled_filter_options;
  static constexpr std::uint32_t format_version = 1;
  static constexpr traits what{.of = family::set, .is_static = true};

  peeled_filter() = default;
  peeled_filter(const digest_spool& keys, const options& wish)
      : base(wish.hash, tagged<peeled<Graph>>::build(keys, how(wish))) {}

  [[nodiscard]] static umbel::plan plan(const options& wish) {
    const unsigned width = how(wish).width;
    return peeled<Graph>::plan(wish.keys.value_or(0), width, width, wish.shard_from);
  }

 private:
  [[nodiscard]] static typename peeled<Graph>::build_options how(const options& wish) {
    return {.width = tag_bits_for(wish.fpr.value_or(1.0 / 256)),
            .memory = wish.memory,
            .threads = wish.threads,
            .shard_from = wish.shard_from};
  }
};

}  // namespace umbel::core
