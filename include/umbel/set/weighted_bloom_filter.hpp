// weighted_bloom_filter.hpp - a Bloom filter in which keys have probes by what they are worth:
// popular non-members err less.
// Idea       A key that is asked often should have more probes, one that is often a member fewer:
//            sizing/popularity.hpp says how many. A table tells the keys that differ; all others
//            have the usual number.
// Layout     One array of m bits, the index of a bloom_filter, and the table.
// Invariant  No key is forgotten, because its number of probes never changes. Without a table it is
//            a bloom_filter, bit for bit. A key with no probes is in, always.
// Limits     The table takes some 25 bits for each of its keys and is asked with every query: it
//            should hold the few keys that matter. It is fixed when the filter is made.
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

struct weighted_options {
  // of keys, fpr and bits exactly two: as if all keys were usual ones
  std::optional<std::uint64_t> keys{};
  std::optional<double> fpr{};
  std::optional<std::uint64_t> bits{};  // without the table
  unsigned probes = 0;                  // of usual keys; 0: the best number, if all were
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;  // inserts run on the caller's thread: here for uniformity
};

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
  explicit weighted_bloom_filter(const options_type& options)
      : weighted_bloom_filter({}, plan(options), options) {}
  // An empty filter in which the keys of these pairs have as many probes as their second says: 0 to
  // 63. bad_parameter for more, conflict for a key with two numbers; both name the key.
  template <core::pair_range Pairs>
  weighted_bloom_filter(const Pairs& probes_of, const options_type& options)
      : weighted_bloom_filter(table_of(probes_of, options), plan(options), options) {}

  template <core::key_range Keys>
  [[nodiscard]] static weighted_bloom_filter build(const Keys& keys, const options_type& options) {
    return core::grown<weighted_bloom_filter>(keys, options);
  }
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    return bloom_filter::plan(
        {.keys = options.keys, .fpr = options.fpr, .bits = options.bits, .probes = options.probes});
  }

  using base::fill, base::probes;
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return base::size_in_bits() + table().size_in_bits();
  }
  // The rate of non-members nobody named, at the present fill: those taken for a key of the table
  // have any number of probes.
  [[nodiscard]] double expected_fpr() const noexcept {
    const double set = fill(), usual = std::pow(set, probes());
    double any = 0;
    for (unsigned i = 0; i <= core::probe_table::most; ++i)
      any += std::pow(set, i) / (core::probe_table::most + 1);
    return usual + table().mistaken() * (any - usual);
  }
  // The same of keys with so many probes.
  [[nodiscard]] double expected_fpr(unsigned of_probes) const noexcept {
    return std::pow(fill(), of_probes);
  }
  // How many probes this key has.
  template <key K>
  [[nodiscard]] unsigned probes_of(const K& k) const noexcept {
    return table().probes(this->hash()(k)).value_or(probes());
  }
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
