// fuse_map.hpp - static map from keys to small integers: about 1.13 (value bits + check bits) per key, three reads.
// Idea       core/fuse.hpp under the map adaptor: value and check tag are stored as one word that comes out of an XOR of
//            three cells.
// Invariant  Every key given answers its value, always. A stranger gets none, or some value with probability fpr.
// Limits     Values are fixed at build. Value bits and check bits together at most 64.
// Threads    Immutable: any number of readers.
// Source     [GL22] for the graph, [CKRT04] for the idea of a map without keys.
#pragma once

#include <string_view>
#include <type_traits>

#include <umbel/core/fuse.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/retrieval_map.hpp>
#include <umbel/core/traits.hpp>

namespace umbel {

struct fuse_map_options {
  std::optional<std::uint64_t> keys{};  // for plans; a build counts them itself
  unsigned value_bits = 8;
  std::optional<double> fpr{};  // none: no check, strangers always get some value
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;
  std::uint64_t shard_from = sizing::fuse_shard_from;  // a seam for tests
};

class fuse_map : public core::retrieval_map<fuse_map, core::fuse> {
 public:
  using options = fuse_map_options;
  static constexpr std::string_view kind = "fuse-map";
  static constexpr std::uint32_t format_version = 1;
  static constexpr traits what{.of = family::map, .answers = output::value, .is_static = true};

  fuse_map() = default;

  using core::static_map<fuse_map>::build;
  template <class Spool = pair_spool>  // a template, so that only programs that build compile the solver
  [[nodiscard]] static fuse_map build(const std::type_identity_t<Spool>& pairs, const options& wish) {
    return {wish.hash,
            pairs,
            wish.value_bits,
            {.width = width_for(wish.value_bits, wish.fpr),
             .memory = wish.memory,
             .threads = wish.threads,
             .shard_from = wish.shard_from}};
  }
  [[nodiscard]] static umbel::plan plan(const options& wish) {
    const unsigned width = width_for(wish.value_bits, wish.fpr);
    return core::fuse::plan(wish.keys.value_or(0), width, width - wish.value_bits, wish.shard_from);
  }

 private:
  using retrieval_map::retrieval_map;
};

}  // namespace umbel
