// ribbon_filter.hpp - bumped ribbon filter (BuRR) [DHSW22]: static set of hardly more than r bits
// per key, false positive rate 2^-r.
//
// f(x) is the parity of a short pseudorandom run of slots, column by column; the build solves f(x)
// = tag(x) for all keys. A non-member passes if its tag is equal by chance.
//
// Presets    fast, compact and smallest trade speed for the last tenths of a percent. standard and
//            homogeneous are plain ribbons [DW21]: they take 4 to 13 percent more and keep nothing
//            but slots. In a homogeneous ribbon tag(x) is 0 for all keys, and the rate may be 2^-r
//            (1 + 2^-10) with 64 coefficients (homogeneous_64): an fpr of exactly 2^-r then takes a
//            column more.
// Layout     engine/retrieval/ribbon/ribbon.hpp; r from 1 to 64, fastest at 8.
// Invariant  After the build f(x) == tag(x) for every key given: no false negatives. Cells never
//            change again.
// Limits     No insert: build again. Below a few thousand keys a fuse filter is as small and
//            faster.
// Threads    Immutable: any number of readers.
// Source     [DHSW22]; differs in that shards are ranges of digests and keys are 128-bit digests.
#pragma once

#include <string_view>
#include <type_traits>

#include <umbel/core/keyed.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/spooled.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/engine/retrieval/ribbon/build.hpp>
#include <umbel/engine/retrieval/tagged.hpp>

namespace umbel {

struct ribbon_filter_options {
  std::optional<std::uint64_t> keys{};  // for plans; a build counts them itself
  std::optional<double> fpr{};
  ribbon_preset preset = ribbon_preset::fast;
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;
  std::uint64_t shard_from = sizing::peel_shard_from;  // a seam for tests
};

class ribbon_filter : public core::keyed<core::tagged<core::ribbon>> {
 public:
  using options_type = ribbon_filter_options;
  static constexpr std::string_view kind = "ribbon-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{.of = family::set, .is_static = true, .lines = 2};

  ribbon_filter() = default;
  ribbon_filter(const digest_spool& keys, const options_type& options)
      : keyed(options.hash, core::tagged<core::ribbon>::build(keys, build_options_of(options))) {}

  template <core::key_range Keys>
  [[nodiscard]] static ribbon_filter build(const Keys& keys, const options_type& options) {
    return {core::spool_of(keys, options.hash, options.threads), options};
  }
  // a template, so that only programs that build compile the solver
  template <class Spool = digest_spool>
  [[nodiscard]] static ribbon_filter build(const std::type_identity_t<Spool>& keys,
                                           const options_type& options) {
    return {keys, options};
  }
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
