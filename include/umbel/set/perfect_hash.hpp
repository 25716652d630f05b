// perfect_hash.hpp - minimal perfect hash: numbers the keys of a fixed set, each with an index of
// its own below n, in 1.74 to 2.8 bits per key.
//
// Arrays of anything can be kept beside it, key by key, without the keys.
//
// Presets    `fast` builds fastest, 2.76 bits per key; `balanced` 2.38; `compact` 2.07, and builds
//            in twice the time: PTHash with pilots in bytes, which answer alike fast. `coded` takes
//            1.89 and three lines; `smallest` (RecSplit) 1.74, and answers in a quarter of a
//            microsecond. `levels` (BBHash) takes 3.5 and two lines, and builds in the least
//            memory. `peeled` (BDZ, 2.4), `solved` (2.25) and `tree` (4.2, which recognises half of
//            the non-members) are there to compare with.
// Invariant  index(x) differs for all keys given and is below keys(). It says nothing of whether x
//            was given: a non-member gets some key's index. perfect_filter and indexed_map
//            recognise non-members.
// Limits     Static. The order of the indices means nothing, but depends on the set of keys alone.
// Threads    Immutable: any number of readers.
// Source     [GK25]; [LRCP17] for levels, [HLPSW24] for codes, [EGV20] for the smallest, [BPZ07]
//            for peeling, [GOV20] for elimination, [AFGP08] for the tree.
#pragma once

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

struct perfect_hash_options {
  std::optional<std::uint64_t> keys{};  // for plans; a build counts them itself
  perfect_preset preset = perfect_preset::balanced;
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;
  std::uint64_t shard_from = sizing::pilot_part_from;  // a seam for tests
};

class perfect_hash : public core::keyed<core::perfect> {
 public:
  using options_type = perfect_hash_options;
  static constexpr std::string_view kind = "perfect-hash";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{
      .of = family::set, .answers = output::index, .is_static = true};

  perfect_hash() = default;
  perfect_hash(const digest_spool& keys, const options_type& options)
      : keyed(options.hash, core::perfect::build(keys, {.preset = options.preset,
                                                        .memory = options.memory,
                                                        .threads = options.threads,
                                                        .part_from = options.shard_from})) {}

  template <core::key_range Keys>
  [[nodiscard]] static perfect_hash build(const Keys& keys, const options_type& options) {
    return {core::spool_of(keys, options.hash, options.threads), options};
  }
  // a template, so that only programs that build compile the search
  template <class Spool = digest_spool>
  [[nodiscard]] static perfect_hash build(const std::type_identity_t<Spool>& keys,
                                          const options_type& options) {
    return {keys, options};
  }
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    return core::perfect::plan(options.keys.value_or(0), options.preset, options.shard_from);
  }

  // index(), or nothing if it is known that the key was not given: `levels` recognise some
  // non-members, and `tree` half of them.
  template <key K>
  [[nodiscard]] std::optional<std::uint64_t> try_index(const K& k) const noexcept {
    return engine_.try_index(hash_(k));
  }
};

}  // namespace umbel
