// exact_cascade_set.hpp - which keys of a known universe are members: no error there, from a few bits per member.
// Idea       A Bloom filter of the members accepts some others; a second filter, of just those, accepts some members; a
//            third, of those, and so on until nobody is left to be wrong about. A query walks down while filters accept:
//            the layer where it is refused says which side it is on.
// Layout     The layers are one core/filter_stack. Where members are the majority, the others are what is stored, and
//            answers are inverted.
// Invariant  Every key of the universe is answered as it was declared. Other keys get either answer.
// Limits     Static. log2(e) (log2(s/r) + 2.91) bits for each of the r keys of the smaller side, s those of the other;
//            the bound is log2(s/r) + 1.44. At most 254 layers.
// Threads    Immutable: any number of readers.
// Source     [LCL17]. Differs in that a layer keeps its rate after rounding.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/ring.hpp>
#include <umbel/base/text.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/exact_face.hpp>
#include <umbel/core/field_check.hpp>
#include <umbel/engine/compose/stack.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/sizing/cascade.hpp>

namespace umbel {

struct exact_cascade_options {
  std::optional<std::uint64_t> keys{};      // members; for plans, a build counts them itself
  std::optional<std::uint64_t> universe{};  // members and others; the same
  bool members_in_universe = false;         // a build refuses a universe that misses one: incomplete_universe
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;
};

class exact_cascade_set : public core::exact_queries<exact_cascade_set>, public core::exact_builds<exact_cascade_set> {
 public:
  using options = exact_cascade_options;
  static constexpr std::string_view kind = "exact-cascade-set";
  static constexpr std::uint32_t format_version = 1;
  static constexpr traits what{.of = family::set, .is_static = true, .exact = true};

  exact_cascade_set() = default;

  using core::exact_builds<exact_cascade_set>::build;
  template <class Spool = digest_spool>  // a template, so that only programs that build compile it
  [[nodiscard]] static exact_cascade_set build(const std::type_identity_t<Spool>& members,
                                               const std::type_identity_t<Spool>& universe, const options& wish) {
    auto [stored, others, missing] = core::told_apart(members, universe, wish.threads, wish.members_in_universe);
    (void)missing;
    exact_cascade_set out;
    out.hash_ = wish.hash;
    out.members_ = stored.size();
    out.universe_ = stored.size() + others.size();
    out.inverted_ = stored.size() > others.size();
    if (out.inverted_ != 0) std::swap(stored, others);
    if (stored.size() != 0) out.filters_ = layers_of(stored, others, wish);
    out.layers_ = out.filters_.size();
    return out;
  }
  [[nodiscard]] static umbel::plan plan(const options& wish) {
    const std::uint64_t keys = wish.keys.value_or(0), universe = wish.universe.value_or(keys);
    core::check_keys(keys);
    if (universe < keys || universe > core::most_keys)
      throw bad_parameter(detail::text("universe: expected the number of all keys, at least the ", keys,
                                       " members and at most 2^50, found ", universe));
    const auto shaped = sizing::plan_exact_cascade(keys, universe - keys);
    if (shaped.bits > sizing::cascade_filter_bits)
      throw bad_parameter(detail::text("universe: ", universe, " keys take more than the 2^48 bits of a cascade"));
    return {.keys = keys,
            .cells = shaped.bits,
            .probes = shaped.probes,
            .bits = shaped.bits + 64 * shaped.layers,
            .fpr = 0};
  }

  [[nodiscard]] std::uint64_t keys() const noexcept { return members_; }
  [[nodiscard]] std::uint64_t universe() const noexcept { return universe_; }  // members and others
  [[nodiscard]] bool inverted() const noexcept { return inverted_ != 0; }
  [[nodiscard]] unsigned layers() const noexcept { return static_cast<unsigned>(layers_); }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept { return filters_.size_in_bits(); }
  // Of keys outside the universe, to which nothing is promised: the share that is answered yes.
  [[nodiscard]] double expected_fpr() const noexcept {
    double odd = 0, reached = 1;  // accepted by an odd number of layers, and by all so far
    for (std::size_t i = 0; i < filters_.size(); ++i) {
      reached *= filters_.accepts(i);
      odd += i % 2 == 0 ? reached : -reached;
    }
    return std::clamp(inverted_ != 0 ? 1 - odd : odd, 0.0, 1.0);
  }
  [[nodiscard]] const hasher& hash() const noexcept { return hash_; }

  friend bool operator==(const exact_cascade_set& a, const exact_cascade_set& b) noexcept {
    return a.hash_ == b.hash_ && a.members_ == b.members_ && a.universe_ == b.universe_ && a.inverted_ == b.inverted_ &&
           a.filters_ == b.filters_;
  }
  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("members", self.members_);
    field("universe", self.universe_);
    field("inverted", self.inverted_, core::no_or_yes);
    field("layers", self.layers_);
  }
  static void describe(auto& self, auto& part) {
    part.hash(self.hash_);
    part.fields("cascade", self);
    core::filter_stack::describe(self.filters_, part);
  }
  void check() {
    const auto require = [](bool holds, std::string_view field, std::uint64_t found) {
      if (!holds) throw corrupt(detail::text("cascade: field ", field, " has the impossible value ", found));
    };
    require(universe_ <= 2 * core::most_keys, "universe", universe_);
    require(members_ <= universe_, "members", members_);
    const std::uint64_t others = universe_ - members_;
    require(inverted_ == (members_ > others ? 1U : 0U), "inverted", inverted_);
    require(layers_ <= sizing::exact_max_layers, "layers", layers_);
    require((layers_ == 0) == (members_ == 0 || others == 0), "layers", layers_);
    filters_.check(layers_);
    for (std::size_t i = 0; i < layers_; ++i) require(filters_.exists(i), "layers", layers_);
    if (layers_ != 0) require(std::min(members_, others) <= filters_.cells(0), "members", members_);
  }

 private:
  friend core::exact_queries<exact_cascade_set>;

  [[nodiscard]] bool contains_digest(digest d) const noexcept {
    std::size_t layer = 0;
    while (layer < filters_.size() && filters_.may_contain(layer, d)) ++layer;
    return (layer % 2 != 0) != (inverted_ != 0);
  }
  // Most of the others are refused by the first layer, most members by the second: the first cells of both are fetched.
  void contains_digests(std::size_t total, auto& digest_at, bool* out) const noexcept {
    const std::size_t ahead = std::min<std::size_t>(filters_.size(), 2);
    detail::ring<digest>(
        total,
        [&](std::size_t i, digest& d) {
          d = digest_at(i);
          for (std::size_t layer = 0; layer < ahead; ++layer) filters_.prefetch(layer, d);
        },
        [&](std::size_t i, const digest& d) { out[i] = contains_digest(d); });
  }

  // ---- building ----

  // One side of the universe, as far as it is still to be told: all of it in a spool, later the few in memory.
  template <class Spool>
  struct side {
    const Spool* all;
    std::vector<digest> some;
    [[nodiscard]] std::uint64_t size() const noexcept { return all != nullptr ? all->size() : some.size(); }
    template <class Work>
    void in_blocks(Work&& work) const {
      if (all != nullptr)
        all->for_each(0, Spool::bins, work);
      else
        work(std::span<const digest>(some));
    }
    // Those that the filter accepts.
    [[nodiscard]] std::vector<digest> accepted_by(const core::filter_stack::loose& filter) const {
      std::vector<digest> out;
      in_blocks([&](std::span<const digest> block) {
        filter.each_accepted(block, [&](std::size_t i) { out.push_back(block[i]); });
      });
      return out;
    }
  };

  template <class Spool>
  [[nodiscard]] static core::filter_stack layers_of(const Spool& stored, const Spool& others, const options& wish) {
    std::vector<core::filter_stack::loose> filters;
    side<Spool> inside{&stored, {}}, outside{&others, {}};  // the keys of the next layer, and those it should refuse
    while (inside.size() != 0 && outside.size() != 0) {
      if (filters.size() == sizing::exact_max_layers)
        throw unsolvable(detail::text("exact-cascade-set: keys still alike after ", filters.size(), " layers"));
      const auto shape =
          sizing::exact_layer(inside.size(), static_cast<unsigned>(filters.size()), stored.size(), others.size());
      std::vector<digest> wrong;
      for (unsigned draw = 0;; ++draw) {  // a layer that refuses nobody is drawn again
        core::filter_stack::loose layer(shape, filters.size(), draw, wish.memory);
        inside.in_blocks([&](std::span<const digest> block) { layer.insert(block); });
        wrong = outside.accepted_by(layer);
        if (wrong.size() < outside.size() || draw + 1 == sizing::cascade_draws) {
          filters.push_back(std::move(layer));
          break;
        }
      }
      outside = side<Spool>{nullptr, std::move(wrong)};
      std::swap(inside, outside);
    }
    return core::filter_stack(filters, wish.memory);
  }

  hasher hash_;
  std::uint64_t members_ = 0;
  std::uint64_t universe_ = 0;
  std::uint64_t inverted_ = 0;
  std::uint64_t layers_ = 0;
  core::filter_stack filters_;
};

}  // namespace umbel
