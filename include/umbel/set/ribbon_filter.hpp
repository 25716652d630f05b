// ribbon_filter.hpp - bumped ribbon filter (BuRR) [DHSW22]: static set of little more than r bits
// per key, false positive rate 2^-r.
//
// Each column of f(x) is the parity of a short pseudorandom range of slots. The build solves f(x) =
// tag(x) for all keys. A non-member is a false positive if f(x) equals its tag by chance.
//
// Presets    `fast`, `compact` and `smallest` trade speed for the last few tenths of a percent of
//            the size. `standard` and `homogeneous` are plain ribbons [DW21]: 4 to 13 % larger,
//            with no data besides the slots. In a homogeneous ribbon tag(x) is 0 for all keys, and
//            with 64 coefficients (homogeneous_64) the rate may be 2^-r (1 + 2^-10); an fpr of
//            exactly 2^-r then takes one column more.
// Layout     engine/retrieval/ribbon/ribbon.hpp; r from 1 to 64, fastest at 8.
// Invariant  f(x) == tag(x) for every key of the build: no false negatives. Cells never change
//            after the build.
// Limits     No insert: build again. Below a few thousand keys a binary_fuse_filter is as small and
//            faster.
// Threads    Immutable: any number of readers.
// Source     [DHSW22]; differs in that shards are ranges of digests and keys are 128-bit digests.
#pragma once

#include <concepts>
#include <string_view>
#include <type_traits>

#include <umbel/core/keyed.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/spooled.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/engine/retrieval/ribbon/build.hpp>
#include <umbel/engine/retrieval/tagged.hpp>

namespace umbel {

// Options of ribbon_filter.
struct ribbon_filter_options {
  std::optional<std::uint64_t> keys{};          // keys, for plan(); a build counts them itself
  std::optional<double> fpr{};                  // false positive rate; absent: 1/256
  ribbon_preset preset = ribbon_preset::fast;   // speed against size: see Presets above
  hasher hash{};                                // hash function, and its seed or secret key
  std::pmr::memory_resource* memory = nullptr;  // for the cells; null: the default resource
  unsigned threads = 1;                         // threads of a build
  // least number of keys that is split into shards; for tests
  std::uint64_t shard_from = sizing::peel_shard_from;
};

// The set. Inherited from core/keyed.hpp: may_contain, may_contain_batch.
class ribbon_filter : public core::keyed<core::tagged<core::ribbon>> {
 public:
  using options_type = ribbon_filter_options;
  static constexpr std::string_view kind = "ribbon-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{.of = family::set, .is_static = true, .lines = 2};

  ribbon_filter() = default;
  // The set of a spool of digests.
  // A template, so that only programs that build compile the solver.
  template <std::same_as<digest_spool> Spool>
  ribbon_filter(const Spool& keys, const options_type& options)
      : keyed(options.hash, core::tagged<core::ribbon>::build(keys, build_options_of(options))) {}

  // The set of these keys; duplicate keys count once.
  template <core::key_range Keys>
  [[nodiscard]] static ribbon_filter build(const Keys& keys, const options_type& options) {
    return {core::spool_of(keys, options.hash, options.threads), options};
  }
  // The same from a spool of digests. A template, so that only programs that call it compile the
  // solver.
  template <class Spool = digest_spool>
  [[nodiscard]] static ribbon_filter build(const std::type_identity_t<Spool>& keys,
                                           const options_type& options) {
    return {keys, options};
  }
  // Size, probes and predicted false positive rate of a set with these options. Builds nothing.
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    const unsigned width = build_options_of(options).width;
    return core::ribbon::plan(options.keys.value_or(0), width, width, options.preset,
                              options.shard_from);
  }

 private:
  [[nodiscard]] static unsigned columns_for(const options_type& options) {
    unsigned columns = core::tag_bits_for(options.fpr.value_or(1.0 / 256));
    if (!options.fpr) return columns;
    if (columns < 64 && !core::keeps(*options.fpr, core::ribbon::fpr(options.preset, columns)))
      ++columns;
    core::check_kept(options.fpr, core::ribbon::fpr(options.preset, columns));
    return columns;
  }
  [[nodiscard]] static core::ribbon::build_options build_options_of(const options_type& options) {
    return {.width = columns_for(options),
            .preset = options.preset,
            .memory = options.memory,
            .threads = options.threads,
            .shard_from = options.shard_from};
  }
};

}  // namespace umbel
