// bloomier_filter.hpp - the Bloomier filter: static map to any number V of values, on a graph of
// one's choice.
// Idea       CREATE finds an order in which every key has a cell that no key before it touches
//            (FIND_MATCH, by peeling), and sets these cells so that LOOKUP, the XOR of a key's k
//            cells and of its mask, gives the key's value. A non-member's mask makes any of the 2^q
//            words equally likely; V of them are values.
// Layout     engine/retrieval/peeled.hpp on engine/retrieval/any_graph.hpp; q-bit cells, q =
//            ceil(log2(V / fpr)).
// Graphs     `random` as the paper has it, `partitioned`, `fuse`; the smaller of the last two by
//            default. `two_probe` reads two cells per query and takes 2.1 per key.
// Invariant  Every key given answers its value, always. A non-member gets none, or with probability
//            V / 2^q some value, each as likely as another.
// Limits     Values are fixed at build (mutable_bloomier_filter). q is at most 64. binary_fuse_map
//            is faster where V is 2^r.
// Threads    Immutable: any number of readers.
// Source     [CKRT04] sec. 3; [CC08] for two probes. Differs in the graphs, and in peeling cell by
//            cell instead of in rounds.
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

struct bloomier_filter_options {
  std::optional<std::uint64_t> keys{};  // for plans; a build counts them itself
  unsigned value_bits = 8;
  // none: no check, non-members get some value as often as there is one
  std::optional<double> fpr{};
  std::optional<std::uint64_t> values{};  // 0 to values - 1, instead of value_bits
  graph_options graph{};                  // form, cells of a key, cells per key
  // words in cells that no key needs, from the hash's seed or key; else zeros
  bool fill = false;
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;
  std::uint64_t shard_from = sizing::peel_shard_from;  // a seam for tests
};

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

  template <core::pair_range Pairs>
  [[nodiscard]] static bloomier_filter build(const Pairs& pairs, const options_type& options) {
    return core::map_of<bloomier_filter>(pairs, options);
  }
  // a template, so that only programs that build compile the solver
  template <class Spool = pair_spool>
  [[nodiscard]] static bloomier_filter build(const std::type_identity_t<Spool>& pairs,
                                             const options_type& options) {
    return {options.hash, engine_type::build(pairs, core::mask_rule(core::largest_value(options)),
                                             build_options_of(options))};
  }
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    const unsigned width = build_options_of(options).width;
    auto out = table::plan(options.keys.value_or(0), width, 0, options.shard_from, options.graph);
    if (out.keys != 0) out.fpr = sizing::masked_fpr(core::largest_value(options), width);
    return out;
  }

  // value there can be
  [[nodiscard]] std::uint64_t largest() const noexcept { return engine_.rule().largest(); }
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
