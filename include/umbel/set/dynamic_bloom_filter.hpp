// dynamic_bloom_filter.hpp - dynamic Bloom filter [GWCL06]: grows by equal rows, and keys can be
// erased.
//
// A row is a counting filter with room for a number of keys. The first row with room takes a key,
// any row that accepts it answers. An erase looks for the row: if just one accepts the key, it is
// there, and its counters are decremented. Rows that have become half empty are added up.
//
// Layout     Rows of 4-bit counters under one index: a key has the same places in every row.
// Invariant  A key that is in is accepted by its own row. So where a single row accepts it, that is
//            the one, and no erase of a key that is in makes another one forgotten; nor does adding
//            up rows, which is refused where a counter would saturate.
// Limits     The rate grows with the rows, 1 - (1 - f)^rows, and so does the time of a query. An
//            erase is refused where two rows accept the key. Erasing a non-member that is a false
//            positive decrements counters of members.
// Threads    Many readers or one writer.
// Source     [GWCL06], [TRL12] sec. III-O.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <type_traits>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/counters.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/keyed.hpp>
#include <umbel/core/ordered_build.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/spooled.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/engine/compose/rows.hpp>
#include <umbel/engine/probe/fit_bits.hpp>
#include <umbel/engine/probe/k_probes.hpp>
#include <umbel/hash/hasher.hpp>

namespace umbel {

struct dynamic_options {
  std::optional<std::uint64_t> keys{};  // of one row. Of keys, fpr and bits exactly two
  std::optional<double> fpr{};          // the same
  std::optional<std::uint64_t> bits{};  // the same
  unsigned probes = 0;                  // 0: the best number
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;  // for sorting in a build
};

class dynamic_bloom_filter : public core::keyed<core::rows<cells::counters>> {
  using base = core::keyed<core::rows<cells::counters>>;

 public:
  using options_type = dynamic_options;
  static constexpr std::string_view kind = "dynamic-bloom-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{
      .of = family::set, .counts = true, .erases = true, .order_dependent = true};

  dynamic_bloom_filter() : base({}, engine_type(core::k_probes(1, 1, salt), 1, nullptr)) {}
  explicit dynamic_bloom_filter(const options_type& options)
      : dynamic_bloom_filter(fitted(options), options) {}

  // Of the first row.
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    const auto made = fitted(options);
    return {.keys = made.keys,
            .cells = made.at.cells(),
            .probes = made.at.probes(),
            .bits = detail::ceil_div(made.at.cells(), cells::counters::per_word) * 64,
            .fpr = made.at.rate(made.keys)};
  }

  // In the order of digests: equal sets give equal bytes.
  template <core::key_range Keys>
  [[nodiscard]] static dynamic_bloom_filter build(const Keys& keys, const options_type& options) {
    return build(core::spool_of(keys, options.hash, options.threads), options);
  }
  // a template, so that only programs that build so compile the sorting
  template <class Spool = digest_spool>
  [[nodiscard]] static dynamic_bloom_filter build(const std::type_identity_t<Spool>& keys,
                                                  const options_type& options) {
    return core::build_in_order<dynamic_bloom_filter>(keys, options);
  }

  // count: copies of a key that are in; more where others raised its counters, fewer only where a
  // counter saturated at 15. keys: copies included.

  [[nodiscard]] std::size_t rows() const noexcept { return engine_.all().size(); }
  // Erases that were refused since it was made or loaded, because more than one row accepted the
  // key.
  [[nodiscard]] std::uint64_t ambiguous() const noexcept { return engine_.ambiguous(); }

  void check() {
    base::check();
    if (engine_.index().salt() != salt)
      throw bad_parameter(
          detail::text("salt: expected ", salt, ", found ", engine_.index().salt()));
  }

 private:
  static constexpr std::uint64_t salt = 0x20000;  // other places than a Bloom filter's of that size

  [[nodiscard]] static core::bit_fit<core::k_probes> fitted(const options_type& options) {
    core::budget counted{options.keys, options.fpr, options.bits};
    core::check(counted);
    if (options.bits)
      counted.bits = std::max<std::uint64_t>(1, *options.bits / 64) * cells::counters::per_word;
    auto out = core::fit_bits<core::k_probes>(counted, options.probes, {});
    out.at = core::k_probes(out.at.cells(), out.at.probes(), salt);
    return out;
  }
  dynamic_bloom_filter(const core::bit_fit<core::k_probes>& made, const options_type& options)
      : base(options.hash,
             engine_type(made.at, std::max<std::uint64_t>(made.keys, 1), options.memory)) {}
};

}  // namespace umbel
