// two_choice_bloom_filter.hpp - a Bloom filter whose keys choose: a sixth fewer false positives at
// 16 bits per key.
// Idea       Every key has g groups of k bits and sets those of one only: of the group that sets
//            fewest new bits. A key may be in if all bits of some group are set. A non-member has g
//            chances to pass, but fewer bits are set; from about 10 bits per key on that is the
//            better side of the bargain.
// Layout     One array of m bits and an index with g walks per key.
// Invariant  Bits never go from 1 to 0, so no key is forgotten. The bits depend on the order of
//            inserts; those of `build`, which lets all keys choose again until none would move, do
//            not.
// Limits     As bloom_filter. A query costs up to g times as much, an insert looks at g*k bits. No
//            intersection: a common key may have chosen differently on both sides. No estimate of
//            the number of keys: how many bits they set depends on how they came in.
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

struct two_choice_options {
  // of keys, fpr and bits exactly two; a build counts keys itself
  std::optional<std::uint64_t> keys{};
  std::optional<double> fpr{};
  std::optional<std::uint64_t> bits{};
  unsigned probes = 0;  // of one group; 0: the best number
  unsigned groups = 2;
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;  // for hashing and sorting in a build
};

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
  explicit basic_two_choice_bloom_filter(const options_type& options)
      : basic_two_choice_bloom_filter(plan(options), options) {}

  // The rate of a filter that is grown key by key. One that is built at once is better.
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    core::check({options.keys, options.fpr, options.bits});
    if (options.probes > sizing::bloom_max_probes)
      throw bad_parameter(detail::text("probes: expected at most ", sizing::bloom_max_probes,
                                       ", found ", options.probes));
    (void)core::choices(1, 1, options.groups);  // refuses what cannot be
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

  // All keys at once, with choices that none would change: fewer bits are set than by inserts, the
  // same in any order.
  template <core::key_range Keys>
  [[nodiscard]] static basic_two_choice_bloom_filter build(const Keys& keys,
                                                           const options_type& options) {
    return build(core::spool_of(keys, options.hash, options.threads), options);
  }
  [[nodiscard]] static basic_two_choice_bloom_filter build(const digest_spool& keys,
                                                           options_type options) {
    const digest_spool once = keys.distinct(options.threads);
    if (!options.keys && !(options.fpr && options.bits)) options.keys = once.size();
    basic_two_choice_bloom_filter out(options);
    out.engine_.cells().storage() = core::settle(out.engine_.index(), once, options.memory).bits;
    return out;
  }

  using base::fill, base::probes;
  [[nodiscard]] unsigned groups() const noexcept { return engine_.index().groups(); }
  // The rate at the present fill, whatever was planned.
  [[nodiscard]] double expected_fpr() const noexcept {
    return sizing::two_choice_fpr_at(fill(), probes(), groups());
  }

 private:
  basic_two_choice_bloom_filter(const umbel::plan& made, const options_type& options)
      : base(options.hash, typename base::engine_type({made.cells, made.probes, options.groups},
                                                      options.memory)) {}
};

using two_choice_bloom_filter = basic_two_choice_bloom_filter<>;
using concurrent_two_choice_bloom_filter = basic_two_choice_bloom_filter<cells::shared_bits>;

}  // namespace umbel
