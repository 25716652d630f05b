// perfect_filter.hpp - static set: a fingerprint for every key, in the slot that a perfect hash gives it.
// Idea       engine/perfect/slots.hpp under the filter adaptor: the word of a key is its fingerprint.
// Invariant  No false negatives. A stranger passes with probability 2^-r, whatever r is.
// Limits     r + 1.74 to 2.8 bits per key: more than fuse_filter up to r = 18 or so, and never fewer than ribbon_filter. What it
//            has over both is a slot for every key: slot(x) numbers the members, and arrays of anything can follow it.
// Threads    Immutable: any number of readers.
// Source     [TRL12] II-C-1 and figure 4; [GK25] for the hash.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <type_traits>

#include <umbel/core/plan.hpp>
#include <umbel/engine/retrieval/tagged.hpp>
#include <umbel/engine/perfect/slots.hpp>
#include <umbel/core/traits.hpp>

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

class perfect_filter : public core::retrieval_filter<perfect_filter, core::slotted<>> {
 public:
  using options = perfect_filter_options;
  static constexpr std::string_view kind = "perfect-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr traits what{.of = family::set, .is_static = true};

  perfect_filter() = default;

  using core::static_set<perfect_filter>::build;
  template <class Spool = digest_spool>  // a template, so that only programs that build compile the search
  [[nodiscard]] static perfect_filter build(const std::type_identity_t<Spool>& keys, const options& wish) {
    return {wish.hash, keys, how(wish)};
  }
  [[nodiscard]] static umbel::plan plan(const options& wish) {
    const unsigned width = how(wish).width;
    auto out = core::slotted<>::plan(wish.keys.value_or(0), width, wish.preset, wish.shard_from);
    if (out.keys != 0) out.fpr = std::exp2(-static_cast<double>(width));
    return out;
  }

  // The number of a key that may be in it: below keys(), and different for all that are. None for a stranger, but at fpr.
  template <key K>
  [[nodiscard]] std::optional<std::uint64_t> slot(const K& k) const noexcept {
    const digest d = this->hash()(k);
    if (this->keys() == 0) return std::nullopt;
    const std::uint64_t at = this->engine().index(d);
    return this->engine().get(at) == core::tag_of(d, this->engine().width()) ? std::optional(at) : std::nullopt;
  }

 private:
  using retrieval_filter::retrieval_filter;
  [[nodiscard]] static core::slotted<>::build_options how(const options& wish) {
    return {.width = core::tag_bits_for(wish.fpr.value_or(1.0 / 256)),
            .preset = wish.preset,
            .memory = wish.memory,
            .threads = wish.threads,
            .shard_from = wish.shard_from};
  }
};

}  // namespace umbel
