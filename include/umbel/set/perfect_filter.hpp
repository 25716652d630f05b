// perfect_filter.hpp - minimal perfect hash with fingerprints [TRL12]: static set that numbers its
// members.
//
// Each key's fingerprint stands in the slot that a minimal perfect hash gives the key
// (engine/perfect/slots.hpp).
//
// Invariant  No false negatives. A non-member passes with probability 2^-r, whatever r is.
// Limits     r + 1.74 to 2.8 bits per key: more than binary_fuse_filter up to r = 18 or so, and
//            never fewer than ribbon_filter. What it has over both is a slot for every key: slot(x)
//            numbers the members, and arrays of anything can follow it.
// Threads    Immutable: any number of readers.
// Source     [TRL12] II-C-1 and figure 4; [GK25] for the hash.
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
#include <umbel/engine/perfect/slots.hpp>
#include <umbel/engine/retrieval/tagged.hpp>

namespace umbel {

struct perfect_filter_options {
  std::optional<std::uint64_t> keys{};  // for plans; a build counts them itself
  std::optional<double> fpr{};
  perfect_preset preset = perfect_preset::balanced;
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;
  std::uint64_t shard_from = sizing::pilot_part_from;  // a seam for tests
};

class perfect_filter : public core::keyed<core::tagged<core::slotted<>>> {
 public:
  using options_type = perfect_filter_options;
  static constexpr std::string_view kind = "perfect-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{.of = family::set, .is_static = true};

  perfect_filter() = default;
  perfect_filter(const digest_spool& keys, const options_type& options)
      : keyed(options.hash, core::tagged<core::slotted<>>::build(keys, build_options_of(options))) {
  }

  template <core::key_range Keys>
  [[nodiscard]] static perfect_filter build(const Keys& keys, const options_type& options) {
    return {core::spool_of(keys, options.hash, options.threads), options};
  }
  // a template, so that only programs that build compile the search
  template <class Spool = digest_spool>
  [[nodiscard]] static perfect_filter build(const std::type_identity_t<Spool>& keys,
                                            const options_type& options) {
    return {keys, options};
  }
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    const unsigned width = build_options_of(options).width;
    auto out =
        core::slotted<>::plan(options.keys.value_or(0), width, options.preset, options.shard_from);
    if (out.keys != 0) out.fpr = std::exp2(-static_cast<double>(width));
    return out;
  }

  // The number of a key that may be in it: below keys(), and different for all that are. None for a
  // non-member, but at fpr.
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
