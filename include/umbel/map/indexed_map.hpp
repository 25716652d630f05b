// indexed_map.hpp - static keys, changing values: each value in the slot that a minimal perfect
// hash gives its key.
//
// Value and check share the key's own cell (engine/perfect/slots.hpp), so `assign` writes one cell,
// and no other key's. Two reads per query, and value bits, check bits and 1.74 to 2.8 more per key.
//
// Invariant  Every key given answers the value it was last assigned. A non-member gets none, or
//            with probability fpr the value of some key. The check bits of a cell never change.
// Limits     `assign` of a non-member that passes overwrites the value of a member: assign only
//            keys that were given, or take a rate that bears it. Keys are fixed at build. Value
//            bits and check bits together at most 64.
// Threads    Many readers or one writer. `concurrent_indexed_map` takes any number of both; its
//            cells have 8, 16, 32 or 64 bits, of which the check takes what the value leaves.
// Source     [CKRT04] sec. 3.3 for the task; [TRL12] II-C-1 for the means; [GK25] for the hash.
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

struct indexed_map_options {
  std::optional<std::uint64_t> keys{};  // for plans; a build counts them itself
  unsigned value_bits = 8;
  // none: 1/256 where the value leaves room, since a non-member that passes may write
  std::optional<double> fpr{};
  perfect_preset preset = perfect_preset::balanced;
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;
  std::uint64_t shard_from = sizing::pilot_part_from;  // a seam for tests
};

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
  basic_indexed_map(const pair_spool& pairs, const options_type& options)
      : base(options.hash, core::checked<words>::build(pairs, options.value_bits,
                                                       {.width = width_for(options),
                                                        .preset = options.preset,
                                                        .memory = options.memory,
                                                        .threads = options.threads,
                                                        .shard_from = options.shard_from})) {}

  template <core::pair_range Pairs>
  [[nodiscard]] static basic_indexed_map build(const Pairs& pairs, const options_type& options) {
    return core::map_of<basic_indexed_map>(pairs, options);
  }
  // a template, so that only programs that build compile the search
  template <class Spool = pair_spool>
  [[nodiscard]] static basic_indexed_map build(const std::type_identity_t<Spool>& pairs,
                                               const options_type& options) {
    return {pairs, options};
  }
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    const unsigned width = width_for(options);
    auto out = words::plan(options.keys.value_or(0), width, options.preset, options.shard_from);
    if (out.keys != 0) out.fpr = sizing::masked_fpr(detail::low_mask(options.value_bits), width);
    return out;
  }

  // Gives a key that was given to the build another value. False, and nothing changed, if it is
  // known not to be one; a non-member that passes writes into some key's value. Throws
  // bad_parameter for a value too wide.
  template <key K>
  bool assign(const K& k, std::uint64_t value) {
    check_value(value);
    if (this->keys() == 0) return false;
    const digest d = hash_(k);
    return put(engine_.retrieval().index(d), own_bits(d), value);
  }
  // values[i] to keys[i], in this order; how many were assigned. Nothing is, if a value is too
  // wide.
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
  // Bits of a cell; where threads share cells, as many as a machine word of some size has.
  [[nodiscard]] static unsigned width_for(const options_type& options) {
    constexpr unsigned check_bits = 8;  // where no rate is asked for
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
  // The check bits stay, so a plain store is enough: whoever else writes the cell leaves them
  // alike.
  [[nodiscard]] bool put(std::uint64_t cell, std::uint64_t own, std::uint64_t value) noexcept {
    if ((engine_.retrieval().get(cell) ^ own) > engine_.rule().largest()) return false;
    engine_.retrieval().set(cell, value ^ own);
    return true;
  }
};

using indexed_map = basic_indexed_map<cells::packed>;
using concurrent_indexed_map = basic_indexed_map<cells::shared_packed>;

}  // namespace umbel
