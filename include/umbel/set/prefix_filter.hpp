// prefix_filter.hpp - prefix filter [EEM22]: growing set with one cache line for nearly every
// insert and query.
//
// 11.6 bits per key at a rate of 0.4 %.
//
// Layout     The pockets and the spare of engine/table/prefix.hpp.
// Invariant  No false negatives. The bytes depend on the set of keys alone, in any order of
//            inserts, and unions are exact.
// Limits     Rates of 0.2 to 0.4 %: a higher fpr gives 0.4 %, a lower one is refused. No erase. It
//            is never full, but past the planned keys the rate rises fast: 10 % more keys give 50 %
//            more false positives.
// Threads    Many readers or one writer.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>

#include <umbel/base/config.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/grown.hpp>
#include <umbel/core/keyed.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/engine/table/prefix.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/sizing/prefix.hpp>

namespace umbel {

// Options of prefix_filter.
struct prefix_options {
  // Give exactly two of keys, fpr and bits: the third follows. A build counts `keys` itself.
  std::optional<std::uint64_t> keys{};  // distinct keys it is planned for
  std::optional<double> fpr{};  // false positive rate once `keys` keys are in; at least about 0.002
  std::optional<std::uint64_t> bits{};          // size of the filter in bits
  hasher hash{};                                // hash function, and its seed or secret key
  std::pmr::memory_resource* memory = nullptr;  // for the cells; null: the default resource
  unsigned threads = 1;                         // no effect: inserts run on the caller's thread
};

// The filter. Inherited from core/keyed.hpp: may_contain, may_contain_batch, insert, insert_batch,
// merge, clear.
class prefix_filter : public core::keyed<core::prefix> {
  using base = core::keyed<core::prefix>;

 public:
  using options_type = prefix_options;
  static constexpr std::string_view kind = "prefix-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{.of = family::set, .mergeable = true, .lines = 1};

  prefix_filter() = default;
  // An empty filter. Throws bad_parameter if no filter can have these options.
  explicit prefix_filter(const options_type& options) : prefix_filter(sized(options), options) {}
  // Size, probes and predicted false positive rate of a filter with these options. Builds nothing.
  [[nodiscard]] static umbel::plan plan(const options_type& options);

  // A filter of these keys.
  template <core::key_range Keys>
  [[nodiscard]] static prefix_filter build(const Keys& keys, const options_type& options) {
    return core::grown<prefix_filter>(keys, options);
  }

  // number of pockets, of 25 values each
  [[nodiscard]] std::uint64_t pockets() const noexcept { return engine_.pockets(); }
  // blocks of the spare, a split block Bloom filter
  [[nodiscard]] std::uint64_t spare_blocks() const noexcept { return engine_.spare_blocks(); }
  [[nodiscard]] std::uint64_t kept() const noexcept { return engine_.kept(); }  // values in pockets

 private:
  prefix_filter(const sizing::prefix_plan& made, const options_type& options)
      : base(options.hash, {made.pockets, made.spare_blocks, options.memory}) {}
  [[nodiscard]] static sizing::prefix_plan sized(const options_type& options);
};

}  // namespace umbel

#if UMBEL_WITH_BODIES
#include <umbel/set/prefix_filter.ipp>
#endif
