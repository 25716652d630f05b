// perfect_hash.hpp - minimal perfect hash [GK25], [EGV20]: gives the n keys of a fixed set
// different numbers below n, in 1.74 to 2.8 bits per key.
//
// Arrays of any kind can then be indexed by key, without storing the keys.
//
// Presets    `fast`, `balanced` and `compact` are PTHash with pilots of one byte: 2.76, 2.38 and
//            2.07 bits per key. All three answer equally fast; `fast` builds fastest, and `compact`
//            takes twice the time to build. `coded` takes 1.89 and three cache lines per query.
//            `smallest` (RecSplit) takes 1.74, and 250 ns per query. `levels` (BBHash) takes 3.5
//            and two cache lines, and builds in the least memory. `peeled` (BDZ, 2.4), `solved`
//            (2.25) and `tree` (4.2; it recognises half of the non-members) are there for
//            comparison.
// Invariant  index(x) differs for all keys of the build and is below keys(). It does not tell
//            whether x is one of them: a non-member gets some key's index. perfect_filter and
//            indexed_map recognise non-members.
// Limits     Static. The order of the indices is arbitrary, but depends on the set of keys alone.
// Threads    Immutable: any number of readers.
// Source     [GK25]; [LRCP17] for levels, [HLPSW24] for coded, [EGV20] for smallest, [BPZ07] for
//            peeled, [GOV20] for solved, [AFGP08] for tree.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <type_traits>

#include <umbel/core/keyed.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/spooled.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/engine/perfect/perfect.hpp>

namespace umbel {

// Options of perfect_hash.
struct perfect_hash_options {
  std::optional<std::uint64_t> keys{};               // keys, for plan(); a build counts them itself
  perfect_preset preset = perfect_preset::balanced;  // the algorithm: see Presets above
  hasher hash{};                                     // hash function, and its seed or secret key
  std::pmr::memory_resource* memory = nullptr;       // for the cells; null: the default resource
  unsigned threads = 1;                              // threads of a build
  // least number of keys that is split into shards; for tests
  std::uint64_t shard_from = sizing::pilot_part_from;
};

// The hash function of a fixed set of keys. Inherited from core/keyed.hpp: index, index_batch,
// keys.
class perfect_hash : public core::keyed<core::perfect> {
 public:
  using options_type = perfect_hash_options;
  static constexpr std::string_view kind = "perfect-hash";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{
      .of = family::set, .answers = output::index, .is_static = true};

  perfect_hash() = default;
  // The hash function of a spool of digests.
  // a template, so that only programs that build compile the solver
  template <std::same_as<digest_spool> Spool>
  perfect_hash(const Spool& keys, const options_type& options)
      : keyed(options.hash, core::perfect::build(keys, {.preset = options.preset,
                                                        .memory = options.memory,
                                                        .threads = options.threads,
                                                        .part_from = options.shard_from})) {}

  // The hash function of these keys; duplicate keys count once.
  template <core::key_range Keys>
  [[nodiscard]] static perfect_hash build(const Keys& keys, const options_type& options) {
    return {core::spool_of(keys, options.hash, options.threads), options};
  }
  // The same from a spool of digests. A template, so that only programs that call it compile the
  // search.
  template <class Spool = digest_spool>
  [[nodiscard]] static perfect_hash build(const std::type_identity_t<Spool>& keys,
                                          const options_type& options) {
    return {keys, options};
  }
  // Predicted size with these options. Builds nothing.
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    return core::perfect::plan(options.keys.value_or(0), options.preset, options.shard_from);
  }

  // index(k), or nullopt if k is certainly not a key of the build. The preset `levels` recognises
  // some non-members, `tree` half of them, the others none.
  template <key K>
  [[nodiscard]] std::optional<std::uint64_t> try_index(const K& k) const noexcept {
    return engine_.try_index(hash_(k));
  }
};

}  // namespace umbel
