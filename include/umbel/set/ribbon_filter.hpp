// ribbon_filter.hpp - static set of hardly more than r bits per key, error 2^-r.
// Idea       f(x) = parities of a short random run of slots; build solves f(x) = tag(x) for all keys, so strangers pass by
//            luck only.
// Layout     core/ribbon.hpp under the fingerprint adaptor; r from 1 to 64. Presets trade speed for the last tenths of a
//            percent: fast, compact, smallest. Those called standard and homogeneous take 4 to 13 percent more and keep
//            nothing but slots; in the latter tag(x) is 0 for all keys, and the rate may be 2^-r (1 + 2^-10) with 64
//            coefficients (homogeneous_64): an fpr of exactly 2^-r then takes a column more.
// Invariant  After build, f(x) == tag(x) for every key given: no false negatives. Cells never change again.
// Limits     No insert: build again. Below a few thousand keys a fuse filter is as small and faster.
// Threads    Immutable: any number of readers.
// Source     [DHSW22]; differs in that shards are ranges of digests and keys are 128-bit digests.
#pragma once

#include <string_view>
#include <type_traits>

#include <umbel/core/plan.hpp>
#include <umbel/core/retrieval_filter.hpp>
#include <umbel/core/ribbon_build.hpp>
#include <umbel/core/traits.hpp>

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

class ribbon_filter : public core::retrieval_filter<ribbon_filter, core::ribbon> {
 public:
  using options = ribbon_filter_options;
  static constexpr std::string_view kind = "ribbon-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr traits what{.of = family::set, .is_static = true, .lines = 2};

  ribbon_filter() = default;

  using core::static_set<ribbon_filter>::build;
  template <class Spool = digest_spool>  // a template, so that only programs that build compile the solver
  [[nodiscard]] static ribbon_filter build(const std::type_identity_t<Spool>& keys, const options& wish) {
    return {wish.hash, keys, how(wish)};
  }
  [[nodiscard]] static umbel::plan plan(const options& wish) {
    const unsigned width = how(wish).width;
    return core::ribbon::plan(wish.keys.value_or(0), width, width, wish.preset, wish.shard_from);
  }

 private:
  using retrieval_filter::retrieval_filter;
  [[nodiscard]] static unsigned columns_for(const options& wish) {
    unsigned columns = core::tag_bits_for(wish.fpr.value_or(1.0 / 256));
    if (!wish.fpr) return columns;
    if (columns < 64 && !core::keeps(*wish.fpr, core::ribbon::fpr(wish.preset, columns))) ++columns;
    core::check_kept(wish.fpr, core::ribbon::fpr(wish.preset, columns));
    return columns;
  }
  [[nodiscard]] static core::ribbon::build_options how(const options& wish) {
    return {.width = columns_for(wish),
            .preset = wish.preset,
            .memory = wish.memory,
            .threads = wish.threads,
            .shard_from = wish.shard_from};
  }
};

}  // namespace umbel
