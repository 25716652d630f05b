// deletable_bloom_filter.hpp - deletable Bloom filter [RMVM10]: most keys can be erased, for 1/16
// more bits.
//
// The bits are divided into regions. A flag per region says whether two keys ever set the same bit
// there (a collision). In a region without collisions a set bit belongs to one key, so erasing that
// key clears it. A key is erased once any of its bits is clear.
//
// Layout     The bits of a Bloom filter, and one flag for each region of neighbouring bits.
// Invariant  In a region whose flag is clear, every set bit belongs to exactly one key. So erasing
//            a member never causes a false negative. A flag that is set is never cleared.
// Limits     An erase is refused if all bits of the key are in flagged regions. How often that
//            happens (sizing/deletable.hpp), for a rate of 1 %: at the planned number of keys 3
//            times in 4, at half of it once in 16, at a quarter once in 3000. A key inserted twice
//            cannot be erased. Erasing a false positive clears bits of members.
// Threads    Many readers or one writer.
// Source     [RMVM10], [TRL12] sec. III-D.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <type_traits>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/keyed.hpp>
#include <umbel/core/ordered_build.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/spooled.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/engine/probe/fit_bits.hpp>
#include <umbel/engine/probe/flagged_probes.hpp>
#include <umbel/engine/probe/k_probes.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/sizing/bloom.hpp>
#include <umbel/sizing/deletable.hpp>

namespace umbel {

// Options of deletable_bloom_filter.
struct deletable_options {
  // Give exactly two of keys, fpr and bits: the third follows. A build counts `keys` itself.
  std::optional<std::uint64_t> keys{};  // distinct keys it is planned for
  std::optional<double> fpr{};          // false positive rate once `keys` keys are in
  std::optional<std::uint64_t> bits{};  // size in bits, flags included
  unsigned probes = 0;                  // bits set per key; 0: the best number
  // number of regions; more of them: more keys can be erased. 0: a sixteenth of the bits
  std::uint64_t regions = 0;
  hasher hash{};                                // hash function, and its seed or secret key
  std::pmr::memory_resource* memory = nullptr;  // for the cells; null: the default resource
  unsigned threads = 1;                         // threads that hash and sort the keys of a build
};

// The filter. `Index` names a key's bits: core::k_probes, or core::slice_probes for a partitioned
// filter. Inherited from core/keyed.hpp: may_contain, may_contain_batch, insert, insert_batch,
// erase, try_erase, erase_batch, clear.
template <class Index>
class basic_deletable_bloom_filter : public core::keyed<core::flagged_probes<Index>> {
  using base = core::keyed<core::flagged_probes<Index>>;
  using base::engine_;

 public:
  using options_type = deletable_options;
  static constexpr std::string_view kind = "deletable-bloom-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{.of = family::set, .erases = true};

  basic_deletable_bloom_filter() : basic_deletable_bloom_filter(fit{Index(2, 1, salt), 0, 1}, {}) {}
  // An empty filter. Throws bad_parameter if no filter can have these options.
  explicit basic_deletable_bloom_filter(const options_type& options)
      : basic_deletable_bloom_filter(fitted(options), options) {}

  // Size, probes and predicted false positive rate of a filter with these options. Builds nothing.
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    const fit made = fitted(options);
    return {.keys = made.keys,
            .cells = made.at.cells(),
            .probes = made.at.probes(),
            .bits = made.at.cells() + made.regions,
            .fpr = made.at.rate(made.keys)};
  }

  // A filter of these keys, inserted once each in the order of their digests: equal sets give equal
  // bytes.
  template <core::key_range Keys>
  [[nodiscard]] static basic_deletable_bloom_filter build(const Keys& keys,
                                                          const options_type& options) {
    return build(core::spool_of(keys, options.hash, options.threads), options);
  }
  // The same from a spool of digests. A template, so that only programs that call it compile the
  // sorting.
  template <class Spool = digest_spool>
  [[nodiscard]] static basic_deletable_bloom_filter build(const std::type_identity_t<Spool>& keys,
                                                          const options_type& options) {
    return core::build_in_order<basic_deletable_bloom_filter>(keys, options);
  }

  // number of regions
  [[nodiscard]] std::uint64_t regions() const noexcept { return engine_.cells().regions(); }
  // The share of regions in which two keys have collided, 0 to 1.
  [[nodiscard]] double flagged() const noexcept { return engine_.flagged(); }
  // Whether erase(k) would succeed; false if the key is certainly not in the set.
  template <key K>
  [[nodiscard]] bool erasable(const K& k) const noexcept {
    return engine_.erasable(this->hash_(k));
  }

  void check() {
    base::check();
    if constexpr (requires { engine_.index().require_usual(); }) engine_.index().require_usual();
    if (engine_.index().salt() != salt)
      throw bad_parameter(
          detail::text("salt: expected ", salt, ", found ", engine_.index().salt()));
  }

 private:
  static constexpr std::uint64_t salt = 0x10000;  // above the salts of cascades

  struct fit {
    Index at;
    std::uint64_t keys, regions;
  };
  [[nodiscard]] static fit fitted(const options_type& options) {
    core::budget proper{options.keys, options.fpr, options.bits};
    core::check(proper);
    std::uint64_t regions = options.regions;
    if (options.bits) {
      if (regions == 0) regions = *options.bits / 16;
      if (regions >= *options.bits)
        throw bad_parameter(detail::text("regions: expected fewer than the ", *options.bits,
                                         " bits, found ", regions));
      proper.bits = *options.bits - std::max<std::uint64_t>(regions, 1);
      if (*proper.bits < 2) proper.bits = 2;
    }
    const auto made = core::fit_bits<Index>(proper, options.probes, {});
    if (regions == 0) regions = std::max<std::uint64_t>(1, made.at.cells() / 15);
    // The index may have left a few bits unused; they become regions.
    if (options.bits && options.regions == 0 && *options.bits > made.at.cells())
      regions = std::clamp<std::uint64_t>(*options.bits - made.at.cells(), 1, made.at.cells() - 1);
    return {Index(made.at.cells(), made.at.probes(), salt), made.keys, regions};
  }
  basic_deletable_bloom_filter(const fit& made, const options_type& options)
      : base(options.hash, core::flagged_probes<Index>(made.at, made.regions, options.memory)) {}
};

// The deletable Bloom filter over one array of bits.
using deletable_bloom_filter = basic_deletable_bloom_filter<core::k_probes>;

}  // namespace umbel
