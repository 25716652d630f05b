// prefix_filter.hpp - prefix filter [EEM22]: growing set with one cache line for nearly every
// insert and query.
//
// 11.6 bits per key at a rate of 0.4 %.
//
// Layout     The pockets and the spare of engine/table/prefix.hpp.
// Invariant  No false negatives. Bytes follow from the set of keys, in any order, and unions are
//            exact.
// Limits     Rates from 0.2 to 0.4 %: a higher one gives 0.4, a lower one is refused. No erase. It
//            is never full, but past the planned keys the rate rises fast: half as many false
//            positives again for a tenth more keys.
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

struct prefix_options {
  std::optional<std::uint64_t> keys{};  // of keys, fpr and bits exactly two
  std::optional<double> fpr{};
  std::optional<std::uint64_t> bits{};
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;  // inserts run on the caller's thread: here for uniformity
};

class prefix_filter : public core::keyed<core::prefix> {
  using base = core::keyed<core::prefix>;

 public:
  using options_type = prefix_options;
  static constexpr std::string_view kind = "prefix-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{.of = family::set, .mergeable = true, .lines = 1};

  prefix_filter() = default;
  explicit prefix_filter(const options_type& options) : prefix_filter(sized(options), options) {}
  [[nodiscard]] static umbel::plan plan(const options_type& options);

  template <core::key_range Keys>
  [[nodiscard]] static prefix_filter build(const Keys& keys, const options_type& options) {
    return core::grown<prefix_filter>(keys, options);
  }

  [[nodiscard]] std::uint64_t pockets() const noexcept { return engine_.pockets(); }
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
