// mutable_bloomier_map.hpp - static keys, changing values: a Bloomier filter that says where a key's value is kept.
// Idea       Peeling gives every key a cell of its own among its k. The first table answers which of the k it is, the
//            second holds the values there. So `assign` (SET_VALUE) changes one cell, and no other key's.
// Layout     Table 1: engine/retrieval/peeled.hpp on engine/retrieval/any_graph.hpp, cells of q = ceil(log2(k / fpr)) bits, a word being the number of
//            the probe xor the key's mask. Table 2: as many packed cells of value_bits bits; or, `compact`, a bit for each
//            that says whether it is a key's, and cells for those alone: smaller from 6 bits of value (10 in a fuse graph).
// Invariant  Every key given answers the value it was last assigned. A stranger gets none, or with probability k / 2^q
//            some key's value. Table 1 never changes after build.
// Limits     `assign` of a stranger that passes overwrites the value of a member: assign only keys that were given, or
//            take a rate that bears it. Keys are fixed at build, and must be: a map in so few bits cannot take others.
// Threads    Many readers or one writer. `concurrent_mutable_bloomier_map` takes any number of both, for values of 8, 16,
//            32 or 64 bits: a reader gets a value that was assigned, old or new.
// Source     [CKRT04] sec. 3.3, and sec. 5 for why keys are fixed.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/packed.hpp>
#include <umbel/cells/ranked_bits.hpp>
#include <umbel/cells/shared_packed.hpp>
#include <umbel/core/batch.hpp>
#include <umbel/engine/retrieval/peeled_build.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/engine/retrieval/tagged.hpp>
#include <umbel/core/spooled.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/engine/retrieval/any_graph.hpp>

namespace umbel {

using sizing::graph_form;
using sizing::graph_wish;
using sizing::two_probe;

// plain: a value for every cell of the graph. compact: for the cells of keys alone, found by a rank.
enum class mutable_bloomier_preset : std::uint64_t { plain, compact };
// False if there is none of this name; then nothing changes.
[[nodiscard]] constexpr bool preset_named(std::string_view name, mutable_bloomier_preset& out) noexcept {
  if (name != "plain" && name != "compact") return false;
  out = name == "plain" ? mutable_bloomier_preset::plain : mutable_bloomier_preset::compact;
  return true;
}

struct mutable_bloomier_map_options {
  std::optional<std::uint64_t> keys{};  // for plans; a build counts them itself
  unsigned value_bits = 8;
  std::optional<double> fpr{};  // none: 1/256, since a stranger that passes may write
  graph_wish graph{};           // form, cells of a key, cells per key
  mutable_bloomier_preset preset = mutable_bloomier_preset::plain;
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;
  std::uint64_t shard_from = sizing::peel_shard_from;  // a seam for tests
};

template <class Values>
class basic_mutable_bloomier_map : public core::static_map<basic_mutable_bloomier_map<Values>> {
  using engine_type = core::peeled<core::any_graph>;
  using how_to_build = typename engine_type::build_options;

 public:
  using options = mutable_bloomier_map_options;
  static constexpr std::string_view kind = "mutable-bloomier-map";
  static constexpr std::uint32_t format_version = 1;
  static constexpr traits what{.of = family::map, .answers = output::value, .is_static = true, .assigns = true};

  basic_mutable_bloomier_map() = default;

  using core::static_map<basic_mutable_bloomier_map>::build;
  template <class Spool = pair_spool>  // a template, so that only programs that build compile the solver
  [[nodiscard]] static basic_mutable_bloomier_map build(const std::type_identity_t<Spool>& pairs, const options& wish) {
    const how_to_build how = how_for(wish);
    basic_mutable_bloomier_map out;
    out.hash_ = wish.hash;
    out.value_bits_ = wish.value_bits;
    out.engine_ = engine_type::build(pairs, how, [&](const core::valued& v) {
      if (v.value > core::largest_value(wish)) throw bad_parameter(core::misfit(v.value, core::largest_value(wish)));
      return core::tag_of(v.key, how.width);
    });
    if (out.keys() == 0) return out;
    std::uint64_t room = out.engine_.cell_count();
    unsigned threads = wish.threads;
    if (wish.preset == mutable_bloomier_preset::compact) {
      cells::bits used(room, wish.memory);
      out.each_cell(pairs, threads, [&](const core::valued&, std::uint64_t cell) { (void)used.set(cell); });
      out.used_ = used_cells(std::move(used));
      room = out.used_.ones();
      threads = 1;  // values of neighbours share words
    }
    out.values_ = Values(room, wish.value_bits, wish.memory);
    out.each_cell(pairs, threads, [&](const core::valued& v, std::uint64_t cell) { out.values_.set(cell, v.value); });
    return out;
  }
  [[nodiscard]] static umbel::plan plan(const options& wish) {
    const unsigned width = how_for(wish).width;
    auto out = engine_type::plan(wish.keys.value_or(0), width, 0, wish.shard_from, wish.graph);
    if (out.keys == 0) return out;
    const bool compact = wish.preset == mutable_bloomier_preset::compact;
    out.bits += cells::packed::words_for(compact ? out.keys : out.cells, wish.value_bits) * 64;
    out.fpr = sizing::masked_fpr(out.probes - 1, width);
    if (compact) out.bits += cells::ranked_bits::bits_for(out.cells);
    return out;
  }

  // The value the key has; for a stranger nothing, or with probability fpr the value of some key.
  template <key K>
  [[nodiscard]] std::optional<std::uint64_t> find(const K& k) const noexcept {
    const std::uint64_t cell = own_cell(hash_(k));
    if (cell == none) return std::nullopt;
    return values_.get(cell);
  }
  // Exact for members, arbitrary for strangers.
  template <key K>
  [[nodiscard]] std::uint64_t value(const K& k) const noexcept {
    return find(k).value_or(0);
  }
  // answers[i] for keys[i]; the fast way.
  template <core::key_span Keys>
  void find_batch(const Keys& keys, std::span<std::optional<std::uint64_t>> answers) const noexcept {
    over(keys, [&](std::size_t i, std::uint64_t cell) {
      answers[i] = cell == none ? std::nullopt : std::optional(values_.get(cell));
    });
  }
  template <core::key_span Keys>
  void value_batch(const Keys& keys, std::span<std::uint64_t> answers) const noexcept {
    over(keys, [&](std::size_t i, std::uint64_t cell) { answers[i] = cell == none ? 0 : values_.get(cell); });
  }

  // Gives a key that was given to the build another value. False, and nothing changed, if it is known not to be one; a
  // stranger that is not known writes into some key's value. Throws bad_parameter for a value too wide.
  template <key K>
  bool assign(const K& k, std::uint64_t value) {
    check_value(value);
    const std::uint64_t cell = own_cell(hash_(k));
    if (cell == none) return false;
    values_.set(cell, value);
    return true;
  }
  // values[i] to keys[i], in this order; how many were assigned. Nothing is, if a value is too wide.
  template <core::key_span Keys>
  std::size_t assign_batch(const Keys& keys, std::span<const std::uint64_t> values) {
    assert(values.size() >= std::size(keys));
    for (const std::uint64_t value : values.first(std::size(keys))) check_value(value);
    std::size_t assigned = 0;
    over(keys, [&](std::size_t i, std::uint64_t cell) {
      if (cell == none) return;
      values_.set(cell, values[i]);
      ++assigned;
    });
    return assigned;
  }

  [[nodiscard]] std::uint64_t keys() const noexcept { return engine_.keys(); }
  [[nodiscard]] unsigned value_bits() const noexcept { return static_cast<unsigned>(value_bits_); }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return keys() == 0 ? 0 : engine_.size_in_bits() + used_.size_in_bits() + values_.storage().size() * 64;
  }
  // The share of strangers that get a value.
  [[nodiscard]] double expected_fpr() const noexcept {
    if (keys() == 0) return 0;
    const auto& graph = engine_.shape();
    const double named = sizing::masked_fpr(graph.arity - 1, engine_.width());
    if (!compact()) return named;
    // And the cell is some key's. A fuse graph has more cells than starts, but these are the less used.
    const double starts = std::ldexp(static_cast<double>(graph.blocks) * static_cast<double>(graph.block),
                                     static_cast<int>(engine_.shard_bits()));
    return named * std::min(1.0, static_cast<double>(keys()) / starts);
  }
  [[nodiscard]] bool compact() const noexcept { return !used_.empty(); }
  [[nodiscard]] const sizing::graph_shape& shape() const noexcept { return engine_.shape(); }
  [[nodiscard]] const hasher& hash() const noexcept { return hash_; }
  [[nodiscard]] const engine_type& engine() const noexcept { return engine_; }  // the first table

  friend bool operator==(const basic_mutable_bloomier_map& a, const basic_mutable_bloomier_map& b) noexcept {
    return a.hash_ == b.hash_ && a.value_bits_ == b.value_bits_ && a.engine_ == b.engine_ &&
           a.values_.storage() == b.values_.storage() && a.used_ == b.used_;
  }
  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("value_bits", self.value_bits_);
  }
  static void describe(auto& self, auto& part) {
    part.hash(self.hash_);
    part.fields("map", self);
    engine_type::describe(self.engine_, part);
    part.array("values", self.values_.storage());
    part.optional("used", self.used_);
  }
  void check() {
    engine_.check();
    if (value_bits_ < 1 || value_bits_ > 64)
      throw corrupt(detail::text("value_bits: expected 1 to 64, found ", value_bits_));
    if (keys() == 0) {
      if (compact()) throw corrupt("used: cells of a map without keys");
      return values_.storage().require(0);
    }
    if (engine_.shape().arity - 1 > detail::low_mask(engine_.width()))
      throw corrupt(detail::text("width: ", engine_.width(), " bits cannot name a probe"));
    if (compact()) {
      used_.reshape(engine_.cell_count());
      if (const std::uint64_t used = used_.ones(); used != keys())
        throw corrupt(detail::text("used: expected a cell for each of ", keys(), " keys, found ", used));
    }
    values_.reshape(compact() ? keys() : engine_.cell_count(), value_bits());
  }

 private:
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  struct used_cells : cells::ranked_bits {
    using cells::ranked_bits::ranked_bits;
    [[nodiscard]] bool empty() const noexcept { return storage().size() == 0; }
    static void describe(auto& self, auto& part) { part.array("used", self.storage()); }
    void check() const noexcept {}  // reshape does, once the number of cells is known
  };

  [[nodiscard]] static how_to_build how_for(const options& wish) {
    if (wish.value_bits < 1 || wish.value_bits > 64)
      throw bad_parameter(detail::text("value_bits: expected 1 to 64, found ", wish.value_bits));
    core::any_graph::check(wish.graph);
    const double fpr = wish.fpr.value_or(1.0 / 256);
    core::check_fpr(fpr);
    const unsigned width = sizing::masked_width(wish.graph.arity - 1, fpr);
    core::check_kept(fpr, sizing::masked_fpr(wish.graph.arity - 1, std::min(width, 64U)));
    return {.width = width,
            .graph = wish.graph,
            .add_probe = true,
            .memory = wish.memory,
            .threads = wish.threads,
            .shard_from = wish.shard_from};
  }
  void check_value(std::uint64_t value) const {
    const std::uint64_t largest = detail::low_mask(value_bits());
    if (value > largest) throw bad_parameter(core::misfit(value, largest));
  }

  // The cell that word and mask lead to. A stranger's word may name no probe, even one below k where two of its cells
  // have cancelled.
  [[nodiscard]] std::uint64_t own_cell(const core::cell_list& at, std::uint64_t mask) const noexcept {
    const std::uint64_t probe = engine_.value_at(at) ^ mask;
    return probe < at.size() ? at[probe] : none;
  }
  // Where the value of a cell is kept; none if no key has the cell. In a file that changes while it is mapped a rank may be
  // anything.
  [[nodiscard]] std::uint64_t place_of(std::uint64_t cell) const noexcept {
    if (!compact() || cell == none) return cell;
    return used_.test(cell) ? std::min(used_.rank(cell), keys() - 1) : none;
  }
  [[nodiscard]] std::uint64_t own_cell(digest d) const noexcept {
    return keys() == 0 ? none : place_of(own_cell(engine_.positions(d), core::tag_of(d, engine_.width())));
  }
  // work(pair, where its value is kept) for all pairs. Bins are ranges of digests as shards are, and no two shards share a
  // word of anything that has one cell for each of the graph's.
  template <class Spool, class Work>
  void each_cell(const Spool& pairs, unsigned threads, Work&& work) const {
    constexpr unsigned bin_bits = Spool::bin_bits;
    const unsigned part_bits = std::min(bin_bits, engine_.shard_bits()), joined = bin_bits - part_bits;
    detail::parallel_for(std::size_t{1} << part_bits, threads, [&](std::size_t part) {
      pairs.for_each(part << joined, (part + 1) << joined, [&](std::span<const core::valued> block) {
        locate(
            block.size(), [&](std::size_t i) { return block[i].key; },
            [&](std::size_t i, std::uint64_t place) { work(block[i], place); });
      });
    });
  }
  template <core::key_span Keys, class Sink>
  void over(const Keys& keys, Sink&& sink) const noexcept {
    hash_.with_digests(core::as_span(keys), [&](std::size_t from, std::size_t count, auto digest_at) noexcept {
      locate(count, digest_at, [&](std::size_t i, std::uint64_t cell) { sink(from + i, cell); });
    });
  }
  // sink(i, own cell or none) for i below `total`, in order, the value's line being on its way.
  template <class DigestAt, class Sink>
  void locate(std::size_t total, DigestAt&& digest_at, Sink&& sink) const noexcept {
    if (keys() == 0) {
      for (std::size_t i = 0; i < total; ++i) sink(i, none);
      return;
    }
    struct slot {
      core::cell_list at[core::group_size];
      std::uint64_t word[core::group_size];  // the mask, then the cell
    };
    core::in_groups<slot>(
        total,
        [&](std::size_t first, std::size_t count, slot& s) {
          for (std::size_t i = 0; i < count; ++i) {
            const digest d = digest_at(first + i);
            ::new (&s.at[i]) core::cell_list(engine_.positions(d));  // in place: long lists are slow to copy
            s.word[i] = core::tag_of(d, engine_.width());
            engine_.prefetch(s.at[i]);
          }
        },
        [&](std::size_t first, std::size_t count, slot& s) {
          for (std::size_t i = 0; i < count; ++i) {
            s.word[i] = own_cell(s.at[i], s.word[i]);
            if (compact() && s.word[i] != none) used_.prefetch(s.word[i]);
          }
          for (std::size_t i = 0; i < count; ++i) {
            s.word[i] = place_of(s.word[i]);
            values_.prefetch(s.word[i] == none ? 0 : s.word[i]);
          }
          for (std::size_t i = 0; i < count; ++i) sink(first + i, s.word[i]);
        });
  }

  hasher hash_;
  std::uint64_t value_bits_ = 1;
  engine_type engine_;
  Values values_;
  used_cells used_;  // compact: the cells of keys
};

using mutable_bloomier_map = basic_mutable_bloomier_map<cells::packed>;
using concurrent_mutable_bloomier_map = basic_mutable_bloomier_map<cells::shared_packed>;

}  // namespace umbel
