// meta_map.hpp - meta-database [CKRT04]: for every key the set of databases that hold it, without
// storing keys.
//
// Four forms answer the same question. A bank has a Bloom filter per database, bit-sliced: row i
// holds bit i of all filters, and a query ANDs a few rows. The other forms are one static function.
// Its value is the number of the only owner, or the number of a row in a table of owner sets (a
// dictionary), or the set itself as a bitmap. The build takes the smallest form that is possible.
//
// Layout     bank: core::k_probes over rows of D bits. Others: core::peeled words, the value XOR
//            the key's fingerprint, so the word of a non-member is random and a valid value only by
//            chance. A dictionary also has its table, and for keys whose sets are too rare for the
//            table a second function, whose values are bitmaps.
// Invariant  Every key of the build gets all its databases, and no others, except in a bank, which
//            sometimes adds others. A non-member gets any answer at all with probability fpr, in
//            every form.
// Limits     At most 4096 databases; 64, together with the check bits, for bitmaps. A dictionary
//            has at most 65536 rows; with more than 64 databases, keys with more different sets
//            than that need a bank. Static, except that replace() changes a database of a bank. A
//            build takes up to 8 bytes per key more than that of a map.
// Threads    Any number of readers, while no thread calls replace().
// Source     [CKRT04] sec. 1 (meta-databases); sizes and limits are in sizing/meta.hpp.
#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include <umbel/base/config.hpp>
#include <umbel/cells/rows.hpp>
#include <umbel/core/keyed.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/spooled.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/engine/compose/slices.hpp>
#include <umbel/engine/probe/k_probes.hpp>
#include <umbel/engine/retrieval/fuse.hpp>
#include <umbel/engine/retrieval/peeled.hpp>
#include <umbel/map/owners.hpp>
#include <umbel/sizing/meta.hpp>

namespace umbel {

// Options of meta_map.
struct meta_map_options {
  std::optional<std::uint64_t> keys{};  // keys, for plan(); a build counts them itself
  std::optional<double> fpr{};          // rate at which a non-member gets any answer; absent: 1/256
  unsigned databases = 256;             // number of databases, 1 to 4096; they are numbered from 0
  // bank, owner, dictionary or bitmap; absent: the smallest
  std::optional<sizing::meta_form> form{};
  hasher hash{};                                // hash function, and its seed or secret key
  std::pmr::memory_resource* memory = nullptr;  // for the cells; null: the default resource
  unsigned threads = 1;                         // threads of a build
  // least number of keys that is split into shards; for tests
  std::uint64_t shard_from = sizing::peel_shard_from;
};

namespace core {

// The directory, for digests.
class owner_directory {
  using table = peeled<fuse<sizing::meta_arity>>;

 public:
  using form = sizing::meta_form;

  owner_directory() = default;
  template <class Spool>
  [[nodiscard]] static owner_directory build(const Spool& pairs, const meta_map_options& options);

  // Writes words_per_answer() words, laid out as owners::words(); for several keys one answer after
  // another.
  void where(digest d, std::uint64_t* out) const noexcept {
    if (has(form::bank)) return slices::query(index_, rows_, d, out);
    const auto [word, tag] = table_.answer(d);
    unfold(
        word ^ tag, [d] { return d; }, out);
  }
  template <class DigestAt>
  void where(std::size_t total, DigestAt& digest_at, std::uint64_t* out) const noexcept {
    if (has(form::bank)) return slices::query(index_, rows_, total, digest_at, out);
    table_.values(
        total, digest_at,
        [mask = detail::low_mask(table_.width())](std::uint64_t tag) { return tag & mask; },
        [&](std::size_t i, std::uint64_t tag, std::uint64_t word) {
      unfold(
          word ^ tag, [&] { return digest_at(i); }, out + i * words_per_answer());
        });
  }
  [[nodiscard]] std::size_t words_per_answer() const noexcept {
    return owners::words_for(databases());
  }

  [[nodiscard]] bool may_contain(digest d) const noexcept {
    owners out(databases());
    where(d, out.words().data());
    return !out.empty();
  }
  template <class DigestAt>
  void may_contain(std::size_t total, DigestAt& digest_at, bool* out) const noexcept {
    const std::size_t width = words_per_answer();
    std::uint64_t room[sizing::meta_max_databases];
    const std::size_t step = std::size(room) / width;
    for (std::size_t first = 0; first < total; first += step) {
      const std::size_t count = std::min(step, total - first);
      const auto part = [&](std::size_t i) { return digest_at(first + i); };
      where(count, part, room);
      for (std::size_t i = 0; i < count; ++i)
        out[first + i] = std::any_of(room + i * width, room + (i + 1) * width,
                                     [](auto word) { return word != 0; });
    }
  }

  // In a bank: these keys, and no others, are in the database from now on.
  template <class Mark>
  void replace(unsigned database, Mark&& mark_all) {
    if (!has(form::bank)) throw bad_parameter("form: only a bank can change a database");
    if (database >= databases())
      throw bad_parameter(
          detail::text("database: expected below ", databases(), ", found ", database));
    for (std::uint64_t i = 0; i < rows_.size(); ++i) rows_.set(i, database, false);
    mark_all([&](digest d) { slices::mark(index_, rows_, d, database); });
  }

  [[nodiscard]] form chosen_form() const noexcept { return static_cast<form>(form_); }
  [[nodiscard]] unsigned databases() const noexcept { return static_cast<unsigned>(databases_); }
  // rows of a dictionary
  [[nodiscard]] std::uint64_t sets() const noexcept { return sets_; }
  // keys whose sets are not in the table of a dictionary
  [[nodiscard]] std::uint64_t escapes() const noexcept { return escape_.keys(); }
  // nullopt for a bank, which does not know it
  [[nodiscard]] std::optional<std::uint64_t> keys() const noexcept {
    if (has(form::bank)) return std::nullopt;
    return table_.keys();
  }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return rows_.storage().size() * 64 + table_.size_in_bits() + escape_.size_in_bits();
  }
  // The share of non-members that get any answer (an upper bound for a bank, since the errors of
  // databases with common keys are correlated), and the mean number of databases in the answer for
  // a non-member (an upper bound for a dictionary with escapes).
  [[nodiscard]] double expected_fpr() const noexcept { return expected().any; }
  [[nodiscard]] double expected_extra() const noexcept { return expected().databases; }

  friend bool operator==(const owner_directory& a, const owner_directory& b) noexcept {
    return a.form_ == b.form_ && a.databases_ == b.databases_ && a.sets_ == b.sets_ &&
           a.index_ == b.index_ && a.rows_ == b.rows_ && a.table_ == b.table_ &&
           a.escape_ == b.escape_;
  }
  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("form", self.form_, sizing::meta_form_names);
    field("databases", self.databases_);
    field("sets", self.sets_);
  }
  static void describe(auto& self, auto& part) {
    part.fields("meta", self);
    if (self.has(form::bank)) {
      part.fields("index", self.index_);
      part.array("rows", self.rows_.storage());
      return;
    }
    table::describe(self.table_, part);
    if (!self.has(form::dictionary)) return;
    part.array("sets", self.rows_.storage());
    table::describe(self.escape_, part);
  }
  void check();

 private:
  struct errors {
    double any, databases;
  };
  template <class Spool>
  class builder;

  [[nodiscard]] errors expected() const noexcept;
  [[nodiscard]] bool has(form f) const noexcept { return form_ == static_cast<std::uint64_t>(f); }

  // The largest valid value, if there is any key.
  [[nodiscard]] std::uint64_t last_answer() const noexcept {
    if (has(form::bitmap)) return detail::low_mask(databases());
    return (has(form::owner) ? databases_ : sets_ + (escape_.keys() != 0)) - 1;
  }

  // Writes the owners that a value stands for; none if it is not a valid value.
  template <class DigestOf>
  void unfold(std::uint64_t answer, DigestOf&& digest_of, std::uint64_t* out) const noexcept {
    std::fill_n(out, words_per_answer(), 0);
    if (table_.keys() == 0 || answer > last_answer()) return;
    if (has(form::bitmap))
      out[0] = answer;
    else if (has(form::owner))
      out[answer / 64] = std::uint64_t{1} << (answer % 64);
    else if (answer < sets_)
      rows_.copy(answer, out);
    else
      out[0] = escape_.value(digest_of());
  }

  std::uint64_t form_ = static_cast<std::uint64_t>(form::owner);
  std::uint64_t databases_ = 1;
  std::uint64_t sets_ = 0;
  k_probes index_;           // of a bank
  umbel::cells::rows rows_;  // of a bank; of a dictionary the table of sets
  table table_;              // the function, of all forms but bank
  table escape_;             // of a dictionary: bitmaps of keys whose sets are not in the table
};

}  // namespace core

// The directory. Inherited from core/keyed.hpp: may_contain, may_contain_batch, expected_fpr.
class meta_map : public core::keyed<core::owner_directory> {
 public:
  using form = sizing::meta_form;
  using options_type = meta_map_options;
  static constexpr std::string_view kind = "meta-map";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{
      .of = family::map, .answers = output::numbers, .is_static = true};

  meta_map() = default;

  // A directory of (key, database) pairs in any order. A key may come with many databases, and a
  // pair may be repeated. Throws bad_parameter for a database out of range or a form that cannot
  // hold these keys, and conflict for a key of two databases if the form is `owner`; the messages
  // name the key if possible.
  template <core::pair_range Pairs>
  [[nodiscard]] static meta_map build(const Pairs& pairs, const options_type& options) {
    check_options(options);
    const pair_spool spool = core::spool_of(pairs, options.hash, options.databases - 1,
                                            [&](std::uint64_t number, const std::string& whose) {
      return detail::text("value ", number, whose, " does not fit ", options.databases,
                          " databases");
    });
    return core::naming_conflicts(pairs, options.hash, [&] { return build(spool, options); });
  }
  // The same from a spool of digests with databases. A template, so that only programs that call it
  // compile the solver.
  template <class Spool = pair_spool>
  [[nodiscard]] static meta_map build(const std::type_identity_t<Spool>& pairs,
                                      const options_type& options) {
    check_options(options);
    return {options.hash, core::owner_directory::build(pairs, options)};
  }

  // Size and rate for options.keys keys with one database each, spread evenly. Builds nothing. If
  // more is known about the keys, use sizing::choose_meta.
  [[nodiscard]] static umbel::plan plan(const options_type& options);

  // The databases that hold the key; for a non-member none, or with probability fpr some.
  template <key K>
  [[nodiscard]] owners where(const K& k) const noexcept {
    owners out(databases());
    engine_.where(hash_(k), out.words().data());
    return out;
  }
  // where() for many keys, faster than single calls: words_per_answer() words per key, one key
  // after another, laid out as owners::words().
  template <core::key_span Keys>
  void where_batch(const Keys& keys, std::span<std::uint64_t> answers) const noexcept {
    assert(answers.size() >= std::size(keys) * words_per_answer());
    hash_.with_digests(core::as_span(keys),
                       [&](std::size_t first, std::size_t count, auto digest_at) noexcept {
      engine_.where(count, digest_at, answers.data() + first * words_per_answer());
    });
  }
  // 64-bit words of an answer: databases() / 64, rounded up.
  [[nodiscard]] std::size_t words_per_answer() const noexcept { return engine_.words_per_answer(); }

  // Replaces the keys of one database of a bank by `keys`. Throws bad_parameter in another form.
  // The number of rows does not change: more keys than the fullest database had at the build give a
  // higher rate.
  template <core::key_range Keys>
  void replace(unsigned database, const Keys& keys) {
    engine_.replace(database, [&](auto&& mark) {
      for (const auto& k : keys) mark(hash_(k));
    });
  }

  // The form that was built.
  [[nodiscard]] form chosen_form() const noexcept { return engine_.chosen_form(); }
  // Number of databases.
  [[nodiscard]] unsigned databases() const noexcept { return engine_.databases(); }
  // Rows of a dictionary; 0 in other forms.
  [[nodiscard]] std::uint64_t sets() const noexcept { return engine_.sets(); }
  // Keys whose sets are not in the table of a dictionary.
  [[nodiscard]] std::uint64_t escapes() const noexcept { return engine_.escapes(); }
  // Number of keys; nullopt for a bank, which does not know it.
  [[nodiscard]] std::optional<std::uint64_t> keys() const noexcept { return engine_.keys(); }
  // The mean number of databases in the answer for a non-member (an upper bound for a dictionary
  // with escapes).
  [[nodiscard]] double expected_extra() const noexcept { return engine_.expected_extra(); }

 private:
  using keyed::keyed;
  static void check_options(const options_type& options);
};

}  // namespace umbel

#if UMBEL_WITH_BODIES
#include <umbel/map/meta_map.ipp>
#endif
