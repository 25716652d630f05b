// removable_bloom_filter.hpp - two Bloom filters: of the keys that came, and of those that went.
//
// A key is in if the first filter accepts it and the second does not
// (engine/compose/difference.hpp). So any key can be erased from a filter that cannot clear a bit,
// and none of its bits is needed for that.
//
// Layout     Two equal Bloom filters under different salts.
// Invariant  A key that was erased is out for good. A key that is in and was never erased is
//            forgotten only if it is a false positive of the second filter.
// Limits     Forgets: at the rate of the second filter, which is the one asked for once as many
//            keys went as were planned. A key that went cannot come back: its insert is refused.
//            The false positive rate falls with what went.
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

struct removable_options {
  std::optional<std::uint64_t> keys{};  // that come, and that go. Of keys, fpr and bits exactly two
  std::optional<double> fpr{};          // of false positives, and of keys that are forgotten
  std::optional<std::uint64_t> bits{};  // of both filters
  unsigned probes = 0;                  // 0: the best number
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;  // inserts run on the caller's thread: here for uniformity
};

class removable_bloom_filter : public core::keyed<core::difference> {
  using base = core::keyed<core::difference>;

 public:
  using options_type = removable_options;
  static constexpr std::string_view kind = "removable-bloom-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{.of = family::set, .erases = true, .may_forget = true};

  removable_bloom_filter() = default;
  explicit removable_bloom_filter(const options_type& options)
      : base(options.hash, engine_type(fitted(options).at, options.memory)) {}

  template <core::key_range Keys>
  [[nodiscard]] static removable_bloom_filter build(const Keys& keys, const options_type& options) {
    return core::grown<removable_bloom_filter>(keys, options);
  }
  // With all keys in and none gone.
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    const auto made = fitted(options);
    return {.keys = made.keys,
            .cells = made.at.cells(),
            .probes = made.at.probes(),
            .bits = 2 * made.at.cells(),
            .fpr = made.at.rate(made.keys)};
  }

  // The share of the keys that are in which seem to have gone.
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
