// expandable_filter.hpp - expandable filter [DBRT23]: a set with erase that doubles without its
// keys, any number of times, at a bounded false positive rate.
//
// log2(1/fpr) + 3.5 bits per slot, and 50 to 95 % of the slots are in use. A query reads one or two
// cache lines.
//
// Layout     The fingerprints of engine/table/expandable.hpp: a quotient filter that doubles when
//            full, with fingerprints of different lengths.
// Invariant  No false negatives. The sum of the false positive rates of all generations is bounded
//            (sizing/expandable.hpp).
// Limits     Doubling takes the time and the memory of both tables at once. The bytes depend on the
//            order of inserts. No merge.
// Threads    Many readers or one writer.
// Source     [DBRT23] for fingerprints of different lengths, [DBH24] for void values in both
//            halves.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <type_traits>

#include <umbel/base/config.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/grown.hpp>
#include <umbel/core/keyed.hpp>
#include <umbel/core/ordered_build.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/engine/table/expandable.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/sizing/expandable.hpp>

namespace umbel {

// Options of expandable_filter.
struct expandable_options {
  // Give exactly two of keys, fpr and bits: the third follows. A build counts `keys` itself.
  std::optional<std::uint64_t> keys{};          // first guess of the number of keys
  std::optional<double> fpr{};                  // bound on the false positive rate at any size
  std::optional<std::uint64_t> bits{};          // size of the first table in bits
  hasher hash{};                                // hash function, and its seed or secret key
  std::pmr::memory_resource* memory = nullptr;  // for the cells; null: the default resource
  // threads that sort in a build from digests; inserts run on the caller's thread
  unsigned threads = 1;
};

// The filter. Inherited from core/keyed.hpp: may_contain, may_contain_batch, insert, insert_batch,
// erase, try_erase, erase_batch, clear.
class expandable_filter : public core::keyed<core::expandable> {
  using base = core::keyed<core::expandable>;

 public:
  using options_type = expandable_options;
  static constexpr std::string_view kind = "expandable-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{
      .of = family::set, .erases = true, .expands = true, .order_dependent = true, .lines = 2};

  expandable_filter() = default;
  // An empty filter. Throws bad_parameter if no filter can have these options.
  explicit expandable_filter(const options_type& options)
      : expandable_filter(sized(options), options) {}
  // Size and predicted false positive rate of the first table. Builds nothing.
  [[nodiscard]] static umbel::plan plan(const options_type& options);

  // A filter of these keys in the order given; every copy of a key takes a slot.
  template <core::key_range Keys>
  [[nodiscard]] static expandable_filter build(const Keys& keys, const options_type& options) {
    return core::grown<expandable_filter>(keys, options);
  }
  // A filter of a spool of digests, each once, in the order of digests: equal sets give equal
  // bytes. A template, so that only programs that call it compile the sorting.
  template <class Spool = digest_spool>
  [[nodiscard]] static expandable_filter build(const std::type_identity_t<Spool>& keys,
                                               const options_type& options) {
    return core::build_in_order<expandable_filter>(keys, options);
  }

  // Restores the full-length fingerprint of a key that the caller knows to be a member. False if
  // the key is certainly not in the set.
  template <key K>
  bool rejuvenate(const K& k) noexcept {
    return engine_.rejuvenate(hash_(k));
  }
  // Doubles the number of slots. An insert does this when there is no room. Throws `full` if the
  // table would exceed 2^56 bits.
  void expand() { engine_.expand(); }

  // slots of the table
  [[nodiscard]] std::uint64_t slots() const noexcept { return engine_.table().slots(); }
  // Bits of the fingerprints of new keys.
  [[nodiscard]] unsigned length() const noexcept { return engine_.length(); }
  // Number of doublings so far.
  [[nodiscard]] unsigned generation() const noexcept { return engine_.generation(); }
  // Slots in use: copies of keys, and the copies that void values leave in both halves.
  [[nodiscard]] std::uint64_t used() const noexcept { return engine_.table().used(); }

 private:
  expandable_filter(const sizing::expandable_plan& made, const options_type& options)
      : base(options.hash, {made.blocks, made.length, options.memory}) {}
  [[nodiscard]] static sizing::expandable_plan sized(const options_type& options);
};

}  // namespace umbel

#if UMBEL_WITH_BODIES
#include <umbel/set/expandable_filter.ipp>
#endif
