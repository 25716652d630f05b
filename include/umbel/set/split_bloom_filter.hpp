// split_bloom_filter.hpp - split Bloom filter [XDL04]: a Bloom filter in rows, sized for the
// largest set that is expected and taken into use row by row.
//
// Form `fill`: keys fill one row after another. While the set is small, a query reads few rows and
// the rate is low. Form `hash`: the digest of a key names its row, and a query reads that row.
//
// Layout     One array of bits, in `rows` equal rows. A key has the same positions in every row.
// Invariant  No false negatives; memory does not grow. With one row the bits are those of a
//            bloom_filter.
// Limits     insert throws `full` after the planned number of keys, since more would exceed the
//            rate: build a larger filter then. A repeated key takes room again once another row is
//            in use. No erase.
// Threads    Many readers or one writer.
// Source     [XDL04], of which only the abstract was available, and [TRL12] sec. III-P. How keys
//            choose rows is specific to this library.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <type_traits>

#include <umbel/base/error.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/base/text.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/keyed.hpp>
#include <umbel/core/ordered_build.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/spooled.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/engine/probe/filled_rows.hpp>
#include <umbel/engine/probe/k_probes.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/sizing/bloom.hpp>
#include <umbel/sizing/rows.hpp>

namespace umbel {

// How keys choose rows: one row after another, or by digest.
enum class split_form : std::uint64_t { fill, hash };
// The name of a form: "fill" or "hash".
[[nodiscard]] constexpr std::string_view name_of(split_form form) noexcept {
  return form == split_form::fill ? "fill" : "hash";
}
// Sets `out` to the form of this name. Returns false and changes nothing if no form has this name.
[[nodiscard]] constexpr bool form_named(std::string_view name, split_form& out) noexcept {
  for (const auto form : {split_form::fill, split_form::hash})
    if (name == name_of(form)) return out = form, true;
  return false;
}

// Options of split_bloom_filter.
struct split_options {
  // Give exactly two of keys, fpr and bits: the third follows. A build counts `keys` itself.
  std::optional<std::uint64_t> keys{};  // maximum number of keys; beyond it insert throws `full`
  std::optional<double> fpr{};          // false positive rate with that many keys
  std::optional<std::uint64_t> bits{};  // size of all rows together
  unsigned probes = 0;                  // bits set per key; 0: the best number
  std::uint64_t rows = 8;               // number of rows, 1 to 4096
  // `fill`: one row after another; `hash`: the row follows from the digest
  split_form form = split_form::fill;
  hasher hash{};                                // hash function, and its seed or secret key
  std::pmr::memory_resource* memory = nullptr;  // for the cells; null: the default resource
  unsigned threads = 1;                         // threads that hash and sort the keys of a build
};

// The filter. Inherited from core/keyed.hpp: may_contain, may_contain_batch, insert, try_insert,
// insert_batch, clear.
class split_bloom_filter : public core::keyed<core::filled_rows, split_bloom_filter> {
  using base = core::keyed<core::filled_rows, split_bloom_filter>;

 public:
  using options_type = split_options;
  static constexpr std::string_view kind = "split-bloom-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{
      .of = family::set, .may_fill = true, .order_dependent = true};

  split_bloom_filter() = default;
  // An empty filter. Throws bad_parameter if no filter can have these options.
  explicit split_bloom_filter(const options_type& options)
      : split_bloom_filter(fitted(options), options) {}

  // Size, probes and predicted false positive rate of a filter with these options. Builds nothing.
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    const fit made = fitted(options);
    return {.keys = made.keys,
            .cells = made.at.cells(),
            .probes = made.at.probes(),
            .bits = made.at.cells(),
            .fpr = made.fpr,
            .form = name_of(options.form)};
  }

  // A filter of these keys, inserted once each in the order of their digests: equal sets give equal
  // bytes.
  template <core::key_range Keys>
  [[nodiscard]] static split_bloom_filter build(const Keys& keys, const options_type& options) {
    return build(core::spool_of(keys, options.hash, options.threads), options);
  }
  // The same from a spool of digests. A template, so that only programs that call it compile the
  // sorting.
  template <class Spool = digest_spool>
  [[nodiscard]] static split_bloom_filter build(const std::type_identity_t<Spool>& keys,
                                                const options_type& options) {
    return core::build_in_order<split_bloom_filter>(keys, options);
  }

  [[nodiscard]] std::uint64_t rows() const noexcept { return engine_.rows(); }  // number of rows
  // Form `fill`: the rows that have keys, which a query reads. Form `hash`: all rows.
  [[nodiscard]] std::uint64_t rows_in_use() const noexcept {
    return engine_.index().hashed() ? rows() : engine_.index().used();
  }
  // The share of a row's bits that are set.
  [[nodiscard]] double fill(std::uint64_t row) const noexcept { return engine_.fill(row); }

 private:
  struct fit {
    core::row_probes at;
    std::uint64_t room, keys;  // capacity of a row, and of the filter
    double fpr;
  };
  [[nodiscard]] static fit fitted(const options_type& options) {
    core::check({options.keys, options.fpr, options.bits});
    const bool hashed = options.form == split_form::hash;
    // throws for impossible options
    (void)core::row_probes(core::k_probes(1, 1), options.rows, hashed);
    if (options.probes > sizing::bloom_max_probes)
      throw bad_parameter(detail::text("probes: expected at most ", sizing::bloom_max_probes,
                                       ", found ", options.probes));
    std::uint64_t keys = options.keys.value_or(0),
                  room = std::max<std::uint64_t>(1, detail::ceil_div(keys, options.rows));
    sizing::bloom_plan row{};
    const auto planned_for = [&] { return hashed ? sizing::crowded_row(room) : room; };
    if (options.bits) {
      const std::uint64_t each = std::max<std::uint64_t>(1, *options.bits / options.rows);
      unsigned probes = options.probes;
      if (options.fpr) {
        const auto most = sizing::bloom_room_for(
            each, sizing::row_share(*options.fpr, options.rows, hashed), probes);
        probes = most.probes;
        room = most.keys;
        while (hashed && room > 0 && planned_for() > most.keys) room -= room / 256 + 1;
        keys = room * options.rows;
        room = std::max<std::uint64_t>(room, 1);
      }
      row = sizing::plan_bloom_for_bits(planned_for(), each, probes);
    } else {
      row = sizing::plan_bloom_for_rate(
          planned_for(), sizing::row_share(*options.fpr, options.rows, hashed), options.probes);
    }
    core::check_keys(keys);
    const double fpr = keys == 0 ? 0
                       : hashed  ? sizing::hashed_rows_fpr(keys, options.rows, row.bits, row.probes)
                                 : sizing::filled_rows_fpr(keys, room, row.bits, row.probes);
    core::check_kept(options.fpr, fpr);
    return {core::row_probes(core::k_probes(row.bits, row.probes), options.rows, hashed), room,
            keys, fpr};
  }
  split_bloom_filter(const fit& made, const options_type& options)
      : base(options.hash, engine_type(made.at, made.room, options.memory)) {}
};

}  // namespace umbel
