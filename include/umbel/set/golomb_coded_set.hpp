// golomb_coded_set.hpp - Golomb-coded set [PSS07]: static set of log2(1/fpr) + 1.5 bits per key,
// close to the entropy bound.
//
// Layout     The lists of engine/table/golomb_lists.hpp: buckets of 128 keys on average, whose
//            sorted hash values are stored as gaps in a Golomb-Rice code.
// Invariant  No false negatives.
// Limits     Static. A build reads the spool twice and the code stream twice. A query decodes half
//            a bucket, which takes several hundred nanoseconds. Use it for transfer and cold
//            storage, at rates below 1/4096 or for small sets; otherwise a binary_fuse_filter is
//            smaller.
// Threads    Immutable: any number of readers.
// Source     [PSS07]; differs in the entry points of the buckets.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>

#include <umbel/base/config.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/keyed.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/spooled.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/engine/table/golomb_lists.hpp>
#include <umbel/sizing/golomb.hpp>

namespace umbel {

// Options of golomb_coded_set.
struct golomb_options {
  std::optional<std::uint64_t> keys{};          // keys, for plan(); a build counts them itself
  std::optional<double> fpr{};                  // false positive rate; absent: 1/256
  hasher hash{};                                // hash function, and its seed or secret key
  std::pmr::memory_resource* memory = nullptr;  // for the cells; null: the default resource
  unsigned threads = 1;                         // threads of a build
};

// The set. Inherited from core/keyed.hpp: may_contain, may_contain_batch.
class golomb_coded_set : public core::keyed<core::golomb_lists> {
 public:
  using options_type = golomb_options;
  static constexpr std::string_view kind = "golomb-coded-set";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{.of = family::set, .is_static = true, .lines = 4};

  golomb_coded_set() = default;

  // The set of these keys; duplicate keys count once.
  template <core::key_range Keys>
  [[nodiscard]] static golomb_coded_set build(const Keys& keys, const options_type& options) {
    return build(core::spool_of(keys, options.hash, options.threads), options);
  }
  // The same from a spool of digests.
  [[nodiscard]] static golomb_coded_set build(const digest_spool& keys,
                                              const options_type& options);
  // Size, probes and predicted false positive rate of a filter with these options. Builds nothing.
  [[nodiscard]] static umbel::plan plan(const options_type& options);

  // Hash values stored; keys with equal values share one.
  [[nodiscard]] std::uint64_t values() const noexcept { return engine_.values(); }
  // bits of the Golomb-Rice code, without bucket entries
  [[nodiscard]] std::uint64_t stream_bits() const noexcept { return engine_.stream_bits(); }
};

}  // namespace umbel

#if UMBEL_WITH_BODIES
#include <umbel/set/golomb_coded_set.ipp>
#endif
