// bloomier_filter.hpp - Bloomier filter [CKRT04]: static map to any number V of values, on a choice
// of graphs.
//
// CREATE finds, by peeling (FIND_MATCH), an order in which every key has a cell that no earlier key
// touches. It sets these cells so that LOOKUP, the XOR of a key's k cells and of its mask, gives
// the key's value. The mask of a non-member makes all 2^q words equally likely; V of them are
// values.
//
// Layout     engine/retrieval/peeled.hpp on engine/retrieval/any_graph.hpp; cells of q bits, q =
//            ceil(log2(V / fpr)).
// Graphs     `random` as in [CKRT04], `partitioned`, `fuse`; by default the smaller of the last
//            two. `two_probe` reads two cells per query and takes 2.1 cells per key.
// Invariant  Every key of the build gets its value. A non-member gets none, or with probability V /
//            2^q some value, all equally likely.
// Limits     Values are fixed at the build (else mutable_bloomier_filter). q is at most 64. Where V
//            is a power of two, binary_fuse_map is faster.
// Threads    Immutable: any number of readers.
// Source     [CKRT04] sec. 3; [CC08] for two probes. Differs in the graphs, and in that it peels
//            cell by cell instead of in rounds.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <type_traits>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/core/keyed.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/spooled.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/engine/retrieval/any_graph.hpp>
#include <umbel/engine/retrieval/checked.hpp>
#include <umbel/engine/retrieval/peeled_build.hpp>

namespace umbel {

using sizing::graph_form;
using sizing::graph_options;
using sizing::two_probe;

// Options of bloomier_filter.
struct bloomier_filter_options {
  std::optional<std::uint64_t> keys{};  // keys, for plan(); a build counts them itself
  unsigned value_bits = 8;              // bits of a value; with the check bits at most 64
  // rate at which a non-member gets a value; absent: cells just wide enough for the values
  std::optional<double> fpr{};
  std::optional<std::uint64_t> values{};  // number V of values: 0 to V - 1; replaces value_bits
  graph_options graph{};  // form of the graph, cells per key (arity), array cells per key
  // fill the cells no key uses with random bits, from the seed or key of the hash; else zeros
  bool fill = false;
  hasher hash{};                                // hash function, and its seed or secret key
  std::pmr::memory_resource* memory = nullptr;  // for the cells; null: the default resource
  unsigned threads = 1;                         // threads of a build
  // least number of keys that is split into shards; for tests
  std::uint64_t shard_from = sizing::peel_shard_from;
};

// The map. Inherited from core/keyed.hpp: find, find_batch, value, value_batch, keys, value_bits.
class bloomier_filter
    : public core::keyed<core::checked<core::peeled<core::any_graph>, core::mask_rule>> {
  using base = core::keyed<core::checked<core::peeled<core::any_graph>, core::mask_rule>>;
  using table = core::peeled<core::any_graph>;

 public:
  using options_type = bloomier_filter_options;
  static constexpr std::string_view kind = "bloomier-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{
      .of = family::map, .answers = output::value, .is_static = true};

  bloomier_filter() = default;

  // A map of these pairs (key, value). Throws bad_parameter for a value that does not fit and
  // conflict for a key with two values; both messages name the key.
  template <core::pair_range Pairs>
  [[nodiscard]] static bloomier_filter build(const Pairs& pairs, const options_type& options) {
    return core::map_of<bloomier_filter>(pairs, options);
  }
  // The same from a spool of digests with values. A template, so that only programs that call it
  // compile the solver.
  template <class Spool = pair_spool>
  [[nodiscard]] static bloomier_filter build(const std::type_identity_t<Spool>& pairs,
                                             const options_type& options) {
    return {options.hash, engine_type::build(pairs, core::mask_rule(core::largest_value(options)),
                                             build_options_of(options))};
  }
  // Size and predicted false positive rate of a map with these options. Builds nothing.
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    const unsigned width = build_options_of(options).width;
    auto out = table::plan(options.keys.value_or(0), width, 0, options.shard_from, options.graph);
    if (out.keys != 0) out.fpr = sizing::masked_fpr(core::largest_value(options), width);
    return out;
  }

  // The largest value there can be: V - 1.
  [[nodiscard]] std::uint64_t largest() const noexcept { return engine_.rule().largest(); }
  // The graph: its form, arity and size.
  [[nodiscard]] const sizing::graph_shape& shape() const noexcept {
    return engine_.retrieval().shape();
  }

 private:
  using base::base;
  [[nodiscard]] static table::build_options build_options_of(const options_type& options) {
    if (options.values == std::uint64_t{0})
      throw bad_parameter("values: expected at least 1, found 0");
    if (!options.values && (options.value_bits < 1 || options.value_bits > 64))
      throw bad_parameter(detail::text("value_bits: expected 1 to 64, found ", options.value_bits));
    core::any_graph::check(options.graph);
    return {.width = core::mask_rule(core::largest_value(options)).width_for(options.fpr),
            .graph = options.graph,
            .fill = options.fill ? std::optional(options.hash(std::string_view("umbel fill")).hi)
                                 : std::nullopt,
            .memory = options.memory,
            .threads = options.threads,
            .shard_from = options.shard_from};
  }
};

}  // namespace umbel
