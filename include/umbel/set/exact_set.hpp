// exact_set.hpp - two-stage retrieval [Sch25]: exact set on a known universe of keys, half a bit
// per member above the bound.
//
// Two retrieval stages (engine/retrieval/exact_stages.hpp). The first stores fingerprints, which
// pass the members and, by chance, about as many others. The second stores one bit for each key
// that passes: whether it is a member.
//
// Blocks     If the share of members differs between parts of the universe, give every key with the
//            number of its part, the block. Each block gets the number of fingerprint bits that
//            suits its share of members.
// Invariant  Every key of the universe gets the right answer. Other keys get either answer, except
//            those of a block without members, which get no.
// Limits     Static. For g other keys per member, log2(g) + 1.9 to 2.0 bits per member; the bound
//            is log2(g) + 1.44.
// Threads    Immutable: any number of readers.
// Source     [Sch25].
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include <umbel/core/keyed.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/spooled.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/core/universe.hpp>
#include <umbel/engine/retrieval/exact_stages.hpp>

namespace umbel {

// Options of exact_set.
struct exact_set_options {
  std::optional<std::uint64_t> keys{};  // number of members, for plan(); a build counts them itself
  // number of members and other keys, for plan(); a build counts them itself
  std::optional<std::uint64_t> universe{};
  // if true, a build throws incomplete_universe for a universe that lacks a member
  bool members_in_universe = false;
  hasher hash{};                                // hash function, and its seed or secret key
  std::pmr::memory_resource* memory = nullptr;  // for the cells; null: the default resource
  unsigned threads = 1;                         // threads of a build
  // least number of keys that is split into shards; for tests
  std::uint64_t shard_from = sizing::peel_shard_from;
};

// The set. Inherited from core/keyed.hpp: contains, contains_batch.
class exact_set : public core::keyed<core::exact_stages> {
 public:
  using options_type = exact_set_options;
  static constexpr std::string_view kind = "exact-set";
  static constexpr std::uint32_t format_version = 2;
  static constexpr umbel::traits traits{.of = family::set, .is_static = true, .exact = true};

  exact_set() = default;

  // The set of `members`, exact for the keys of `universe`. The universe may be given with or
  // without the members.
  template <core::key_range Members, core::key_range Universe>
  requires(!core::pair_range<Members>)  // pairs are keys in blocks: the overload below
      [[nodiscard]] static exact_set
      build(const Members& members, const Universe& universe, const options_type& options) {
    return build(core::spool_of(members, options.hash, options.threads),
                 core::spool_of(universe, options.hash, options.threads), options);
  }
  // The same from a spool of digests. A template, so that only programs that call it compile the
  // solver.
  template <class Spool = digest_spool>
  [[nodiscard]] static exact_set build(const std::type_identity_t<Spool>& members,
                                       const std::type_identity_t<Spool>& universe,
                                       const options_type& options) {
    return {options.hash, core::exact_stages::build(members, universe, build_options_of(options))};
  }
  // The set of pairs (key, block number). A key given with several blocks is a separate member, or
  // non-member, of each.
  template <core::pair_range Members, core::pair_range Universe>
  [[nodiscard]] static exact_set build(const Members& members, const Universe& universe,
                                       const options_type& options) {
    return build_blocks(spooled(members, options.hash), spooled(universe, options.hash), options);
  }
  // The same from a spool of digests made by in_block().
  template <class Spool = pair_spool>
  [[nodiscard]] static exact_set build_blocks(const std::type_identity_t<Spool>& members,
                                              const std::type_identity_t<Spool>& universe,
                                              const options_type& options) {
    return {options.hash, core::exact_stages::build(members, universe, build_options_of(options))};
  }
  // The record of a key in a block, for build_blocks. One digest may be in many blocks.
  [[nodiscard]] static core::valued in_block(digest d, std::uint64_t block) noexcept {
    return core::exact_stages::in_block(d, block);
  }
  // Size of a set of one block with these options, which needs keys and universe. Builds nothing.
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    const std::uint64_t keys = options.keys.value_or(0);
    return core::exact_stages::plan(keys, options.universe.value_or(keys), options.shard_from);
  }

  using keyed::contains, keyed::contains_batch;
  // Whether the key is a member in this block; false for a block that the set does not cover.
  template <key K>
  [[nodiscard]] bool contains(const K& k, std::uint64_t block) const noexcept {
    return engine_.contains(hash_(k), block);
  }
  // answers[i] = contains(keys[i], blocks[i]), faster than single calls.
  template <core::key_span Keys>
  void contains_batch(const Keys& keys, std::span<const std::uint64_t> blocks,
                      std::span<bool> answers) const noexcept {
    assert(blocks.size() >= std::size(keys) && answers.size() >= std::size(keys));
    hash_.with_digests(core::as_span(keys),
                       [&](std::size_t from, std::size_t count, auto digest_at) noexcept {
      engine_.contains(count, digest_at, blocks.data() + from, answers.data() + from);
    });
  }
  // Whether the build was given any key of this block. If not, answers for its keys mean nothing.
  [[nodiscard]] bool covers(std::uint64_t block) const noexcept { return engine_.covers(block); }

  // Number of keys in the universe, members included.
  [[nodiscard]] std::uint64_t universe() const noexcept { return engine_.universe(); }
  // number of blocks
  [[nodiscard]] std::uint64_t blocks() const noexcept { return engine_.blocks(); }
  // Whether most keys of the block are members; its first stage then stores the other keys.
  [[nodiscard]] bool inverted(std::uint64_t block = 0) const noexcept {
    return engine_.inverted(block);
  }
  // Fingerprint bits per key of a block.
  [[nodiscard]] unsigned rank(std::uint64_t block = 0) const noexcept {
    return engine_.rank(block);
  }
  // Keys that have a bit in the second stage: the smaller side of every block, and the keys of the
  // larger side that pass the first stage.
  [[nodiscard]] std::uint64_t passing() const noexcept { return engine_.passing(); }

 private:
  exact_set(const hasher& hash, core::exact_stages engine) : keyed(hash, std::move(engine)) {}
  [[nodiscard]] static core::exact_stages::build_options build_options_of(
      const options_type& options) {
    return {.members_in_universe = options.members_in_universe,
            .memory = options.memory,
            .threads = options.threads,
            .shard_from = options.shard_from};
  }
  template <core::pair_range Pairs>
  [[nodiscard]] static pair_spool spooled(const Pairs& pairs, const hasher& hash) {
    pair_spool out;
    for (const auto& [k, block] : pairs)
      out.add(in_block(hash(k), static_cast<std::uint64_t>(block)));
    return out;
  }
};

}  // namespace umbel
