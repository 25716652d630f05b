// peeled_filter.hpp - what the sets on peeled graphs share: options, plan and build. A kind adds its name and graph.
// Idea       engine/retrieval/peeled.hpp under the fingerprint adaptor: build solves f(x) = tag(x) for all keys, so strangers pass by
//            luck only, once in 2^r.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <type_traits>

#include <umbel/engine/retrieval/peeled_build.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/engine/retrieval/tagged.hpp>
#include <umbel/core/traits.hpp>

namespace umbel::core {

struct peeled_filter_options {
  std::optional<std::uint64_t> keys{};  // for plans; a build counts them itself
  std::optional<double> fpr{};
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;
  std::uint64_t shard_from = sizing::peel_shard_from;  // a seam for tests
};

template <class Self, core::peelable Graph>
class peeled_filter : public retrieval_filter<Self, peeled<Graph>> {
  using base = retrieval_filter<Self, peeled<Graph>>;
  using how_to_build = typename peeled<Graph>::build_options;

 public:
  using options = peeled_filter_options;
  static constexpr std::uint32_t format_version = 1;
  static constexpr traits what{.of = family::set, .is_static = true};

  using static_set<Self>::build;
  template <class Spool = digest_spool>  // a template, so that only programs that build compile the solver
  [[nodiscard]] static Self build(const std::type_identity_t<Spool>& keys, const options& wish) {
    Self out;
    static_cast<peeled_filter&>(out) = peeled_filter(wish.hash, keys, how(wish));
    return out;
  }
  [[nodiscard]] static umbel::plan plan(const options& wish) {
    const unsigned width = how(wish).width;
    return peeled<Graph>::plan(wish.keys.value_or(0), width, width, wish.shard_from);
  }

 protected:
  peeled_filter() = default;

 private:
  template <class Spool>
  peeled_filter(const hasher& hash, const Spool& keys, const how_to_build& how) : base(hash, keys, how) {}
  [[nodiscard]] static how_to_build how(const options& wish) {
    return {.width = tag_bits_for(wish.fpr.value_or(1.0 / 256)),
            .memory = wish.memory,
            .threads = wish.threads,
            .shard_from = wish.shard_from};
  }
};

}  // namespace umbel::core
