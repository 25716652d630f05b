// meta_map.hpp - a directory for the union of databases: key -> the set of those that hold it, without keeping keys.
// Idea       Four forms behind one question. A bank is a Bloom filter per database, bit-sliced: row i holds bit i of all of
//            them, a query ANDs a few rows. The others are one static function whose answer is the number of the owner, the
//            number of a row in a table of owner sets, or the set itself. The smallest that fits is taken.
// Layout     bank: core::k_probes over rows of D bits. Others: core::peeled words, the answer XOR the key's fingerprint, so
//            that a stranger's word is as good as random and is an answer by luck only. A dictionary also has its table and,
//            for keys whose sets are too rare for it, bitmaps under a number of their own.
// Invariant  Every key given is answered with its databases: exactly, or in a bank with more now and then. A stranger gets
//            any answer at all with probability fpr, whatever the form.
// Limits     4096 databases; 64 in a bitmap, together with its check bits. A dictionary has 65536 rows, and beyond 64
//            databases no more sets than that can be told apart: such keys need a bank. Static, but for the columns of a
//            bank: `replace`. A build takes up to 8 bytes per key more than a map's.
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
#include <umbel/engine/retrieval/peeled.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/engine/retrieval/tagged.hpp>
#include <umbel/engine/compose/slices.hpp>
#include <umbel/core/spooled.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/engine/retrieval/fuse.hpp>
#include <umbel/engine/probe/k_probes.hpp>
#include <umbel/map/owners.hpp>
#include <umbel/sizing/meta.hpp>

namespace umbel {

class meta_map {
  using engine = core::peeled<core::fuse<sizing::meta_arity>>;

 public:
  using form = sizing::meta_form;
  struct options {
    std::optional<std::uint64_t> keys{};   // for plans; a build counts them itself
    std::optional<double> fpr{};           // of strangers that get any answer
    unsigned databases = 256;              // numbered from 0
    std::optional<meta_map::form> form{};  // none: the smallest
    hasher hash{};
    std::pmr::memory_resource* memory = nullptr;
    unsigned threads = 1;
    std::uint64_t shard_from = sizing::peel_shard_from;  // a seam for tests
  };
  static constexpr std::string_view kind = "meta-map";
  static constexpr std::uint32_t format_version = 1;
  static constexpr traits what{.of = family::map, .answers = output::numbers, .is_static = true};

  meta_map() = default;

  // From (key, database) pairs in any order; a key may come with many databases, and with one of them many times. Throws
  // bad_parameter for a database that is not there or a form that cannot hold these keys, and conflict for a key of two
  // databases where the form is `owner`; both name the key where they can.
  template <core::pair_range Pairs>
  [[nodiscard]] static meta_map build(const Pairs& pairs, const options& wish) {
    check(wish);
    const pair_spool spool =
        core::spool_of(pairs, wish.hash, wish.databases - 1, [&](std::uint64_t number, const std::string& whose) {
          return detail::text("value ", number, whose, " does not fit ", wish.databases, " databases");
        });
    return core::naming_conflicts(pairs, wish.hash, [&] { return build(spool, wish); });
  }
  template <class Spool = pair_spool>  // a template, so that only programs that build compile the solver
  [[nodiscard]] static meta_map build(const std::type_identity_t<Spool>& pairs, const options& wish);

  // Of so many keys with one database each, evenly spread. With more known of them: sizing::choose_meta.
  [[nodiscard]] static umbel::plan plan(const options& wish);

  // The databases that hold the key; for a stranger none, or with probability fpr some.
  template <key K>
  [[nodiscard]] owners where(const K& k) const noexcept {
    owners out(databases());
    find(hash_(k), out.words().data());
    return out;
  }
  // The fast way: words_per_answer() words for each key, one after another, laid out as owners::words().
  template <core::key_span Keys>
  void where_batch(const Keys& keys, std::span<std::uint64_t> answers) const noexcept {
    assert(answers.size() >= std::size(keys) * words_per_answer());
    hash_.with_digests(core::as_span(keys), [&](std::size_t first, std::size_t count, auto digest_at) noexcept {
      std::uint64_t* const out = answers.data() + first * words_per_answer();
      if (has(form::bank)) return core::slices::query(at_, rows_, count, digest_at, out);
      engine_.values(
          count, digest_at, [bits = engine_.width()](digest d) { return core::tag_of(d, bits); },
          [&](std::size_t i, std::uint64_t mask, std::uint64_t word) {
            unfold(
                word ^ mask, [&] { return digest_at(i); }, out + i * words_per_answer());
          });
    });
  }
  [[nodiscard]] std::size_t words_per_answer() const noexcept { return owners::words_for(databases()); }

  // Whether any database may hold the key.
  template <key K>
  [[nodiscard]] bool may_contain(const K& k) const noexcept {
    return !where(k).empty();
  }
  template <core::key_span Keys>
  void may_contain_batch(const Keys& keys, std::span<bool> answers) const noexcept {
    const auto all = core::as_span(keys);
    const std::size_t width = words_per_answer();
    std::uint64_t room[sizing::meta_most_databases];
    const std::size_t step = std::size(room) / width;
    for (std::size_t first = 0; first < all.size(); first += step) {
      const auto part = all.subspan(first, std::min(step, all.size() - first));
      where_batch(part, room);
      for (std::size_t i = 0; i < part.size(); ++i)
        answers[first + i] = std::any_of(room + i * width, room + (i + 1) * width, [](auto word) { return word != 0; });
    }
  }

  // In a bank: these keys, and no others, are in the database from now on. The rows stay as many as they were built: more
  // keys than its fullest database had then mean a higher rate.
  template <core::key_range Keys>
  void replace(unsigned database, const Keys& keys) {
    if (!has(form::bank)) throw bad_parameter("form: only a bank can change a database");
    if (database >= databases())
      throw bad_parameter(detail::text("database: expected below ", databases(), ", found ", database));
    for (std::uint64_t i = 0; i < rows_.size(); ++i) rows_.set(i, database, false);
    for (const auto& k : keys) core::slices::mark(at_, rows_, hash_(k), database);
  }

  [[nodiscard]] meta_map::form chosen_form() const noexcept { return static_cast<meta_map::form>(form_); }
  [[nodiscard]] unsigned databases() const noexcept { return static_cast<unsigned>(databases_); }
  [[nodiscard]] std::uint64_t sets() const noexcept { return sets_; }              // rows of a dictionary
  [[nodiscard]] std::uint64_t escapes() const noexcept { return escape_.keys(); }  // keys whose sets it lacks
  [[nodiscard]] std::optional<std::uint64_t> keys() const noexcept {               // a bank does not know
    if (has(form::bank)) return std::nullopt;
    return engine_.keys();
  }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return rows_.storage().size() * 64 + engine_.size_in_bits() + escape_.size_in_bits();
  }
  // The share of strangers that get any answer (of a bank's at most: databases with common keys err together), and how
  // many databases a stranger is told on average (of a dictionary with escapes at most).
  [[nodiscard]] double expected_fpr() const noexcept { return expected().any; }
  [[nodiscard]] double expected_extra() const noexcept { return expected().databases; }
  [[nodiscard]] const hasher& hash() const noexcept { return hash_; }

  friend bool operator==(const meta_map& a, const meta_map& b) noexcept {
    return a.hash_ == b.hash_ && a.form_ == b.form_ && a.databases_ == b.databases_ && a.sets_ == b.sets_ &&
           a.at_ == b.at_ && a.rows_ == b.rows_ && a.engine_ == b.engine_ && a.escape_ == b.escape_;
  }
  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("form", self.form_, sizing::meta_form_names);
    field("databases", self.databases_);
    field("sets", self.sets_);
  }
  static void describe(auto& self, auto& part) {
    part.hash(self.hash_);
    part.fields("meta", self);
    if (self.has(form::bank)) {
      part.fields("index", self.at_);
      part.array("rows", self.rows_.storage());
      return;
    }
    engine::describe(self.engine_, part);
    if (!self.has(form::dictionary)) return;
    part.array("sets", self.rows_.storage());
    engine::describe(self.escape_, part);
  }
  void check();

 private:
  struct errors {
    double any, databases;
  };
  template <class Spool>
  class builder;

  static void check(const options& wish);
  [[nodiscard]] errors expected() const noexcept;
  [[nodiscard]] bool has(meta_map::form f) const noexcept { return form_ == static_cast<std::uint64_t>(f); }

  // The largest number that is an answer, where there is any key.
  [[nodiscard]] std::uint64_t last_answer() const noexcept {
    if (has(form::bitmap)) return detail::low_mask(databases());
    return (has(form::owner) ? databases_ : sets_ + (escape_.keys() != 0)) - 1;
  }

  void find(digest d, std::uint64_t* out) const noexcept {
    if (has(form::bank)) {
      core::slices::query(at_, rows_, d, out);
    } else {
      unfold(
          engine_.value(d) ^ core::tag_of(d, engine_.width()), [d] { return d; }, out);
    }
  }
  // The owners that an answer stands for; none if it is no answer.
  template <class DigestOf>
  void unfold(std::uint64_t answer, DigestOf&& digest_of, std::uint64_t* out) const noexcept {
    std::fill_n(out, words_per_answer(), 0);
    if (engine_.keys() == 0 || answer > last_answer()) return;
    if (has(form::bitmap))
      out[0] = answer;
    else if (has(form::owner))
      out[answer / 64] = std::uint64_t{1} << (answer % 64);
    else if (answer < sets_)
      rows_.copy(answer, out);
    else
      out[0] = escape_.value(digest_of());
  }

  hasher hash_;
  std::uint64_t form_ = static_cast<std::uint64_t>(form::owner);
  std::uint64_t databases_ = 1;
  std::uint64_t sets_ = 0;
  core::k_probes at_;   // of a bank
  cells::rows rows_;  // of a bank; in a dictionary its table
  engine engine_;     // of the others
  engine escape_;     // of a dictionary: bitmaps of keys whose sets it lacks
};

}  // namespace umbel

#if UMBEL_WITH_BODIES
#include <umbel/map/meta_map.ipp>
#endif
