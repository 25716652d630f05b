// hash_compaction_filter.hpp - hash compaction [WL93], [BM04] sec. 2.3: growing set for small error
// rates.
//
// log2(1/fpr) + 5 bits per key, one or two cache lines per query; smaller than a Bloom filter for
// rates below one in a thousand.
//
// Layout     The table of engine/table/compaction.hpp. No other state.
// Invariant  No false negatives. Cells are a function of the set of keys, in any order of inserts;
//            the false positive rate is known exactly from them.
// Limits     Full when every slot is taken: `full`. The planned keys always fit, and beyond them
//            the rate rises fast. No erase, no merge.
// Threads    Many readers or one writer.
// Source     [BM04] sec. 2.3 and [WL93]; differs in the order of slots [AK74], which divides the
//            rate of a nearly full table by five and ends searches early.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>

#include <umbel/base/config.hpp>
#include <umbel/base/error.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/grown.hpp>
#include <umbel/core/keyed.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/engine/table/compaction.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/sizing/hash_compaction.hpp>

namespace umbel {

struct hash_compaction_options {
  std::optional<std::uint64_t> keys{};  // of keys, fpr and bits exactly two
  std::optional<double> fpr{};
  std::optional<std::uint64_t> bits{};
  // most slots that `keys` keys may take, as a share: inserts slow down with 1/(1 - load)^2
  double load = 0.95;
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;  // inserts run on the caller's thread: here for uniformity
};

class hash_compaction_filter : public core::keyed<core::compaction, hash_compaction_filter> {
  using base = core::keyed<core::compaction, hash_compaction_filter>;

 public:
  using options_type = hash_compaction_options;
  static constexpr std::string_view kind = "hash-compaction-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{.of = family::set, .may_fill = true, .lines = 2};

  hash_compaction_filter() = default;
  explicit hash_compaction_filter(const options_type& options)
      : hash_compaction_filter(sized(options), options) {}
  [[nodiscard]] static umbel::plan plan(const options_type& options);

  template <core::key_range Keys>
  [[nodiscard]] static hash_compaction_filter build(const Keys& keys, const options_type& options) {
    return core::grown<hash_compaction_filter>(keys, options);
  }

  [[nodiscard]] std::uint64_t slots() const noexcept { return engine_.slots(); }
  [[nodiscard]] unsigned width() const noexcept { return engine_.width(); }
  [[nodiscard]] std::uint64_t values() const noexcept { return engine_.values(); }  // slots taken

 private:
  hash_compaction_filter(const sizing::compaction_plan& made, const options_type& options)
      : base(options.hash, {made.slots, made.width, options.memory}) {}
  [[nodiscard]] static sizing::compaction_plan sized(const options_type& options);
};

}  // namespace umbel

#if UMBEL_WITH_BODIES
#include <umbel/set/hash_compaction_filter.ipp>
#endif
