// quotient_filter.hpp - quotient filter [BFJKK+12] in its rank-and-select form (RSQF) [PBJP17]: a
// growing set that erases, counts, merges, and doubles without its keys.
//
// (log2(1/fpr) + 2.1) / 0.95 bits per key, one or two cache lines per query. It is smaller than a
// Bloom filter for rates below 2 %.
//
// Layout     The fingerprints of engine/table/quotient.hpp in a quotient table.
// Invariant  Every copy of every fingerprint is stored. So an erase removes one copy and affects no
//            other key. The bytes are a function of the multiset of keys, in any order of inserts
//            and erases, and the false positive rate is known exactly from them.
// Limits     insert throws `full` at 95 % of the slots; the planned keys always fit. Each copy of a
//            key takes a slot, and many copies of one key slow down queries near it. Erasing a key
//            that was never inserted may remove another key's fingerprint.
// Threads    Many readers or one writer.
// Source     [BFJKK+12], [PBJP17]; the practical form of [PPR05].
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
#include <umbel/engine/table/quotient.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/sizing/quotient.hpp>

namespace umbel {

// Options of quotient_filter.
struct quotient_options {
  // Give exactly two of keys, fpr and bits: the third follows. A build counts `keys` itself.
  std::optional<std::uint64_t> keys{};  // distinct keys it is planned for
  std::optional<double> fpr{};          // false positive rate once `keys` keys are in
  std::optional<std::uint64_t> bits{};  // size of the filter in bits
  // highest share of slots that `keys` keys may take, up to 0.95; lower: faster inserts
  double load = sizing::quotient_max_load;
  hasher hash{};                                // hash function, and its seed or secret key
  std::pmr::memory_resource* memory = nullptr;  // for the cells; null: the default resource
  unsigned threads = 1;                         // no effect: inserts run on the caller's thread
};

// The filter. Inherited from core/keyed.hpp: may_contain, may_contain_batch, insert, try_insert,
// insert_batch, erase, try_erase, erase_batch, count, merge, clear.
class quotient_filter : public core::keyed<core::quotient, quotient_filter> {
  using base = core::keyed<core::quotient, quotient_filter>;

 public:
  using options_type = quotient_options;
  static constexpr std::string_view kind = "quotient-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{.of = family::set,
                                        .counts = true,
                                        .erases = true,
                                        .mergeable = true,
                                        .may_fill = true,
                                        .lines = 2};

  quotient_filter() = default;
  // An empty filter. Throws bad_parameter if no filter can have these options.
  explicit quotient_filter(const options_type& options)
      : quotient_filter(sized(options), options) {}
  // Size, probes and predicted false positive rate of a filter with these options. Builds nothing.
  [[nodiscard]] static umbel::plan plan(const options_type& options);

  // A filter of these keys; every copy of a key takes a slot. Throws `full` if they do not fit.
  template <core::key_range Keys>
  [[nodiscard]] static quotient_filter build(const Keys& keys, const options_type& options) {
    return core::grown<quotient_filter>(keys, options);
  }

  // Calls visit(fingerprint) for every copy of every fingerprint, in ascending order.
  template <class Visit>
  void each_fingerprint(Visit&& visit) const {
    engine_.each_fingerprint(visit);
  }
  // Doubles the number of slots, without the keys; each slot loses one bit. The fingerprints and
  // the false positive rate stay the same. Once the table is full again, the rate is twice the
  // planned one. Throws bad_parameter if a slot has only one bit.
  void expand() { engine_.expand(); }

  // slots of the table
  [[nodiscard]] std::uint64_t slots() const noexcept { return engine_.table().slots(); }
  // bits of a remainder
  [[nodiscard]] unsigned width() const noexcept { return engine_.table().width(); }
  // Copies of keys stored: slots in use.
  [[nodiscard]] std::uint64_t copies() const noexcept { return engine_.table().used(); }

 private:
  quotient_filter(const sizing::quotient_plan& made, const options_type& options)
      : base(options.hash, {made.blocks, made.width, options.memory}) {}
  [[nodiscard]] static sizing::quotient_plan sized(const options_type& options);
};

}  // namespace umbel

#if UMBEL_WITH_BODIES
#include <umbel/set/quotient_filter.ipp>
#endif
