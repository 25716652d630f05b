// mutable_bloomier_filter.hpp - mutable Bloomier filter [CKRT04]: the keys are fixed, and values
// can be assigned again.
//
// Peeling gives every key one of its k cells that no other key has. The first table stores which of
// the k cells it is, the second stores the values in these cells. So `assign` (SET_VALUE) changes
// one cell, which no other key has.
//
// Table 1    engine/retrieval/peeled.hpp on engine/retrieval/any_graph.hpp, with cells of q =
//            ceil(log2(k / fpr)) bits. A word is the number of the probe XOR the key's mask.
// Table 2    As many packed cells of value_bits bits. In the preset `compact` it has one bit per
//            cell, which tells whether a key has the cell, and values for those cells only. That is
//            smaller from 6 bits of value on (10 in a fuse graph).
// Invariant  Every key of the build gets the value it was last assigned. A non-member gets none, or
//            with probability k / 2^q the value of some key. Table 1 never changes after the build.
// Limits     Assigning to a non-member that passes overwrites the value of a member: assign only to
//            keys of the build, or choose an fpr low enough. Keys are fixed at the build, and must
//            be: a map in so few bits cannot accept new keys.
// Threads    Many readers or one writer. `concurrent_mutable_bloomier_filter` takes any number of
//            both, for values of 8, 16, 32 or 64 bits; a reader gets a value that was assigned, old
//            or new.
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
#include <umbel/core/keyed.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/spooled.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/engine/retrieval/any_graph.hpp>
#include <umbel/engine/retrieval/peeled_build.hpp>

namespace umbel {

using sizing::graph_form;
using sizing::graph_options;
using sizing::two_probe;

// plain: a value for every cell of the graph. compact: values for the cells of keys only, located
// by a rank.
enum class mutable_bloomier_preset : std::uint64_t { plain, compact };
// Sets `out` to the preset of this name. Returns false and changes nothing if no preset has this
// name.
[[nodiscard]] constexpr bool preset_named(std::string_view name,
                                          mutable_bloomier_preset& out) noexcept {
  if (name != "plain" && name != "compact") return false;
  out = name == "plain" ? mutable_bloomier_preset::plain : mutable_bloomier_preset::compact;
  return true;
}

// Options of mutable_bloomier_filter.
struct mutable_bloomier_filter_options {
  std::optional<std::uint64_t> keys{};  // keys, for plan(); a build counts them itself
  unsigned value_bits = 8;              // bits of a value, 1 to 64
  // rate at which a non-member gets a value, or overwrites one; absent: 1/256
  std::optional<double> fpr{};
  graph_options graph{};  // form of the graph, cells per key (arity), array cells per key
  // `plain`, or `compact`: smaller for wide values
  mutable_bloomier_preset preset = mutable_bloomier_preset::plain;
  hasher hash{};                                // hash function, and its seed or secret key
  std::pmr::memory_resource* memory = nullptr;  // for the cells; null: the default resource
  unsigned threads = 1;                         // threads of a build
  // least number of keys that is split into shards; for tests
  std::uint64_t shard_from = sizing::peel_shard_from;
};

namespace core {

// The map, for digests: a graph that tells which of a key's cells no other key has, and the values
// of these cells.
template <class Values>
class own_cell_map {
  using table = peeled<any_graph>;
  using build_options = typename table::build_options;

 public:
  using options_type = mutable_bloomier_filter_options;

  own_cell_map() = default;
  template <class Spool>
  [[nodiscard]] static own_cell_map build(const Spool& pairs, const options_type& options) {
    const build_options building = build_options_of(options);
    own_cell_map out;
    out.value_bits_ = options.value_bits;
    out.table_ = table::build(pairs, building, [&](const valued& v, std::uint64_t tag) {
      if (v.value > largest_value(options))
        throw bad_parameter(misfit(v.value, largest_value(options)));
      return tag & detail::low_mask(building.width);
    });
    if (out.keys() == 0) return out;
    std::uint64_t room = out.table_.cell_count();
    unsigned threads = options.threads;
    if (options.preset == mutable_bloomier_preset::compact) {
      umbel::cells::bits used(room, options.memory);
      out.each_cell(pairs, threads,
                    [&](const valued&, std::uint64_t cell) { (void)used.set(cell); });
      out.used_ = used_cells(std::move(used));
      room = out.used_.ones();
      threads = 1;  // values of adjacent cells share words
    }
    out.values_ = Values(room, options.value_bits, options.memory);
    out.each_cell(pairs, threads,
                  [&](const valued& v, std::uint64_t cell) { out.values_.set(cell, v.value); });
    return out;
  }
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    const unsigned width = build_options_of(options).width;
    auto out = table::plan(options.keys.value_or(0), width, 0, options.shard_from, options.graph);
    if (out.keys == 0) return out;
    const bool compact = options.preset == mutable_bloomier_preset::compact;
    out.bits +=
        umbel::cells::packed::words_for(compact ? out.keys : out.cells, options.value_bits) * 64;
    out.fpr = sizing::masked_fpr(out.probes - 1, width);
    if (compact) out.bits += umbel::cells::ranked_bits::bits_for(out.cells);
    return out;
  }

  [[nodiscard]] std::optional<std::uint64_t> find(digest d) const noexcept {
    const std::uint64_t cell = own_cell(d);
    if (cell == none) return std::nullopt;
    return values_.get(cell);
  }
  [[nodiscard]] std::uint64_t value(digest d) const noexcept { return find(d).value_or(0); }
  template <class DigestAt>
  void find(std::size_t total, DigestAt& digest_at,
            std::optional<std::uint64_t>* out) const noexcept {
    locate(total, digest_at, [&](std::size_t i, std::uint64_t cell) {
      out[i] = cell == none ? std::nullopt : std::optional(values_.get(cell));
    });
  }
  template <class DigestAt>
  void value(std::size_t total, DigestAt& digest_at, std::uint64_t* out) const noexcept {
    locate(total, digest_at, [&](std::size_t i, std::uint64_t cell) {
      out[i] = cell == none ? 0 : values_.get(cell);
    });
  }

  // False if d is certainly not a key. The value must fit.
  bool assign(digest d, std::uint64_t value) noexcept {
    const std::uint64_t cell = own_cell(d);
    if (cell == none) return false;
    values_.set(cell, value);
    return true;
  }
  template <class DigestAt>
  std::size_t assign(std::size_t total, DigestAt& digest_at, const std::uint64_t* values) noexcept {
    std::size_t assigned = 0;
    locate(total, digest_at, [&](std::size_t i, std::uint64_t cell) {
      if (cell == none) return;
      values_.set(cell, values[i]);
      ++assigned;
    });
    return assigned;
  }

  [[nodiscard]] std::uint64_t keys() const noexcept { return table_.keys(); }
  [[nodiscard]] unsigned value_bits() const noexcept { return static_cast<unsigned>(value_bits_); }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return keys() == 0
               ? 0
               : table_.size_in_bits() + used_.size_in_bits() + values_.storage().size() * 64;
  }
  // The share of non-members that get a value.
  [[nodiscard]] double expected_fpr() const noexcept {
    if (keys() == 0) return 0;
    const auto& graph = table_.shape();
    const double named = sizing::masked_fpr(graph.arity - 1, table_.width());
    if (!compact()) return named;
    // And the cell must be a key's. A fuse graph has more cells than possible first cells; the
    // additional ones are used less.
    const double starts =
        std::ldexp(static_cast<double>(graph.blocks) * static_cast<double>(graph.block),
                   static_cast<int>(table_.shard_bits()));
    return named * std::min(1.0, static_cast<double>(keys()) / starts);
  }
  [[nodiscard]] bool compact() const noexcept { return !used_.empty(); }
  [[nodiscard]] const sizing::graph_shape& shape() const noexcept { return table_.shape(); }
  [[nodiscard]] const table& retrieval() const noexcept { return table_; }  // table 1

  friend bool operator==(const own_cell_map& a, const own_cell_map& b) noexcept {
    return a.value_bits_ == b.value_bits_ && a.table_ == b.table_ &&
           a.values_.storage() == b.values_.storage() && a.used_ == b.used_;
  }
  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("value_bits", self.value_bits_);
  }
  static void describe(auto& self, auto& part) {
    part.fields("map", self);
    table::describe(self.table_, part);
    part.array("values", self.values_.storage());
    part.optional("used", self.used_);
  }
  void check() {
    table_.check();
    if (value_bits_ < 1 || value_bits_ > 64)
      throw corrupt(detail::text("value_bits: expected 1 to 64, found ", value_bits_));
    if (keys() == 0) {
      if (compact()) throw corrupt("used: cells of a map without keys");
      return values_.storage().require(0);
    }
    if (table_.shape().arity - 1 > detail::low_mask(table_.width()))
      throw corrupt(detail::text("width: ", table_.width(), " bits cannot name a probe"));
    if (compact()) {
      used_.reshape(table_.cell_count());
      if (const std::uint64_t used = used_.ones(); used != keys())
        throw corrupt(
            detail::text("used: expected a cell for each of ", keys(), " keys, found ", used));
    }
    values_.reshape(compact() ? keys() : table_.cell_count(), value_bits());
  }

 private:
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  struct used_cells : umbel::cells::ranked_bits {
    using umbel::cells::ranked_bits::ranked_bits;
    [[nodiscard]] bool empty() const noexcept { return storage().size() == 0; }
    static void describe(auto& self, auto& part) { part.array("used", self.storage()); }
    void check() const noexcept {}  // reshape checks it, once the number of cells is known
  };

  [[nodiscard]] static build_options build_options_of(const options_type& options) {
    if (options.value_bits < 1 || options.value_bits > 64)
      throw bad_parameter(detail::text("value_bits: expected 1 to 64, found ", options.value_bits));
    any_graph::check(options.graph);
    const double fpr = options.fpr.value_or(1.0 / 256);
    check_fpr(fpr);
    const unsigned width = sizing::masked_width(options.graph.arity - 1, fpr);
    check_kept(fpr, sizing::masked_fpr(options.graph.arity - 1, std::min(width, 64U)));
    return {.width = width,
            .graph = options.graph,
            .add_probe = true,
            .memory = options.memory,
            .threads = options.threads,
            .shard_from = options.shard_from};
  }
  // The cell that the word and the mask name, or `none`. The word of a non-member may name no
  // probe. If two of its cells are equal and cancel, even a number below k names none.
  [[nodiscard]] std::uint64_t own_cell(const cell_list& at, std::uint64_t mask) const noexcept {
    const std::uint64_t probe = table_.value_at(at) ^ mask;
    return probe < at.size() ? at[probe] : none;
  }
  // The index of a cell's value, or `none` if no key has the cell. The rank is clamped, since a
  // mapped file may change after its check.
  [[nodiscard]] std::uint64_t place_of(std::uint64_t cell) const noexcept {
    if (!compact() || cell == none) return cell;
    return used_.test(cell) ? std::min(used_.rank(cell), keys() - 1) : none;
  }
  [[nodiscard]] std::uint64_t tag_mask() const noexcept { return detail::low_mask(table_.width()); }
  [[nodiscard]] std::uint64_t own_cell(digest d) const noexcept {
    if (keys() == 0) return none;
    const auto at = table_.locate(d);
    return place_of(own_cell(at.cells, at.tag & tag_mask()));
  }
  // Calls work(pair, index of its value) for all pairs. Threads take ranges of digests, as shards
  // are, and no two shards share a word of an array with one cell per cell of the graph.
  template <class Spool, class Work>
  void each_cell(const Spool& pairs, unsigned threads, Work&& work) const {
    constexpr unsigned bin_bits = Spool::bin_bits;
    const unsigned part_bits = std::min(bin_bits, table_.shard_bits()),
                   joined = bin_bits - part_bits;
    detail::parallel_for(std::size_t{1} << part_bits, threads, [&](std::size_t part) {
      pairs.for_each(part << joined, (part + 1) << joined, [&](std::span<const valued> block) {
        locate(
            block.size(), [&](std::size_t i) { return block[i].key; },
            [&](std::size_t i, std::uint64_t place) { work(block[i], place); });
      });
    });
  }
  // Calls sink(i, index of the value or `none`) for i below `total`, in order. The value's cache
  // line has been prefetched.
  template <class DigestAt, class Sink>
  void locate(std::size_t total, DigestAt&& digest_at, Sink&& sink) const noexcept {
    if (keys() == 0) {
      for (std::size_t i = 0; i < total; ++i) sink(i, none);
      return;
    }
    using spot = typename table::spot;
    struct slot {
      spot at[group_size];
      std::uint64_t word[group_size];  // first the mask, then the cell
    };
    in_groups<slot>(
        total,
        [&](std::size_t first, std::size_t count, slot& s) {
      for (std::size_t i = 0; i < count; ++i) {
        // in place: copying long lists is slow
        ::new (&s.at[i]) spot(table_.locate(digest_at(first + i)));
        s.word[i] = s.at[i].tag & tag_mask();
        table_.prefetch(s.at[i].cells);
      }
        },
        [&](std::size_t first, std::size_t count, slot& s) {
      for (std::size_t i = 0; i < count; ++i) {
        s.word[i] = own_cell(s.at[i].cells, s.word[i]);
        if (compact() && s.word[i] != none) used_.prefetch(s.word[i]);
      }
      for (std::size_t i = 0; i < count; ++i) {
        s.word[i] = place_of(s.word[i]);
        values_.prefetch(s.word[i] == none ? 0 : s.word[i]);
      }
      for (std::size_t i = 0; i < count; ++i) sink(first + i, s.word[i]);
    });
  }

  std::uint64_t value_bits_ = 1;
  table table_;
  Values values_;
  used_cells used_;  // compact: which cells keys have
};

}  // namespace core

// The map, over plain or shared cells. Inherited from core/keyed.hpp: find, find_batch, value,
// value_batch, keys, value_bits.
template <class Values>
class basic_mutable_bloomier_filter : public core::keyed<core::own_cell_map<Values>> {
  using base = core::keyed<core::own_cell_map<Values>>;
  using base::engine_, base::hash_;

 public:
  using options_type = mutable_bloomier_filter_options;
  static constexpr std::string_view kind = "mutable-bloomier-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{
      .of = family::map, .answers = output::value, .is_static = true, .assigns = true};

  basic_mutable_bloomier_filter() = default;

  // A map of these pairs (key, value). Throws bad_parameter for a value that does not fit and
  // conflict for a key with two values; both messages name the key.
  template <core::pair_range Pairs>
  [[nodiscard]] static basic_mutable_bloomier_filter build(const Pairs& pairs,
                                                           const options_type& options) {
    return core::map_of<basic_mutable_bloomier_filter>(pairs, options);
  }
  // The same from a spool of digests with values. A template, so that only programs that call it
  // compile the solver.
  template <class Spool = pair_spool>
  [[nodiscard]] static basic_mutable_bloomier_filter build(const std::type_identity_t<Spool>& pairs,
                                                           const options_type& options) {
    return {options.hash, core::own_cell_map<Values>::build(pairs, options)};
  }
  // Size and predicted false positive rate of a map with these options. Builds nothing.
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    return core::own_cell_map<Values>::plan(options);
  }

  // Assigns a new value to a key of the build. Returns false and changes nothing if k is certainly
  // not one; a non-member that passes overwrites the value of some key. Throws bad_parameter for a
  // value that does not fit.
  template <key K>
  bool assign(const K& k, std::uint64_t value) {
    check_value(value);
    return engine_.assign(hash_(k), value);
  }
  // Assigns values[i] to keys[i], in this order; returns the number of keys assigned. Throws
  // bad_parameter and changes nothing if any value does not fit.
  template <core::key_span Keys>
  std::size_t assign_batch(const Keys& keys, std::span<const std::uint64_t> values) {
    assert(values.size() >= std::size(keys));
    for (const std::uint64_t value : values.first(std::size(keys))) check_value(value);
    std::size_t assigned = 0;
    hash_.with_digests(core::as_span(keys),
                       [&](std::size_t from, std::size_t count, auto digest_at) noexcept {
      assigned += engine_.assign(count, digest_at, values.data() + from);
    });
    return assigned;
  }

  // Whether the preset is `compact`.
  [[nodiscard]] bool compact() const noexcept { return engine_.compact(); }
  // The graph: its form, arity and size.
  [[nodiscard]] const sizing::graph_shape& shape() const noexcept { return engine_.shape(); }

 private:
  using base::base;
  void check_value(std::uint64_t value) const {
    const std::uint64_t largest = detail::low_mask(this->value_bits());
    if (value > largest) throw bad_parameter(core::misfit(value, largest));
  }
};

// The map for one writer at a time.
using mutable_bloomier_filter = basic_mutable_bloomier_filter<cells::packed>;
// The map for any number of readers and writers at a time.
using concurrent_mutable_bloomier_filter = basic_mutable_bloomier_filter<cells::shared_packed>;

}  // namespace umbel
