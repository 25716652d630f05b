// sparse_filter.hpp - retrieval by sparse linear systems in buckets [GOV20], with fingerprints as
// values: static set of 1.03 r bits per key, false positive rate 2^-r, four reads per query.
//
// engine/retrieval/sparse.hpp under the fingerprint adaptor. The equations are those of a
// binary_fuse_filter, but they are solved by elimination in buckets of 1500 keys. More `probes`
// take less space: 1.10 cells per key at three, 1.03 at four, down to 1.010 at eight.
//
// Invariant  No false negatives. Cells never change after the build.
// Limits     No insert: build again. The build takes several times as long as binary_fuse_filter's.
// Threads    Immutable: any number of readers.
// Source     [GOV20], [DP08].
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
#include <umbel/engine/retrieval/sparse_build.hpp>
#include <umbel/engine/retrieval/tagged.hpp>

namespace umbel {

// The set. Inherited from core/keyed.hpp: may_contain, may_contain_batch.
class sparse_filter : public core::keyed<core::tagged<core::sparse>> {
 public:
  // Options of sparse_filter.
  struct options_type {
    std::optional<std::uint64_t> keys{};  // keys, for plan(); a build counts them itself
    std::optional<double> fpr{};          // false positive rate; absent: 1/256
    unsigned probes = 4;  // reads per query, 3 to 8; more: fewer bits, a longer build
    hasher hash{};        // hash function, and its seed or secret key
    std::pmr::memory_resource* memory = nullptr;  // for the cells; null: the default resource
    unsigned threads = 1;                         // threads of a build
  };
  static constexpr std::string_view kind = "sparse-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{.of = family::set, .is_static = true};

  // The set of these keys; duplicate keys count once.
  template <core::key_range Keys>
  [[nodiscard]] static sparse_filter build(const Keys& keys, const options_type& options) {
    return build(core::spool_of(keys, options.hash, options.threads), options);
  }
  // The same from a spool of digests. A template, so that only programs that call it compile the
  // solver.
  template <class Spool = digest_spool>
  [[nodiscard]] static sparse_filter build(const std::type_identity_t<Spool>& keys,
                                           const options_type& options) {
    return {options.hash, engine_type::build(keys, {.width = tag_bits(options),
                                                    .probes = options.probes,
                                                    .memory = options.memory,
                                                    .threads = options.threads})};
  }
  // Size, probes and predicted false positive rate of a set with these options. Builds nothing.
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    const unsigned width = tag_bits(options);
    return core::sparse::plan(options.keys.value_or(0), width, width, options.probes);
  }

  sparse_filter() = default;

 private:
  using keyed::keyed;
  [[nodiscard]] static unsigned tag_bits(const options_type& options) {
    return core::tag_bits_for(options.fpr.value_or(1.0 / 256));
  }
};

}  // namespace umbel
