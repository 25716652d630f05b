// removable_bloom_filter.hpp - Bloom filter with a second Bloom filter of erased keys [TRL12]: any
// key can be erased. May forget.
//
// A key is in the set if the first filter accepts it and the second does not
// (engine/compose/difference.hpp). So keys can be erased although no bit is ever cleared.
//
// Layout     Two equal Bloom filters under different salts.
// Invariant  A key that was erased stays erased. A key that was inserted and not erased is
//            forgotten only if it is a false positive of the second filter.
// Limits     Keys are forgotten at the rate of the second filter, which reaches the fpr asked for
//            once the planned number of keys has been erased. A key that was erased cannot be
//            inserted again: insert returns false. The false positive rate falls with the number of
//            erased keys.
// Threads    Many readers or one writer.
// Source     [TRL12] sec. II-B.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>

#include <umbel/core/budget.hpp>
#include <umbel/core/grown.hpp>
#include <umbel/core/keyed.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/engine/compose/difference.hpp>
#include <umbel/engine/probe/fit_bits.hpp>
#include <umbel/engine/probe/k_probes.hpp>
#include <umbel/hash/hasher.hpp>

namespace umbel {

// Options of removable_bloom_filter.
struct removable_options {
  // Give exactly two of keys, fpr and bits: the third follows. A build counts `keys` itself.
  std::optional<std::uint64_t> keys{};  // keys that may be inserted; as many may be erased
  std::optional<double> fpr{};  // false positive rate, and share of members that may be forgotten
  std::optional<std::uint64_t> bits{};          // size of both filters together
  unsigned probes = 0;                          // bits set per key; 0: the best number
  hasher hash{};                                // hash function, and its seed or secret key
  std::pmr::memory_resource* memory = nullptr;  // for the cells; null: the default resource
  unsigned threads = 1;                         // no effect: inserts run on the caller's thread
};

// The filter. Inherited from core/keyed.hpp: may_contain, may_contain_batch, insert, insert_batch,
// erase, try_erase, erase_batch, clear.
class removable_bloom_filter : public core::keyed<core::difference> {
  using base = core::keyed<core::difference>;

 public:
  using options_type = removable_options;
  static constexpr std::string_view kind = "removable-bloom-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{.of = family::set, .erases = true, .may_forget = true};

  removable_bloom_filter() = default;
  // An empty filter. Throws bad_parameter if no filter can have these options.
  explicit removable_bloom_filter(const options_type& options)
      : base(options.hash, engine_type(fitted(options).at, options.memory)) {}

  // A filter of these keys.
  template <core::key_range Keys>
  [[nodiscard]] static removable_bloom_filter build(const Keys& keys, const options_type& options) {
    return core::grown<removable_bloom_filter>(keys, options);
  }
  // Size, and the false positive rate with all keys inserted and none erased. Builds nothing.
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    const auto made = fitted(options);
    return {.keys = made.keys,
            .cells = made.at.cells(),
            .probes = made.at.probes(),
            .bits = 2 * made.at.cells(),
            .fpr = made.at.rate(made.keys)};
  }

  // The share of members that are forgotten: false positives of the second filter.
  [[nodiscard]] double forgotten() const noexcept { return engine_.forgotten(); }

 private:
  [[nodiscard]] static core::bit_fit<core::k_probes> fitted(const options_type& options) {
    core::budget half{options.keys, options.fpr, options.bits};
    core::check(half);
    if (options.bits) half.bits = std::max<std::uint64_t>(1, *options.bits / 2);
    return core::fit_bits<core::k_probes>(half, options.probes, {});
  }
};

}  // namespace umbel
