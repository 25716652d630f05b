// deletable_bloom_filter.hpp - deletable Bloom filter [RMVM10]: some keys can be erased, for a
// sixteenth more bits.
//
// Bits are divided into regions, and a flag for each says whether two keys ever collided there.
// Outside such regions a bit belongs to one key alone and is cleared with it; a key is gone once
// any of its bits is.
//
// Layout     The bits of a Bloom filter, and one flag for each region of neighbouring bits.
// Invariant  In a region without its flag every set bit has exactly one owner: no erase of a key
//            that is in makes another one forgotten. Flags never go back.
// Limits     An erase is refused where all bits of a key lie in flagged regions;
//            sizing/deletable.hpp says how often that is: at its planned fill and 1 % three times
//            in four, with half the keys in one time in sixteen, with a quarter one in 3000. A key
//            that is inserted twice cannot be erased. Erasing a non-member that is a false positive
//            clears bits of members.
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

struct deletable_options {
  std::optional<std::uint64_t> keys{};  // of keys, fpr and bits exactly two
  std::optional<double> fpr{};
  std::optional<std::uint64_t> bits{};  // flags included
  unsigned probes = 0;                  // 0: the best number
  // 0: a sixteenth of the bits. More regions: more keys can be taken out
  std::uint64_t regions = 0;
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;  // for sorting in a build
};

// `Index` names a key's bits: core::k_probes, or core::slice_probes for a partitioned filter.
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
  explicit basic_deletable_bloom_filter(const options_type& options)
      : basic_deletable_bloom_filter(fitted(options), options) {}

  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    const fit made = fitted(options);
    return {.keys = made.keys,
            .cells = made.at.cells(),
            .probes = made.at.probes(),
            .bits = made.at.cells() + made.regions,
            .fpr = made.at.rate(made.keys)};
  }

  // In the order of digests: equal sets give equal bytes.
  template <core::key_range Keys>
  [[nodiscard]] static basic_deletable_bloom_filter build(const Keys& keys,
                                                          const options_type& options) {
    return build(core::spool_of(keys, options.hash, options.threads), options);
  }
  // a template, so that only programs that build so compile the sorting
  template <class Spool = digest_spool>
  [[nodiscard]] static basic_deletable_bloom_filter build(const std::type_identity_t<Spool>& keys,
                                                          const options_type& options) {
    return core::build_in_order<basic_deletable_bloom_filter>(keys, options);
  }

  [[nodiscard]] std::uint64_t regions() const noexcept { return engine_.cells().regions(); }
  // The share of regions in which two keys met.
  [[nodiscard]] double flagged() const noexcept { return engine_.flagged(); }
  // Whether an erase would remove the key; false for what is absent.
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
  static constexpr std::uint64_t salt = 0x10000;  // past those of cascades

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
    // The index may have left a few bits over.
    if (options.bits && options.regions == 0 && *options.bits > made.at.cells())
      regions = std::clamp<std::uint64_t>(*options.bits - made.at.cells(), 1, made.at.cells() - 1);
    return {Index(made.at.cells(), made.at.probes(), salt), made.keys, regions};
  }
  basic_deletable_bloom_filter(const fit& made, const options_type& options)
      : base(options.hash, core::flagged_probes<Index>(made.at, made.regions, options.memory)) {}
};

using deletable_bloom_filter = basic_deletable_bloom_filter<core::k_probes>;

}  // namespace umbel
