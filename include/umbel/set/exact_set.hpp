// exact_set.hpp - which keys of a known universe are members: no error there, half a bit per member
// above the bound.
//
// Two retrieval stages [Sch25], engine/retrieval/exact_stages.hpp: fingerprints let the members
// pass and by chance about as many others; a second stage holds one bit for each key that passes.
//
// Blocks     Where members are rarer in some parts of the universe than in others, give every key
//            with the number of its block: each block gets the fingerprints that suit its own
//            share.
// Invariant  Every key of the universe is answered as it was declared. Other keys get either
//            answer, but those of a block that holds nobody get no.
// Limits     Static. At g others for a member log2(g) + 1.9 to 2.0 bits per member, of 1.44 +
//            log2(g).
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

struct exact_set_options {
  std::optional<std::uint64_t> keys{};      // members; for plans, a build counts them itself
  std::optional<std::uint64_t> universe{};  // members and others; the same
  // a build refuses a universe that misses one: incomplete_universe
  bool members_in_universe = false;
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;
  std::uint64_t shard_from = sizing::peel_shard_from;  // a seam for tests
};

class exact_set : public core::keyed<core::exact_stages> {
 public:
  using options_type = exact_set_options;
  static constexpr std::string_view kind = "exact-set";
  static constexpr std::uint32_t format_version = 2;
  static constexpr umbel::traits traits{.of = family::set, .is_static = true, .exact = true};

  exact_set() = default;

  template <core::key_range Members, core::key_range Universe>
  requires(!core::pair_range<Members>)  // those are keys in blocks
      [[nodiscard]] static exact_set
      build(const Members& members, const Universe& universe, const options_type& options) {
    return build(core::spool_of(members, options.hash, options.threads),
                 core::spool_of(universe, options.hash, options.threads), options);
  }
  // a template, so that only programs that build compile the solver
  template <class Spool = digest_spool>
  [[nodiscard]] static exact_set build(const std::type_identity_t<Spool>& members,
                                       const std::type_identity_t<Spool>& universe,
                                       const options_type& options) {
    return {options.hash, core::exact_stages::build(members, universe, build_options_of(options))};
  }
  // From pairs of a key and the number of its block. A key counts once in every block it is given
  // with.
  template <core::pair_range Members, core::pair_range Universe>
  [[nodiscard]] static exact_set build(const Members& members, const Universe& universe,
                                       const options_type& options) {
    return build_blocks(spooled(members, options.hash), spooled(universe, options.hash), options);
  }
  // The same from digests; in_block() makes them.
  template <class Spool = pair_spool>
  [[nodiscard]] static exact_set build_blocks(const std::type_identity_t<Spool>& members,
                                              const std::type_identity_t<Spool>& universe,
                                              const options_type& options) {
    return {options.hash, core::exact_stages::build(members, universe, build_options_of(options))};
  }
  // A key of a block, for build_blocks: one digest may be in many.
  [[nodiscard]] static core::valued in_block(digest d, std::uint64_t block) noexcept {
    return core::exact_stages::in_block(d, block);
  }
  [[nodiscard]] static umbel::plan plan(const options_type& options) {  // of one block
    const std::uint64_t keys = options.keys.value_or(0);
    return core::exact_stages::plan(keys, options.universe.value_or(keys), options.shard_from);
  }

  using keyed::contains, keyed::contains_batch;
  // In a set of blocks; false in one that it does not cover.
  template <key K>
  [[nodiscard]] bool contains(const K& k, std::uint64_t block) const noexcept {
    return engine_.contains(hash_(k), block);
  }
  // answers[i] for keys[i] in blocks[i].
  template <core::key_span Keys>
  void contains_batch(const Keys& keys, std::span<const std::uint64_t> blocks,
                      std::span<bool> answers) const noexcept {
    assert(blocks.size() >= std::size(keys) && answers.size() >= std::size(keys));
    hash_.with_digests(core::as_span(keys),
                       [&](std::size_t from, std::size_t count, auto digest_at) noexcept {
      engine_.contains(count, digest_at, blocks.data() + from, answers.data() + from);
    });
  }
  // Whether any key of this block was declared. Without that, no answer about its keys means
  // anything.
  [[nodiscard]] bool covers(std::uint64_t block) const noexcept { return engine_.covers(block); }

  // members and others
  [[nodiscard]] std::uint64_t universe() const noexcept { return engine_.universe(); }
  [[nodiscard]] std::uint64_t blocks() const noexcept { return engine_.blocks(); }
  [[nodiscard]] bool inverted(std::uint64_t block = 0) const noexcept {
    return engine_.inverted(block);
  }
  // Fingerprint bits of a block's keys.
  [[nodiscard]] unsigned rank(std::uint64_t block = 0) const noexcept {
    return engine_.rank(block);
  }
  // Keys that the second stage holds a bit for: the minority of every block, and those of the
  // majority that pass.
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
