// two_choice_bloom_filter.hpp - Bloom filter with the power of two choices [LM07]: a sixth fewer
// false positives at 16 bits per key.
//
// Every key has g groups of k bits and sets the bits of one group: the one that sets the fewest new
// bits. A key may be in the set if all bits of some group are set. A non-member has g chances to
// pass, but fewer bits are set. From about 10 bits per key on, the rate is lower than a
// bloom_filter's.
//
// Layout     One array of m bits, and an index with g probe sequences per key.
// Invariant  Bits never change from 1 to 0, so there are no false negatives. The bits depend on the
//            order of inserts. Those of `build` do not: there all keys choose again until no key
//            changes its choice.
// Limits     As bloom_filter. A query takes up to g times as long, and an insert reads g*k bits. No
//            intersect: a common key may have chosen different groups in the two filters. No
//            cardinality: how many bits the keys set depends on their order.
// Threads    Many readers or one writer; `concurrent_two_choice_bloom_filter` takes any number of
//            both.
// Source     [LM07], [TRL12] sec. II-C.4.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>

#include <umbel/base/error.hpp>
#include <umbel/cells/bits.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/keyed.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/spooled.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/engine/probe/choices.hpp>
#include <umbel/engine/probe/local_search.hpp>
#include <umbel/engine/probe/probes.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/sizing/two_choice.hpp>

namespace umbel {

// Options of two_choice_bloom_filter.
struct two_choice_options {
  // Give exactly two of keys, fpr and bits: the third follows. A build counts `keys` itself.
  std::optional<std::uint64_t> keys{};          // distinct keys it is planned for
  std::optional<double> fpr{};                  // false positive rate once `keys` keys are in
  std::optional<std::uint64_t> bits{};          // size of the filter in bits
  unsigned probes = 0;                          // bits per group; 0: the best number
  unsigned groups = 2;                          // groups per key, 2 to 8: the choices of a key
  hasher hash{};                                // hash function, and its seed or secret key
  std::pmr::memory_resource* memory = nullptr;  // for the cells; null: the default resource
  unsigned threads = 1;                         // threads that hash and sort the keys of a build
};

// The filter, over plain or shared cells. Inherited from core/keyed.hpp: may_contain,
// may_contain_batch, insert, insert_batch, merge, fold, clear. The merged filter may have more ones
// than a filter of the union.
template <class Cells = cells::bits>
class basic_two_choice_bloom_filter : public core::keyed<core::probes<core::choices, Cells>> {
  using base = core::keyed<core::probes<core::choices, Cells>>;
  using base::engine_;

 public:
  using options_type = two_choice_options;
  static constexpr std::string_view kind = "two-choice-bloom-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{
      .of = family::set, .mergeable = true, .order_dependent = true};

  basic_two_choice_bloom_filter() = default;
  // An empty filter. Throws bad_parameter if no filter can have these options.
  explicit basic_two_choice_bloom_filter(const options_type& options)
      : basic_two_choice_bloom_filter(plan(options), options) {}

  // Size, and the false positive rate of a filter that is filled by insert(); build() gives a lower
  // one. Builds nothing.
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    core::check({options.keys, options.fpr, options.bits});
    if (options.probes > sizing::bloom_max_probes)
      throw bad_parameter(detail::text("probes: expected at most ", sizing::bloom_max_probes,
                                       ", found ", options.probes));
    (void)core::choices(1, 1, options.groups);  // throws for impossible options
    std::uint64_t keys = options.keys.value_or(0);
    const auto made = [&]() -> sizing::bloom_plan {
      if (!options.bits)
        return sizing::plan_two_choice_for_rate(keys, *options.fpr, options.groups, options.probes);
      if (!options.fpr)
        return sizing::plan_two_choice_for_bits(keys, *options.bits, options.groups,
                                                options.probes);
      const auto room =
          sizing::two_choice_room_for(*options.bits, *options.fpr, options.groups, options.probes);
      keys = room.keys;
      return sizing::plan_two_choice_for_bits(keys, *options.bits, options.groups, room.probes);
    }();
    core::check_kept(options.fpr, made.fpr);
    return {.keys = keys,
            .cells = made.bits,
            .probes = made.probes,
            .bits = made.bits,
            .fpr = made.fpr};
  }

  // A filter of all keys at once. Keys choose again until no key changes its choice, so fewer bits
  // are set than by inserts, and the same bits in any order of keys.
  template <core::key_range Keys>
  [[nodiscard]] static basic_two_choice_bloom_filter build(const Keys& keys,
                                                           const options_type& options) {
    return build(core::spool_of(keys, options.hash, options.threads), options);
  }
  // The same from a spool of digests.
  [[nodiscard]] static basic_two_choice_bloom_filter build(const digest_spool& keys,
                                                           options_type options) {
    const digest_spool once = keys.distinct(options.threads);
    if (!options.keys && !(options.fpr && options.bits)) options.keys = once.size();
    basic_two_choice_bloom_filter out(options);
    out.engine_.cells().storage() = core::settle(out.engine_.index(), once, options.memory).bits;
    return out;
  }

  using base::fill, base::probes;
  // groups per key
  [[nodiscard]] unsigned groups() const noexcept { return engine_.index().groups(); }
  // The false positive rate at the present fill, whatever was planned.
  [[nodiscard]] double expected_fpr() const noexcept {
    return sizing::two_choice_fpr_at(fill(), probes(), groups());
  }

 private:
  basic_two_choice_bloom_filter(const umbel::plan& made, const options_type& options)
      : base(options.hash, typename base::engine_type({made.cells, made.probes, options.groups},
                                                      options.memory)) {}
};

// The filter for one writer at a time.
using two_choice_bloom_filter = basic_two_choice_bloom_filter<>;
// The same for any number of readers and writers at a time.
using concurrent_two_choice_bloom_filter = basic_two_choice_bloom_filter<cells::shared_bits>;

}  // namespace umbel
