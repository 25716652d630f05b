// meta_map.ipp - bodies of meta_map.hpp: counting owner sets, choosing a form, and building it.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include <umbel/engine/retrieval/peeled_build.hpp>
#include <umbel/map/meta_map.hpp>

namespace umbel {

// Groups the records by key, then builds. A set of owners has a name of one word: its bitmap if
// that is one word wide, else the number of different sets seen before it. Keys are visited in the
// order of their digests, so names do not depend on the order of the input.
template <class Spool>
class core::owner_directory::builder {
 public:
  builder(const Spool& pairs, const meta_map_options& options)
      : pairs_(pairs),
        options_(options),
        fpr_(options.fpr.value_or(1.0 / 256)),
        known_(pairs.options()) {}

  [[nodiscard]] owner_directory build() {
    gather();
    rank();
    const sizing::meta_price price = priced();
    owner_directory out;
    out.databases_ = options_.databases;
    out.form_ = static_cast<std::uint64_t>(price.form);
    switch (price.form) {
      case form::bank: fill_bank(out); break;
      case form::owner:
        fill(out, known_, price.width, [this](std::uint64_t name) { return only_owner(name); });
        break;
      case form::dictionary: fill_dictionary(out, price); break;
      case form::bitmap:
        fill(out, known_, price.width, [](std::uint64_t name) { return name; });
        break;
    }
    return out;
  }

 private:
  using row = std::vector<std::uint64_t>;

  [[nodiscard]] bool narrow() const noexcept {
    return options_.databases <= sizing::meta_max_bitmap;
  }
  [[nodiscard]] bool wanted(sizing::meta_form f) const noexcept {
    return !options_.form || *options_.form == f;
  }

  // Collects every key once, with the name of its set, and the number of keys of each database.
  void gather() {
    std::vector<std::uint64_t> load(options_.databases);
    row owned(owners::words_for(options_.databases));
    pairs_.for_each_sorted(options_.threads, [&](std::span<const core::valued> all) {
      for (std::size_t i = 0, next; i < all.size(); i = next) {
        std::fill(owned.begin(), owned.end(), 0);
        for (next = i; next < all.size() && all[next].key == all[i].key; ++next) {
          const std::uint64_t database = all[next].value;
          if (database >= options_.databases)
            throw bad_parameter(detail::text("value ", database, " does not fit ",
                                             options_.databases, " databases"));
          owned[database / 64] |= std::uint64_t{1} << (database % 64);
          ++load[database];
        }
        if (next - i > 1 && options_.form == form::owner)
          throw core::digest_conflict(all[i], all[i + 1]);
        single_ &= next - i == 1;
        ++keys_;
        keep(all[i].key, owned);
      }
    });
    fullest_ = *std::max_element(load.begin(), load.end());
  }
  void keep(digest d, const row& owned) {
    if (!nameable_) return;
    const auto name = name_of(owned);
    nameable_ = name.has_value();
    if (!nameable_) {
      known_ = Spool(pairs_.options());
      names_ = {};
    } else {
      known_.add(core::valued{d, *name});
      if (wanted(form::dictionary)) names_.push_back(*name);
    }
  }
  [[nodiscard]] std::optional<std::uint64_t> name_of(const row& owned) {
    if (options_.form == form::bank) return std::nullopt;
    if (narrow()) return owned[0];
    const auto [at, fresh] = met_.try_emplace(owned, met_.size());
    if (fresh && met_.size() > sizing::meta_max_sets) return std::nullopt;
    if (fresh) rows_.push_back(&at->first);
    return at->second;
  }

  // Sorts the distinct sets by decreasing frequency, then by content.
  void rank() {
    std::sort(names_.begin(), names_.end());
    for (std::size_t i = 0, next; i < names_.size(); i = next) {
      for (next = i; next < names_.size() && names_[next] == names_[i];) ++next;
      ranked_.emplace_back(next - i, names_[i]);
    }
    names_ = {};
    std::sort(ranked_.begin(), ranked_.end(), [this](const auto& a, const auto& b) {
      if (a.first != b.first) return a.first > b.first;
      return narrow() ? a.second < b.second : *rows_[a.second] < *rows_[b.second];
    });
    for (const auto& [frequency, name] : ranked_) frequencies_.push_back(frequency);
  }
  [[nodiscard]] sizing::meta_price priced() const {
    const sizing::meta_counts counts{.keys = keys_,
                                     .databases = options_.databases,
                                     .fullest = fullest_,
                                     .single = single_,
                                     .frequencies = frequencies_};
    const auto price = options_.form ? sizing::price_meta(counts, fpr_, *options_.form)
                                     : sizing::choose_meta(counts, fpr_);
    if (!price || (!nameable_ && price->form != form::bank))
      throw bad_parameter(
          detail::text("form: ", options_.form ? sizing::name_of(*options_.form) : "none",
                       " cannot hold these keys with their ", options_.databases,
                       " databases at a rate of ", fpr_, "; a bank may"));
    return *price;
  }

  [[nodiscard]] std::uint64_t only_owner(std::uint64_t name) const noexcept {
    if (narrow()) return static_cast<unsigned>(std::countr_zero(name));
    const row& owned = *rows_[name];
    std::uint64_t word = 0;
    while (owned[word] == 0) ++word;
    return 64 * word + static_cast<unsigned>(std::countr_zero(owned[word]));
  }

  [[nodiscard]] typename table::build_options build_options_of(unsigned width) const {
    return {.width = width,
            .memory = options_.memory,
            .threads = options_.threads,
            .shard_from = options_.shard_from};
  }
  // Builds the function with the values answer_of(the value of the key in the spool), XORed with
  // the masks.
  template <class AnswerOf>
  void fill(owner_directory& out, const Spool& keys, unsigned width, AnswerOf answer_of) const {
    out.table_ =
        table::build(keys, build_options_of(width),
                     [&, mask = detail::low_mask(width)](const valued& v, std::uint64_t tag) {
      return answer_of(v.value) ^ (tag & mask);
        });
  }
  void fill_dictionary(owner_directory& out, const sizing::meta_price& price) const {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> numbers;  // by name
    out.sets_ = price.sets;
    out.rows_ = cells::rows(price.sets, options_.databases, options_.memory);
    for (std::uint64_t i = 0; i < price.sets; ++i) {
      const std::uint64_t name = ranked_[i].second;
      numbers.emplace_back(name, i);
      const std::span<const std::uint64_t> words =
          narrow() ? std::span(&name, 1) : std::span(*rows_[name]);
      for (unsigned database = 0; database < options_.databases; ++database)
        if ((words[database / 64] >> (database % 64) & 1) != 0) out.rows_.set(i, database);
    }
    std::sort(numbers.begin(), numbers.end());
    Spool numbered(pairs_.options()), rare(pairs_.options());
    known_.for_each(0, Spool::bins, [&](std::span<const core::valued> block) {
      for (const core::valued& v : block) {
        const auto at =
            std::lower_bound(numbers.begin(), numbers.end(), std::pair(v.value, std::uint64_t{0}));
        const bool there = at != numbers.end() && at->first == v.value;
        numbered.add(core::valued{v.key, there ? at->second : price.sets});
        if (!there) rare.add(v);
      }
    });
    if (rare.size() != 0)
      out.escape_ = table::build(rare, build_options_of(options_.databases),
                                 [](const valued& v, std::uint64_t) { return v.value; });
    fill(out, numbered, price.width, [](std::uint64_t number) { return number; });
  }
  void fill_bank(owner_directory& out) const {
    const auto one =
        sizing::plan_bloom_for_rate(fullest_, sizing::meta_bank_rate(options_.databases, fpr_));
    out.index_ = core::k_probes(one.bits, one.probes);
    out.rows_ = cells::rows(one.bits, options_.databases, options_.memory);
    pairs_.for_each(0, Spool::bins, [&](std::span<const core::valued> block) {
      for (const core::valued& v : block)
        core::slices::mark(out.index_, out.rows_, v.key, static_cast<unsigned>(v.value));
    });
  }

  const Spool& pairs_;
  const meta_map_options& options_;
  const double fpr_;
  Spool known_;                                                  // keys and names of their sets
  std::map<row, std::uint64_t> met_;                             // names of sets of several words
  std::vector<const row*> rows_;                                 // the sets by name
  std::vector<std::uint64_t> names_;                             // names of the sets of all keys
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranked_;  // frequency, name
  std::vector<std::uint64_t> frequencies_;
  std::uint64_t keys_ = 0, fullest_ = 0;
  bool single_ = true, nameable_ = true;
};

template <class Spool>
core::owner_directory core::owner_directory::build(const Spool& pairs,
                                                   const meta_map_options& options) {
  return builder<Spool>(pairs, options).build();
}

UMBEL_INLINE void meta_map::check_options(const options_type& options) {
  if (options.databases < 1 || options.databases > sizing::meta_max_databases)
    throw bad_parameter(detail::text("databases: expected 1 to ", sizing::meta_max_databases,
                                     ", found ", options.databases));
  core::check_fpr(options.fpr.value_or(1.0 / 256));
}

UMBEL_INLINE plan meta_map::plan(const options_type& options) {
  check_options(options);
  const std::uint64_t n = options.keys.value_or(0);
  core::check_keys(n);
  const double fpr = options.fpr.value_or(1.0 / 256);
  const std::vector<std::uint64_t> even(std::min<std::uint64_t>(n, options.databases),
                                        detail::ceil_div(n, options.databases));
  const sizing::meta_counts counts{.keys = n,
                                   .databases = options.databases,
                                   .fullest = detail::ceil_div(n, options.databases),
                                   .frequencies = even};
  const auto price = sizing::price_meta(counts, fpr, options.form.value_or(form::owner));
  if (!price)
    throw bad_parameter(detail::text("fpr: ", fpr, " is out of this structure's reach with ",
                                     options.databases, " databases in this form"));
  const bool bank = price->form == form::bank;
  const double values = price->form == form::bitmap  ? std::exp2(options.databases)
                        : price->form == form::owner ? options.databases
                                                     : static_cast<double>(price->sets);
  return {.keys = n,
          .cells = bank                ? price->bits / options.databases
                   : price->width == 0 ? 0
                                       : price->bits / price->width,
          .probes = bank ? sizing::plan_bloom_for_rate(
                               counts.fullest, sizing::meta_bank_rate(options.databases, fpr))
                               .probes
                         : sizing::meta_arity,
          .bits = price->bits,
          .fpr = n == 0 ? 0
                 : bank ? fpr
                        : values * std::exp2(-static_cast<double>(price->width))};
}

UMBEL_INLINE core::owner_directory::errors core::owner_directory::expected() const noexcept {
  if (has(form::bank)) {
    std::array<std::uint64_t, sizing::meta_max_databases> ones{};
    for (std::uint64_t i = 0; i < rows_.size(); ++i) {
      owners row(databases());
      rows_.copy(i, row.words().data());
      row.for_each([&](unsigned database) { ++ones[database]; });
    }
    double none = 0, extra = 0;  // logarithm of the probability that no filter accepts
    for (unsigned i = 0; i < databases(); ++i) {
      const double rate = std::pow(static_cast<double>(ones[i]) / static_cast<double>(rows_.size()),
                                   index_.probes());
      none += std::log1p(-rate);
      extra += rate;
    }
    return {-std::expm1(none), extra};
  }
  if (table_.keys() == 0) return {0, 0};
  // the probability of one value
  const double one = std::exp2(-static_cast<double>(table_.width()));
  // bits set in a random bitmap: half; in the XOR of four cells at most that
  const double half = databases() / 2.0;
  if (has(form::bitmap)) {
    const double all = std::exp2(databases());
    return {(all - 1) * one, all * half * one};
  }
  if (has(form::owner))
    return {static_cast<double>(databases_) * one, static_cast<double>(databases_) * one};
  const double escaped = escape_.keys() != 0 ? 1 : 0;
  return {(static_cast<double>(sets_) + escaped) * one,
          (static_cast<double>(rows_.storage().ones()) + escaped * half) * one};
}

UMBEL_INLINE void core::owner_directory::check() {
  const auto require = [](bool holds, std::string_view field, std::uint64_t found) {
    if (!holds)
      throw corrupt(detail::text("meta: field ", field, " has the impossible value ", found));
  };
  require(form_ < sizing::meta_form_names.size(), "form", form_);
  require(databases_ >= 1 && databases_ <= sizing::meta_max_databases, "databases", databases_);
  if (has(form::bank)) {
    index_.check();
    index_.require_usual();
    // else sizes would overflow
    require(index_.cells() <= sizing::max_bits / databases_, "cells", index_.cells());
    require(index_.salt() == 0, "salt", index_.salt());
    require(sets_ == 0, "sets", sets_);
    rows_.reshape(index_.cells(), databases());
    return;
  }
  table_.check();
  if (has(form::dictionary)) {
    require(sets_ <= sizing::meta_max_sets && (sets_ == 0) == (table_.keys() == 0), "sets", sets_);
    escape_.check();
    require(escape_.keys() == 0 || databases_ <= sizing::meta_max_bitmap, "databases", databases_);
    require(escape_.keys() <= table_.keys(), "keys", escape_.keys());
    require(escape_.width() == (escape_.keys() == 0 ? 1 : databases_), "width", escape_.width());
    rows_.reshape(sets_, databases());
  } else {
    require(sets_ == 0, "sets", sets_);
    require(!has(form::bitmap) || databases_ <= sizing::meta_max_bitmap, "databases", databases_);
  }
  require(table_.keys() == 0 || last_answer() <= detail::low_mask(table_.width()), "width",
          table_.width());
}

#if defined(UMBEL_BODIES)
template core::owner_directory core::owner_directory::build<pair_spool>(const pair_spool&,
                                                                        const meta_map_options&);
#endif

}  // namespace umbel
