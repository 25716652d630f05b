// hash_list_filter.hpp - sorted list of fingerprints [BM04] sec. 2.3: static set for very small
// false positive rates, log2(n/fpr) bits per key.
//
// Layout     The list of engine/table/hash_list.hpp.
// Invariant  No false negatives. The false positive rate is exactly values / 2^w, not an estimate.
// Merging    Two lists with the same width and hash merge into the list of the union, value for
//            value. To add keys, build a list of them with the same width (`width` in the options)
//            and merge it. The rate stays exact and grows with the number of values.
// Limits     Static. It takes log2(n) bits per key more than a binary_fuse_filter. Use it where the
//            sorted list itself is needed, or for a rate of 1/n at 2 log2(n) bits. A build reads
//            the spool twice, and takes 8 bytes per key.
// Threads    Immutable: any number of readers.
// Source     [BM04] sec. 2.3; differs in that queries use interpolation search.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/keyed.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/spooled.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/engine/table/hash_list.hpp>
#include <umbel/sizing/hash_list.hpp>

namespace umbel {

// Options of hash_list_filter.
struct hash_list_options {
  std::optional<std::uint64_t> keys{};  // keys, for plan(); a build counts them itself
  std::optional<double> fpr{};          // false positive rate; absent: 1/256
  // bits of a value, 1 to 64, instead of fpr, for lists that will be merged; 0: as fpr needs
  unsigned width = 0;
  hasher hash{};                                // hash function, and its seed or secret key
  std::pmr::memory_resource* memory = nullptr;  // for the cells; null: the default resource
  unsigned threads = 1;                         // threads of a build
};

// The list. Inherited from core/keyed.hpp: may_contain, may_contain_batch, merge.
class hash_list_filter : public core::keyed<core::hash_list> {
  using base = core::keyed<core::hash_list>;

 public:
  using options_type = hash_list_options;
  static constexpr std::string_view kind = "hash-list-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{
      .of = family::set, .is_static = true, .mergeable = true, .lines = 2};

  hash_list_filter() = default;

  // The list of these keys; duplicate keys count once.
  template <core::key_range Keys>
  [[nodiscard]] static hash_list_filter build(const Keys& keys, const options_type& options) {
    return build(core::spool_of(keys, options.hash, options.threads), options);
  }
  // The same from a spool of digests. A template, so that only programs that call it compile the
  // sorting.
  template <class Spool = digest_spool>
  [[nodiscard]] static hash_list_filter build(const std::type_identity_t<Spool>& keys,
                                              const options_type& options) {
    // duplicate keys would widen the values
    const Spool once = keys.distinct(options.threads);
    return {options.hash, core::hash_list(once, width_for(once.size(), options), options.memory)};
  }
  // Size, probes and predicted false positive rate of a filter with these options. Builds nothing.
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    const std::uint64_t n = options.keys.value_or(0);
    const unsigned width = width_for(n, options);
    return {.keys = n,
            .cells = n,
            .probes = 1,
            .bits = n == 0 ? 0 : cells::packed::words_for(n, width) * 64,
            .fpr = sizing::hash_list_planned_fpr(n, width)};
  }

  // Hash values stored; keys with equal values share one.
  [[nodiscard]] std::uint64_t values() const noexcept { return engine_.values(); }
  [[nodiscard]] unsigned width() const noexcept { return engine_.width(); }  // bits per value

 private:
  hash_list_filter(const hasher& hash, core::hash_list list) : base(hash, std::move(list)) {}
  [[nodiscard]] static unsigned width_for(std::uint64_t n, const options_type& options) {
    if (options.width != 0) {
      if (options.width > 64)
        throw bad_parameter(detail::text("width: expected 1 to 64 bits, found ", options.width));
      if (options.fpr)
        throw bad_parameter("width: the rate follows from it; give either width or fpr");
      core::check_keys(n);
      return options.width;
    }
    const double fpr = options.fpr.value_or(1.0 / 256);
    core::check_fpr(fpr);
    core::check_keys(n);
    const unsigned width = sizing::hash_list_width(n, fpr);
    core::check_kept(fpr, sizing::hash_list_planned_fpr(n, width));
    return width;
  }
};

}  // namespace umbel
