// taffy_cuckoo_filter.hpp - taffy cuckoo filter [App22]: growing set that doubles when full,
// without its keys, and keeps its false positive rate.
//
// Layout     The table of engine/table/taffy.hpp.
// Invariant  No false negatives after any number of doublings. At most 90 % of the slots are in
//            use, so the rate is at most 7.2 / 2^h at any size, for heads of h bits.
// Limits     No erase: keys that agree in all bits share an entry. A frozen filter takes no keys.
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

// Options of taffy_cuckoo_filter.
struct taffy_cuckoo_options {
  // Give exactly two of keys, fpr and bits: the third follows. A build counts `keys` itself.
  std::optional<std::uint64_t> keys{};          // keys it holds before it first doubles
  std::optional<double> fpr{};                  // bound on the false positive rate at any size
  std::optional<std::uint64_t> bits{};          // size of the first table in bits
  hasher hash{};                                // hash function, and its seed or secret key
  std::pmr::memory_resource* memory = nullptr;  // for the cells; null: the default resource
  // threads that sort in a build from digests; inserts run on the caller's thread
  unsigned threads = 1;
};

// The filter. Inherited from core/keyed.hpp: may_contain, may_contain_batch, insert, insert_batch,
// merge, clear.
class taffy_cuckoo_filter : public core::keyed<core::taffy> {
  using base = core::keyed<core::taffy>;

 public:
  using options_type = taffy_cuckoo_options;
  static constexpr std::string_view kind = "taffy-cuckoo-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{
      .of = family::set, .mergeable = true, .expands = true, .order_dependent = true};

  taffy_cuckoo_filter() = default;
  // An empty filter. Throws bad_parameter if no filter can have these options.
  explicit taffy_cuckoo_filter(const options_type& options)
      : taffy_cuckoo_filter(sized(options), options) {}
  // Size and predicted false positive rate of the first table. Builds nothing.
  [[nodiscard]] static umbel::plan plan(const options_type& options);

  // A filter of these keys in the order given.
  template <core::key_range Keys>
  [[nodiscard]] static taffy_cuckoo_filter build(const Keys& keys, const options_type& options) {
    return core::grown<taffy_cuckoo_filter>(keys, options);
  }
  // A filter of a spool of digests, each once, in the order of digests: equal sets give equal
  // bytes. A template, so that only programs that call it compile the sorting.
  template <class Spool = digest_spool>
  [[nodiscard]] static taffy_cuckoo_filter build(const std::type_identity_t<Spool>& keys,
                                                 const options_type& options) {
    return core::build_in_order<taffy_cuckoo_filter>(keys, options);
  }

  // A read-only copy without tails: h bits per slot instead of h + 6. Its rate is that of entries
  // whose tails are used up. insert, merge and clear of a frozen filter throw bad_parameter.
  [[nodiscard]] taffy_cuckoo_filter freeze() const { return {hash_, engine_.freeze()}; }
  // whether freeze() made it
  [[nodiscard]] bool is_frozen() const noexcept { return engine_.is_frozen(); }

  // Number of buckets on each of the two sides.
  [[nodiscard]] std::uint64_t buckets() const noexcept { return engine_.buckets(); }
  // number of doublings so far
  [[nodiscard]] unsigned growths() const noexcept { return engine_.growths(); }
  // bits of a head
  [[nodiscard]] unsigned head_bits() const noexcept { return engine_.head_bits(); }
  // entries stored
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
