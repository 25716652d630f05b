// taffy_cuckoo_filter.hpp - taffy cuckoo filter [App22]: growing set that doubles when it is full,
// without its keys, and keeps its false positive rate.
//
// Layout     The table of engine/table/taffy.hpp.
// Invariant  No false negatives, however often it doubles. At most nine tenths of the slots are
//            taken, so the rate is at most 7.2 / 2^h at any size, for heads of h bits.
// Limits     No erase: keys that agree in all bits share an entry. A frozen filter takes no more
//            keys.
// Threads    Many readers or one writer.
// Source     [App22]; differs in that the first size need not be a power of two.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include <umbel/base/config.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/grown.hpp>
#include <umbel/core/keyed.hpp>
#include <umbel/core/ordered_build.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/engine/table/taffy.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/sizing/taffy.hpp>

namespace umbel {

struct taffy_cuckoo_options {
  // of keys, fpr and bits exactly two: keys before it doubles, rate for ever
  std::optional<std::uint64_t> keys{};
  std::optional<double> fpr{};
  std::optional<std::uint64_t> bits{};
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;  // inserts run on the caller's thread: for sorting in a build from a spool
};

class taffy_cuckoo_filter : public core::keyed<core::taffy> {
  using base = core::keyed<core::taffy>;

 public:
  using options_type = taffy_cuckoo_options;
  static constexpr std::string_view kind = "taffy-cuckoo-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{
      .of = family::set, .mergeable = true, .expands = true, .order_dependent = true};

  taffy_cuckoo_filter() = default;
  explicit taffy_cuckoo_filter(const options_type& options)
      : taffy_cuckoo_filter(sized(options), options) {}
  [[nodiscard]] static umbel::plan plan(const options_type& options);

  template <core::key_range Keys>
  [[nodiscard]] static taffy_cuckoo_filter build(const Keys& keys, const options_type& options) {
    return core::grown<taffy_cuckoo_filter>(keys, options);
  }
  // From a spool: of its set, the same bytes in any order.
  // a template, so that only programs that build so compile the sorting
  template <class Spool = digest_spool>
  [[nodiscard]] static taffy_cuckoo_filter build(const std::type_identity_t<Spool>& keys,
                                                 const options_type& options) {
    return core::build_in_order<taffy_cuckoo_filter>(keys, options);
  }

  // The same set without tails, to be read only: h bits a slot instead of h + 6, at the rate of
  // entries that have spent theirs. What is frozen refuses insert, merge and clear with
  // bad_parameter.
  [[nodiscard]] taffy_cuckoo_filter freeze() const { return {hash_, engine_.freeze()}; }
  [[nodiscard]] bool is_frozen() const noexcept { return engine_.is_frozen(); }

  // of each side
  [[nodiscard]] std::uint64_t buckets() const noexcept { return engine_.buckets(); }
  [[nodiscard]] unsigned growths() const noexcept { return engine_.growths(); }
  [[nodiscard]] unsigned head_bits() const noexcept { return engine_.head_bits(); }
  [[nodiscard]] std::uint64_t entries() const noexcept { return engine_.entries(); }

 private:
  taffy_cuckoo_filter(const hasher& hash, core::taffy table) : base(hash, std::move(table)) {}
  taffy_cuckoo_filter(const sizing::taffy_plan& made, const options_type& options)
      : base(options.hash,
             {made.buckets, 0, made.head_bits, core::taffy::form::growing, options.memory}) {}
  [[nodiscard]] static sizing::taffy_plan sized(const options_type& options);
};

}  // namespace umbel

#if UMBEL_WITH_BODIES
#include <umbel/set/taffy_cuckoo_filter.ipp>
#endif
