// golomb_coded_set.hpp - Golomb-coded set [PSS07]: static set close to the entropy bound,
// log2(1/fpr) + 1.5 bits per key.
//
// Layout     The lists of engine/table/golomb_lists.hpp: buckets of 128 keys on average, whose
//            sorted hash values are stored as gaps in a Golomb-Rice code.
// Invariant  No false negatives.
// Limits     Static. Building reads the spool twice and the stream twice. A query decodes half a
//            bucket: some hundred nanoseconds. Choose it for transfer and cold storage, at rates
//            below 1 in 4096 or for small sets; elsewhere a binary_fuse_filter is smaller.
// Threads    Immutable: any number of readers.
// Source     [PSS07]; differs in the bucketed entry points.
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

struct golomb_options {
  std::optional<std::uint64_t> keys{};  // for plans; a build counts them itself
  std::optional<double> fpr{};
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;
};

class golomb_coded_set : public core::keyed<core::golomb_lists> {
 public:
  using options_type = golomb_options;
  static constexpr std::string_view kind = "golomb-coded-set";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{.of = family::set, .is_static = true, .lines = 4};

  golomb_coded_set() = default;

  template <core::key_range Keys>
  [[nodiscard]] static golomb_coded_set build(const Keys& keys, const options_type& options) {
    return build(core::spool_of(keys, options.hash, options.threads), options);
  }
  [[nodiscard]] static golomb_coded_set build(const digest_spool& keys,
                                              const options_type& options);
  [[nodiscard]] static umbel::plan plan(const options_type& options);

  [[nodiscard]] std::uint64_t values() const noexcept {
    return engine_.values();
  }  // stored: keys that collide share one
  [[nodiscard]] std::uint64_t stream_bits() const noexcept { return engine_.stream_bits(); }
};

}  // namespace umbel

#if UMBEL_WITH_BODIES
#include <umbel/set/golomb_coded_set.ipp>
#endif
