// cuckoo_filter.hpp - cuckoo filter [FAKM14]: growing set with erase, (log2(1/fpr) + 3) / 0.95 bits
// per key, two reads per query.
//
// Layout     The cuckoo hash table of engine/table/cuckoo.hpp: any even number of buckets, tags of
//            2 to 32 bits, one victim. Sorted buckets take one bit less per slot.
// Invariant  No false negatives. The planned number of keys always fits.
// Limits     insert throws `full` at a load of about 0.97. Every copy of a key takes a slot, so
//            that each can be erased; at most 2 * slots + 1 copies of one key fit. Erase only keys
//            that were inserted: erasing a false positive removes another key's tag. Rates below
//            2e-9 (4 slots; sorted: 1e-4) are out of reach. No merge: duplicate keys cannot be
//            distinguished from colliding tags.
// Threads    Many readers or one writer.
// Source     [FAKM14], [TRL12] sec. III-X; differs in that tables need not be powers of two.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <type_traits>

#include <umbel/base/config.hpp>
#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/grown.hpp>
#include <umbel/core/keyed.hpp>
#include <umbel/core/ordered_build.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/engine/table/cuckoo.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/sizing/cuckoo.hpp>

namespace umbel {

// Options of cuckoo_filter.
struct cuckoo_options {
  // Give exactly two of keys, fpr and bits: the third follows. A build counts `keys` itself.
  std::optional<std::uint64_t> keys{};  // distinct keys it is planned for
  std::optional<double> fpr{};          // false positive rate once `keys` keys are in
  std::optional<std::uint64_t> bits{};  // size of the filter in bits
  unsigned slots = 4;  // slots per bucket: 2, 4 or 8. More slots: higher loads, wider tags
  // store sorted buckets, one bit less per slot; queries take longer. Needs 4 slots and tags of 4
  // to 16 bits
  bool sorted = false;
  hasher hash{};                                // hash function, and its seed or secret key
  std::pmr::memory_resource* memory = nullptr;  // for the cells; null: the default resource
  // threads that sort in a build from digests; inserts run on the caller's thread
  unsigned threads = 1;
};

// The filter. Inherited from core/keyed.hpp: may_contain, may_contain_batch, insert, try_insert,
// insert_batch, erase, try_erase, erase_batch, clear.
class cuckoo_filter : public core::keyed<core::cuckoo, cuckoo_filter> {
  using base = core::keyed<core::cuckoo, cuckoo_filter>;

 public:
  using options_type = cuckoo_options;
  static constexpr std::string_view kind = "cuckoo-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{
      .of = family::set, .erases = true, .may_fill = true, .order_dependent = true};

  cuckoo_filter() = default;
  // An empty filter. Throws bad_parameter if no filter can have these options.
  explicit cuckoo_filter(const options_type& options) : cuckoo_filter(sized(options), options) {}
  // Size and predicted false positive rate, without building. If `bits` are too few for all keys,
  // `keys` of the plan is the number of keys that fit.
  [[nodiscard]] static umbel::plan plan(const options_type& options);

  // A filter of these keys in the order given; every copy of a key takes a slot. Throws `full` if
  // they do not fit.
  template <core::key_range Keys>
  [[nodiscard]] static cuckoo_filter build(const Keys& keys, const options_type& options) {
    return core::grown<cuckoo_filter>(keys, options);
  }
  // A filter of a spool of digests, each once, in the order of digests: equal sets give equal
  // bytes. A template, so that only programs that call it compile the sorting.
  template <class Spool = digest_spool>
  [[nodiscard]] static cuckoo_filter build(const std::type_identity_t<Spool>& keys,
                                           const options_type& options) {
    return core::build_in_order<cuckoo_filter>(keys, options);
  }

  // Inserts of a build (core/grown.hpp): takes half the time of insert_batch where the table ends
  // nearly full.
  class filling {
   public:
    // `into` must outlive this object.
    explicit filling(cuckoo_filter& into) noexcept : into_(into) {}
    // Inserts these keys; some may wait for finish(). Throws `full` if they do not fit.
    template <core::key_span Keys>
    void add(const Keys& keys) {
      into_.hash_.with_digests(core::as_span(keys),
                               [&](std::size_t, std::size_t count, auto digest_at) {
        given_ += count;
        require(into_.engine_.fill(waiting_, count, digest_at));
      });
    }
    // Inserts the keys that still wait. Throws `full` if they do not fit.
    void finish() { require(into_.engine_.finish(waiting_)); }

   private:
    // Some of the keys given so far found no room; how many are still to come is not known here.
    void require(bool fits) const {
      if (fits) return;
      const std::uint64_t room = into_.engine_.occupied().room;
      throw full(detail::text(kind, " has no room for ", given_, " keys in ", room,
                              " slots. Build it for ", given_, " keys or more"));
    }
    cuckoo_filter& into_;
    std::uint64_t given_ = 0;
    core::cuckoo::crowd waiting_;
  };

  // number of buckets
  [[nodiscard]] std::uint64_t buckets() const noexcept { return engine_.index().buckets(); }
  [[nodiscard]] unsigned slots() const noexcept { return engine_.slots(); }  // slots per bucket
  // whether buckets are sorted
  [[nodiscard]] bool sorted() const noexcept { return engine_.cells().are_sorted(); }
  // bits of a tag
  [[nodiscard]] unsigned width() const noexcept { return engine_.index().width(); }

 private:
  cuckoo_filter(const sizing::cuckoo_plan& made, const options_type& options)
      : base(options.hash, {{made.buckets, made.width}, made.slots, made.sorted, options.memory}) {}
  [[nodiscard]] static sizing::cuckoo_plan sized(const options_type& options);
};

}  // namespace umbel

#if UMBEL_WITH_BODIES
#include <umbel/set/cuckoo_filter.ipp>
#endif
