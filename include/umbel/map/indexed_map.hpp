// indexed_map.hpp - map on a minimal perfect hash [GK25]: the keys are fixed, and values can be
// assigned again.
//
// Each key's value and check bits are in one cell, whose number is the key's hash
// (engine/perfect/slots.hpp). So `assign` writes one cell, which no other key has. Two reads per
// query; value bits, check bits and 1.74 to 2.8 bits more per key.
//
// Invariant  Every key of the build gets the value it was last assigned. A non-member gets none, or
//            with probability fpr the value of some key. The check bits of a cell never change.
// Limits     Assigning to a non-member that passes the check overwrites the value of a member:
//            assign only to keys of the build, or choose an fpr low enough. Keys are fixed at the
//            build. Value bits and check bits together are at most 64.
// Threads    Many readers or one writer. `concurrent_indexed_map` takes any number of both; its
//            cells have 8, 16, 32 or 64 bits, and all bits besides the value's are check bits.
// Source     [CKRT04] sec. 3.3 for the problem, [TRL12] II-C-1 for the structure, [GK25] for the
//            hash.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include <umbel/cells/shared_packed.hpp>
#include <umbel/core/keyed.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/spooled.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/engine/perfect/slots.hpp>
#include <umbel/engine/retrieval/checked.hpp>

namespace umbel {

// Options of indexed_map.
struct indexed_map_options {
  std::optional<std::uint64_t> keys{};  // keys, for plan(); a build counts them itself
  unsigned value_bits = 8;              // bits of a value; with the check bits at most 64
  // rate at which a non-member gets a value, or overwrites one; absent: 1/256 if the cell has room
  std::optional<double> fpr{};
  // the minimal perfect hash: see set/perfect_hash.hpp
  perfect_preset preset = perfect_preset::balanced;
  hasher hash{};                                // hash function, and its seed or secret key
  std::pmr::memory_resource* memory = nullptr;  // for the cells; null: the default resource
  unsigned threads = 1;                         // threads of a build
  // least number of keys that is split into shards; for tests
  std::uint64_t shard_from = sizing::pilot_part_from;
};

// The map, over plain or shared cells. Inherited from core/keyed.hpp: find, find_batch, value,
// value_batch, keys, value_bits.
template <class Cells>
class basic_indexed_map : public core::keyed<core::checked<core::slotted<Cells>>> {
  using words = core::slotted<Cells>;
  using base = core::keyed<core::checked<words>>;
  using base::engine_, base::hash_;

 public:
  using options_type = indexed_map_options;
  static constexpr std::string_view kind = "indexed-map";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{
      .of = family::map, .answers = output::value, .is_static = true, .assigns = true};

  basic_indexed_map() = default;
  // The map of a spool of digests with values.
  basic_indexed_map(const pair_spool& pairs, const options_type& options)
      : base(options.hash, core::checked<words>::build(pairs, options.value_bits,
                                                       {.width = width_for(options),
                                                        .preset = options.preset,
                                                        .memory = options.memory,
                                                        .threads = options.threads,
                                                        .shard_from = options.shard_from})) {}

  // A map of these pairs (key, value). Throws bad_parameter for a value that does not fit and
  // conflict for a key with two values; both messages name the key.
  template <core::pair_range Pairs>
  [[nodiscard]] static basic_indexed_map build(const Pairs& pairs, const options_type& options) {
    return core::map_of<basic_indexed_map>(pairs, options);
  }
  // The same from a spool of digests with values. A template, so that only programs that call it
  // compile the search.
  template <class Spool = pair_spool>
  [[nodiscard]] static basic_indexed_map build(const std::type_identity_t<Spool>& pairs,
                                               const options_type& options) {
    return {pairs, options};
  }
  // Size and predicted false positive rate of a map with these options. Builds nothing.
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    const unsigned width = width_for(options);
    auto out = words::plan(options.keys.value_or(0), width, options.preset, options.shard_from);
    if (out.keys != 0) out.fpr = sizing::masked_fpr(detail::low_mask(options.value_bits), width);
    return out;
  }

  // Assigns a new value to a key of the build. Returns false and changes nothing if k is certainly
  // not one; a non-member that passes the check overwrites the value of some key. Throws
  // bad_parameter for a value that does not fit.
  template <key K>
  bool assign(const K& k, std::uint64_t value) {
    check_value(value);
    if (this->keys() == 0) return false;
    const digest d = hash_(k);
    return put(engine_.retrieval().index(d), own_bits(d), value);
  }
  // Assigns values[i] to keys[i], in this order; returns the number of keys assigned. Throws
  // bad_parameter and changes nothing if any value does not fit.
  template <core::key_span Keys>
  std::size_t assign_batch(const Keys& keys, std::span<const std::uint64_t> values) {
    assert(values.size() >= std::size(keys));
    for (const std::uint64_t value : values.first(std::size(keys))) check_value(value);
    if (this->keys() == 0) return 0;
    std::size_t assigned = 0;
    hash_.with_digests(core::as_span(keys),
                       [&](std::size_t first, std::size_t count, auto digest_at) {
      engine_.retrieval().cells(
          count, digest_at, [&](digest d) { return own_bits(d); },
          [&](std::size_t i, std::uint64_t own, std::uint64_t cell) {
        assigned += put(cell, own, values[first + i]);
          });
    });
    return assigned;
  }

 private:
  // Bits of a cell; if threads share cells, rounded up to 8, 16, 32 or 64.
  [[nodiscard]] static unsigned width_for(const options_type& options) {
    constexpr unsigned check_bits = 8;  // if no fpr is given
    const unsigned asked = core::tag_rule::width_for(options.value_bits, options.fpr);
    const unsigned least = options.fpr ? asked : std::min(64U, asked + check_bits);
    return std::is_same_v<Cells, cells::shared_packed> ? std::max(8U, std::bit_ceil(least)) : least;
  }
  void check_value(std::uint64_t value) const {
    if (value > engine_.rule().largest())
      throw bad_parameter(core::misfit(value, engine_.rule().largest()));
  }
  [[nodiscard]] std::uint64_t own_bits(digest d) const noexcept {
    return engine_.rule().own_bits(core::tag_in<words>(d, engine_.width()));
  }
  // A plain store is enough: every writer of this cell stores the same check bits.
  [[nodiscard]] bool put(std::uint64_t cell, std::uint64_t own, std::uint64_t value) noexcept {
    if ((engine_.retrieval().get(cell) ^ own) > engine_.rule().largest()) return false;
    engine_.retrieval().set(cell, value ^ own);
    return true;
  }
};

// The map for one writer at a time.
using indexed_map = basic_indexed_map<cells::packed>;
// The map for any number of readers and writers at a time.
using concurrent_indexed_map = basic_indexed_map<cells::shared_packed>;

}  // namespace umbel
