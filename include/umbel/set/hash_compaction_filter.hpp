// hash_compaction_filter.hpp - hash compaction [WL93], [BM04] sec. 2.3: growing set for small false
// positive rates.
//
// log2(1/fpr) + 5 bits per key, one or two cache lines per query. It is smaller than a Bloom filter
// for rates below 1/1000.
//
// Layout     The table of engine/table/compaction.hpp.
// Invariant  No false negatives. The cells are a function of the set of keys, in any order of
//            inserts, and the false positive rate is known exactly from them.
// Limits     insert throws `full` when every slot is taken. The planned keys always fit; beyond
//            them the rate rises fast. No erase, no merge.
// Threads    Many readers or one writer.
// Source     [BM04] sec. 2.3 and [WL93]. Differs in that probe sequences are ordered [AK74], which
//            divides the rate of a nearly full table by five and ends searches early.
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

// Options of hash_compaction_filter.
struct hash_compaction_options {
  // Give exactly two of keys, fpr and bits: the third follows. A build counts `keys` itself.
  std::optional<std::uint64_t> keys{};  // distinct keys it is planned for
  std::optional<double> fpr{};          // false positive rate once `keys` keys are in
  std::optional<std::uint64_t> bits{};  // size of the filter in bits
  // highest share of slots that `keys` keys may take, up to 0.99; insert time grows with 1/(1 -
  // load)^2
  double load = 0.95;
  hasher hash{};                                // hash function, and its seed or secret key
  std::pmr::memory_resource* memory = nullptr;  // for the cells; null: the default resource
  unsigned threads = 1;                         // no effect: inserts run on the caller's thread
};

// The filter. Inherited from core/keyed.hpp: may_contain, may_contain_batch, insert, try_insert,
// insert_batch, clear.
class hash_compaction_filter : public core::keyed<core::compaction, hash_compaction_filter> {
  using base = core::keyed<core::compaction, hash_compaction_filter>;

 public:
  using options_type = hash_compaction_options;
  static constexpr std::string_view kind = "hash-compaction-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{.of = family::set, .may_fill = true, .lines = 2};

  hash_compaction_filter() = default;
  // An empty filter. Throws bad_parameter if no filter can have these options.
  explicit hash_compaction_filter(const options_type& options)
      : hash_compaction_filter(sized(options), options) {}
  // Size, probes and predicted false positive rate of a filter with these options. Builds nothing.
  [[nodiscard]] static umbel::plan plan(const options_type& options);

  // A filter of these keys. Throws `full` if they do not fit.
  template <core::key_range Keys>
  [[nodiscard]] static hash_compaction_filter build(const Keys& keys, const options_type& options) {
    return core::grown<hash_compaction_filter>(keys, options);
  }

  // slots of the table
  [[nodiscard]] std::uint64_t slots() const noexcept { return engine_.slots(); }
  [[nodiscard]] unsigned width() const noexcept { return engine_.width(); }         // bits per slot
  [[nodiscard]] std::uint64_t values() const noexcept { return engine_.values(); }  // slots in use

 private:
  hash_compaction_filter(const sizing::compaction_plan& made, const options_type& options)
      : base(options.hash, {made.slots, made.width, options.memory}) {}
  [[nodiscard]] static sizing::compaction_plan sized(const options_type& options);
};

}  // namespace umbel

#if UMBEL_WITH_BODIES
#include <umbel/set/hash_compaction_filter.ipp>
#endif
