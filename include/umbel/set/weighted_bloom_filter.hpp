// weighted_bloom_filter.hpp - weighted Bloom filter [BGJ06]: the number of probes depends on the
// key, so that popular non-members are false positives less often.
//
// A key that is queried often should have more probes, one that is often a member fewer.
// sizing/popularity.hpp computes how many. A table stores the numbers of the keys that differ; all
// other keys have the usual number.
//
// Layout     One array of m bits, the index of a bloom_filter, and the table.
// Invariant  No false negatives, because a key's number of probes never changes. Without a table it
//            is a bloom_filter, bit for bit. A key with 0 probes is always found.
// Limits     The table takes about 25 bits for each of its keys and is read by every query, so it
//            should hold only the few keys that matter. It is fixed when the filter is made.
// Threads    Many readers or one writer.
// Source     [BGJ06], [ZLS08], [TRL12] sec. III-T and III-V.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include <umbel/core/grown.hpp>
#include <umbel/core/keyed.hpp>
#include <umbel/core/spooled.hpp>
#include <umbel/engine/probe/counted_probes.hpp>
#include <umbel/engine/probe/probe_table.hpp>
#include <umbel/engine/probe/probes.hpp>
#include <umbel/set/bloom_filter.hpp>

namespace umbel {

// Options of weighted_bloom_filter.
struct weighted_options {
  // Give exactly two of keys, fpr and bits: the third follows. A build counts `keys` itself.
  // distinct keys it is planned for, as if all had the usual number of probes
  std::optional<std::uint64_t> keys{};
  std::optional<double> fpr{};          // false positive rate once `keys` keys are in
  std::optional<std::uint64_t> bits{};  // size of the filter in bits, without the table
  // probes of keys that are not in the table; 0: the best number for those alone
  unsigned probes = 0;
  hasher hash{};                                // hash function, and its seed or secret key
  std::pmr::memory_resource* memory = nullptr;  // for the cells; null: the default resource
  unsigned threads = 1;                         // no effect: inserts run on the caller's thread
};

// The filter. Inherited from core/keyed.hpp: may_contain, may_contain_batch, insert, insert_batch,
// merge, intersect, fold, clear.
class weighted_bloom_filter
    : public core::keyed<core::probes<core::counted_probes<core::probe_table>, cells::bits>> {
  using base = core::keyed<core::probes<core::counted_probes<core::probe_table>, cells::bits>>;

 public:
  using options_type = weighted_options;
  static constexpr std::string_view kind = "weighted-bloom-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{
      .of = family::set, .popularity_aware = true, .mergeable = true};

  weighted_bloom_filter() = default;
  // An empty filter without a table.
  explicit weighted_bloom_filter(const options_type& options)
      : weighted_bloom_filter({}, plan(options), options) {}
  // An empty filter with a table of pairs (key, number of probes, 0 to 63). Throws bad_parameter
  // for a larger number and conflict for a key with two numbers; both messages name the key.
  template <core::pair_range Pairs>
  weighted_bloom_filter(const Pairs& probes_of, const options_type& options)
      : weighted_bloom_filter(table_of(probes_of, options), plan(options), options) {}

  // A filter of these keys, without a table.
  template <core::key_range Keys>
  [[nodiscard]] static weighted_bloom_filter build(const Keys& keys, const options_type& options) {
    return core::grown<weighted_bloom_filter>(keys, options);
  }
  // Size and predicted false positive rate without a table. Builds nothing.
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    return bloom_filter::plan(
        {.keys = options.keys, .fpr = options.fpr, .bits = options.bits, .probes = options.probes});
  }

  using base::fill, base::probes;
  // Size of the bits and of the table.
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return base::size_in_bits() + table().size_in_bits();
  }
  // The false positive rate at the present fill of non-members that are not in the table. It
  // includes those that the table mistakes for one of its keys: they have any number of probes.
  [[nodiscard]] double expected_fpr() const noexcept {
    const double set = fill(), usual = std::pow(set, probes());
    double any = 0;
    for (unsigned i = 0; i <= core::probe_table::most; ++i)
      any += std::pow(set, i) / (core::probe_table::most + 1);
    return usual + table().mistaken() * (any - usual);
  }
  // The false positive rate at the present fill of non-members with `of_probes` probes.
  [[nodiscard]] double expected_fpr(unsigned of_probes) const noexcept {
    return std::pow(fill(), of_probes);
  }
  // Number of probes of this key.
  template <key K>
  [[nodiscard]] unsigned probes_of(const K& k) const noexcept {
    return table().probes(this->hash()(k)).value_or(probes());
  }
  // The table of keys whose number of probes differs.
  [[nodiscard]] const core::probe_table& table() const noexcept { return engine_.index().table(); }

  static void describe(auto& self, auto& part) {
    core::probe_table::describe(self.engine_.index().table(), part);
    base::describe(self, part);
  }

 private:
  weighted_bloom_filter(core::probe_table table, const umbel::plan& made,
                        const options_type& options)
      : base(options.hash, engine_type({core::k_probes(made.cells, made.probes), std::move(table)},
                                       options.memory)) {}
  template <core::pair_range Pairs>
  [[nodiscard]] static core::probe_table table_of(const Pairs& probes_of,
                                                  const options_type& options) {
    const auto complain = [](std::uint64_t number, const std::string& whose) {
      return detail::text("probes: expected at most ", core::probe_table::most, ", found ", number,
                          whose);
    };
    const pair_spool spool =
        core::spool_of(probes_of, options.hash, core::probe_table::most, complain);
    return core::naming_conflicts(probes_of, options.hash,
                                  [&] { return core::probe_table::build(spool, options.memory); });
  }
};

}  // namespace umbel
