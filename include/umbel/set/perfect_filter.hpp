// perfect_filter.hpp - minimal perfect hash with fingerprints [TRL12]: static set that also numbers
// its members.
//
// A minimal perfect hash gives every key a slot, which stores the key's fingerprint
// (engine/perfect/slots.hpp).
//
// Invariant  No false negatives. A non-member passes with probability 2^-r, for any r.
// Limits     r + 1.74 to 2.8 bits per key: more than binary_fuse_filter up to about r = 18, and
//            always more than ribbon_filter. Only this filter numbers the members, with slot(x), so
//            that arrays of any kind can be kept beside it.
// Threads    Immutable: any number of readers.
// Source     [TRL12] II-C-1 and figure 4; [GK25] for the hash.
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
#include <umbel/engine/perfect/slots.hpp>
#include <umbel/engine/retrieval/tagged.hpp>

namespace umbel {

// Options of perfect_filter.
struct perfect_filter_options {
  std::optional<std::uint64_t> keys{};  // keys, for plan(); a build counts them itself
  std::optional<double> fpr{};          // false positive rate; absent: 1/256
  // the minimal perfect hash: see perfect_hash.hpp
  perfect_preset preset = perfect_preset::balanced;
  hasher hash{};                                // hash function, and its seed or secret key
  std::pmr::memory_resource* memory = nullptr;  // for the cells; null: the default resource
  unsigned threads = 1;                         // threads of a build
  // least number of keys that is split into shards; for tests
  std::uint64_t shard_from = sizing::pilot_part_from;
};

// The set. Inherited from core/keyed.hpp: may_contain, may_contain_batch.
class perfect_filter : public core::keyed<core::tagged<core::slotted<>>> {
 public:
  using options_type = perfect_filter_options;
  static constexpr std::string_view kind = "perfect-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{.of = family::set, .is_static = true};

  perfect_filter() = default;
  // The set of a spool of digests.
  // a template, so that only programs that build compile the solver
  template <std::same_as<digest_spool> Spool>
  perfect_filter(const Spool& keys, const options_type& options)
      : keyed(options.hash, core::tagged<core::slotted<>>::build(keys, build_options_of(options))) {
  }

  // The set of these keys; duplicate keys count once.
  template <core::key_range Keys>
  [[nodiscard]] static perfect_filter build(const Keys& keys, const options_type& options) {
    return {core::spool_of(keys, options.hash, options.threads), options};
  }
  // The same from a spool of digests. A template, so that only programs that call it compile the
  // search.
  template <class Spool = digest_spool>
  [[nodiscard]] static perfect_filter build(const std::type_identity_t<Spool>& keys,
                                            const options_type& options) {
    return {keys, options};
  }
  // Size, probes and predicted false positive rate of a set with these options. Builds nothing.
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    const unsigned width = build_options_of(options).width;
    auto out =
        core::slotted<>::plan(options.keys.value_or(0), width, options.preset, options.shard_from);
    if (out.keys != 0) out.fpr = std::exp2(-static_cast<double>(width));
    return out;
  }

  // The number of a member: below keys(), and different for all members. nullopt for a non-member,
  // except with probability fpr.
  template <key K>
  [[nodiscard]] std::optional<std::uint64_t> slot(const K& k) const noexcept {
    if (keys() == 0) return std::nullopt;
    const digest d = hash_(k);
    const core::slotted<>& words = engine_.retrieval();
    const std::uint64_t at = words.index(d);
    return words.get(at) == core::tag_of(d, words.width()) ? std::optional(at) : std::nullopt;
  }

 private:
  [[nodiscard]] static core::slotted<>::build_options build_options_of(
      const options_type& options) {
    return {.width = core::tag_bits_for(options.fpr.value_or(1.0 / 256)),
            .preset = options.preset,
            .memory = options.memory,
            .threads = options.threads,
            .shard_from = options.shard_from};
  }
};

}  // namespace umbel
