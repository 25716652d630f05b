// dynamic_bloom_filter.hpp - dynamic Bloom filter [GWCL06]: grows by counting filters of equal
// size; keys can be erased.
//
// A row is a counting Bloom filter with room for a fixed number of keys. A key is inserted into the
// first row with room, and a query asks all rows. If exactly one row accepts a key, an erase
// decrements its counters there. Rows that have become half empty are added together.
//
// Layout     Rows of 4-bit counters under one index: a key has the same positions in every row.
// Invariant  A member is accepted by the row it was inserted into. So if only one row accepts it,
//            that is the row, and erasing a member never causes a false negative. Adding rows
//            together does not either: it is refused if a counter would saturate.
// Limits     The false positive rate grows with the rows, 1 - (1 - f)^rows, and so does the time of
//            a query. An erase is refused if two rows accept the key. Erasing a false positive
//            decrements counters of members.
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

// Options of dynamic_bloom_filter.
struct dynamic_options {
  // Give exactly two of keys, fpr and bits: the third follows. A build counts `keys` itself.
  std::optional<std::uint64_t> keys{};          // capacity of one row, in keys
  std::optional<double> fpr{};                  // false positive rate of one full row
  std::optional<std::uint64_t> bits{};          // size of one row
  unsigned probes = 0;                          // counters per key; 0: the best number
  hasher hash{};                                // hash function, and its seed or secret key
  std::pmr::memory_resource* memory = nullptr;  // for the cells; null: the default resource
  unsigned threads = 1;                         // threads that hash and sort the keys of a build
};

// The filter. Inherited from core/keyed.hpp: may_contain, may_contain_batch, insert, insert_batch,
// erase, try_erase, erase_batch, clear; count, the number of copies of a key, which is too high if
// other keys raised its counters, and too low only if a counter saturated at 15; keys, copies
// included.
class dynamic_bloom_filter : public core::keyed<core::rows<cells::counters>> {
  using base = core::keyed<core::rows<cells::counters>>;

 public:
  using options_type = dynamic_options;
  static constexpr std::string_view kind = "dynamic-bloom-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{
      .of = family::set, .counts = true, .erases = true, .order_dependent = true};

  dynamic_bloom_filter() : base({}, engine_type(core::k_probes(1, 1, salt), 1, nullptr)) {}
  // An empty filter of one row. Throws bad_parameter if no filter can have these options.
  explicit dynamic_bloom_filter(const options_type& options)
      : dynamic_bloom_filter(fitted(options), options) {}

  // Size and predicted false positive rate of the first row. Builds nothing.
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    const auto made = fitted(options);
    return {.keys = made.keys,
            .cells = made.at.cells(),
            .probes = made.at.probes(),
            .bits = detail::ceil_div(made.at.cells(), cells::counters::per_word) * 64,
            .fpr = made.at.rate(made.keys)};
  }

  // A filter of these keys, inserted once each in the order of their digests: equal sets give equal
  // bytes.
  template <core::key_range Keys>
  [[nodiscard]] static dynamic_bloom_filter build(const Keys& keys, const options_type& options) {
    return build(core::spool_of(keys, options.hash, options.threads), options);
  }
  // The same from a spool of digests. A template, so that only programs that call it compile the
  // sorting.
  template <class Spool = digest_spool>
  [[nodiscard]] static dynamic_bloom_filter build(const std::type_identity_t<Spool>& keys,
                                                  const options_type& options) {
    return core::build_in_order<dynamic_bloom_filter>(keys, options);
  }

  // number of rows
  [[nodiscard]] std::size_t rows() const noexcept { return engine_.all().size(); }
  // Erases refused since the filter was made or loaded, because more than one row accepted the key.
  [[nodiscard]] std::uint64_t ambiguous() const noexcept { return engine_.ambiguous(); }

  void check() {
    base::check();
    if (engine_.index().salt() != salt)
      throw bad_parameter(
          detail::text("salt: expected ", salt, ", found ", engine_.index().salt()));
  }

 private:
  // positions differ from those of a Bloom filter of this size
  static constexpr std::uint64_t salt = 0x20000;

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
