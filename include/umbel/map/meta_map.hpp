// meta_map.hpp - a directory for the union of databases: key -> the set of those that hold it,
// without keeping keys.
// Idea       Four forms behind one question. A bank is a Bloom filter per database, bit-sliced: row
//            i holds bit i of all of them, a query ANDs a few rows. The others are one static
//            function whose answer is the number of the owner, the number of a row in a table of
//            owner sets, or the set itself. The smallest that fits is taken.
// Layout     bank: core::k_probes over rows of D bits. Others: core::peeled words, the answer XOR
//            the key's fingerprint, so that a non-member's word is as good as random and is an
//            answer by luck only. A dictionary also has its table and, for keys whose sets are too
//            rare for it, bitmaps under a number of their own.
// Invariant  Every key given is answered with its databases: exactly, or in a bank with more now
//            and then. A non-member gets any answer at all with probability fpr, whatever the form.
// Limits     4096 databases; 64 in a bitmap, together with its check bits. A dictionary has 65536
//            rows, and beyond 64 databases no more sets than that can be told apart: such keys need
//            a bank. Static, but for the columns of a bank: `replace`. A build takes up to 8 bytes
//            per key more than a map's.
// Threads    Any number of readers, while nobody calls `replace`.
// Source     [CKRT04] sec. 1 (meta-databases); prices and limits in sizing/meta.hpp.
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

struct meta_map_options {
  std::optional<std::uint64_t> keys{};      // for plans; a build counts them itself
  std::optional<double> fpr{};              // of non-members that get any answer
  unsigned databases = 256;                 // numbered from 0
  std::optional<sizing::meta_form> form{};  // none: the smallest
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;
  std::uint64_t shard_from = sizing::peel_shard_from;  // a seam for tests
};

namespace core {

// Of digests.
class owner_directory {
  using table = peeled<fuse<sizing::meta_arity>>;

 public:
  using form = sizing::meta_form;

  owner_directory() = default;
  template <class Spool>
  [[nodiscard]] static owner_directory build(const Spool& pairs, const meta_map_options& options);

  // words_per_answer() words, laid out as owners::words(); with several keys one answer after
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
  // keys whose sets it lacks
  [[nodiscard]] std::uint64_t escapes() const noexcept { return escape_.keys(); }
  // a bank does not know
  [[nodiscard]] std::optional<std::uint64_t> keys() const noexcept {
    if (has(form::bank)) return std::nullopt;
    return table_.keys();
  }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return rows_.storage().size() * 64 + table_.size_in_bits() + escape_.size_in_bits();
  }
  // The share of non-members that get any answer (of a bank's at most: databases with common keys
  // err together), and how many databases a non-member is told on average (of a dictionary with
  // escapes at most).
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

  // The largest number that is an answer, where there is any key.
  [[nodiscard]] std::uint64_t last_answer() const noexcept {
    if (has(form::bitmap)) return detail::low_mask(databases());
    return (has(form::owner) ? databases_ : sets_ + (escape_.keys() != 0)) - 1;
  }

  // The owners that an answer stands for; none if it is no answer.
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
  umbel::cells::rows rows_;  // of a bank; in a dictionary its table
  table table_;              // of the others
  table escape_;             // of a dictionary: bitmaps of keys whose sets it lacks
};

}  // namespace core

class meta_map : public core::keyed<core::owner_directory> {
 public:
  using form = sizing::meta_form;
  using options_type = meta_map_options;
  static constexpr std::string_view kind = "meta-map";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{
      .of = family::map, .answers = output::numbers, .is_static = true};

  meta_map() = default;

  // From (key, database) pairs in any order; a key may come with many databases, and with one of
  // them many times. Throws bad_parameter for a database that is not there or a form that cannot
  // hold these keys, and conflict for a key of two databases where the form is `owner`; both name
  // the key where they can.
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
  // a template, so that only programs that build compile the solver
  template <class Spool = pair_spool>
  [[nodiscard]] static meta_map build(const std::type_identity_t<Spool>& pairs,
                                      const options_type& options) {
    check_options(options);
    return {options.hash, core::owner_directory::build(pairs, options)};
  }

  // Of so many keys with one database each, evenly spread. With more known of them:
  // sizing::choose_meta.
  [[nodiscard]] static umbel::plan plan(const options_type& options);

  // The databases that hold the key; for a non-member none, or with probability fpr some.
  template <key K>
  [[nodiscard]] owners where(const K& k) const noexcept {
    owners out(databases());
    engine_.where(hash_(k), out.words().data());
    return out;
  }
  // The fast way: words_per_answer() words for each key, one after another, laid out as
  // owners::words().
  template <core::key_span Keys>
  void where_batch(const Keys& keys, std::span<std::uint64_t> answers) const noexcept {
    assert(answers.size() >= std::size(keys) * words_per_answer());
    hash_.with_digests(core::as_span(keys),
                       [&](std::size_t first, std::size_t count, auto digest_at) noexcept {
      engine_.where(count, digest_at, answers.data() + first * words_per_answer());
    });
  }
  [[nodiscard]] std::size_t words_per_answer() const noexcept { return engine_.words_per_answer(); }

  // In a bank: these keys, and no others, are in the database from now on. The rows stay as many as
  // they were built: more keys than its fullest database had then mean a higher rate.
  template <core::key_range Keys>
  void replace(unsigned database, const Keys& keys) {
    engine_.replace(database, [&](auto&& mark) {
      for (const auto& k : keys) mark(hash_(k));
    });
  }

  [[nodiscard]] form chosen_form() const noexcept { return engine_.chosen_form(); }
  [[nodiscard]] unsigned databases() const noexcept { return engine_.databases(); }
  // rows of a dictionary
  [[nodiscard]] std::uint64_t sets() const noexcept { return engine_.sets(); }
  // keys whose sets it lacks
  [[nodiscard]] std::uint64_t escapes() const noexcept { return engine_.escapes(); }
  // a bank does not know
  [[nodiscard]] std::optional<std::uint64_t> keys() const noexcept { return engine_.keys(); }
  // How many databases a non-member is told on average (of a dictionary with escapes at most).
  [[nodiscard]] double expected_extra() const noexcept { return engine_.expected_extra(); }

 private:
  using keyed::keyed;
  static void check_options(const options_type& options);
};

}  // namespace umbel

#if UMBEL_WITH_BODIES
#include <umbel/map/meta_map.ipp>
#endif
