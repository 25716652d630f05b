// kind_test.hpp - the fixture of every test that walks the registry, and how such a test makes and
// asks structures.
// Idea       A test is compiled once and runs for every kind: UMBEL_EVERY_KIND(Suite). Sets are
//            built from digests, maps from digests and values that follow from them, so that one
//            call makes either.
// Limits     A law never returns early for a kind without the verb. It is instantiated for the
//            kinds that have it (UMBEL_KINDS_BUT, UMBEL_KINDS_ONLY), and a test beside it says
//            which those are by name: a kind that loses a verb, or a predicate that no longer
//            holds, fails that test.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/any/any.hpp>
#include <umbel/base/error.hpp>

#include "support/environment.hpp"
#include "support/keys.hpp"
#include "support/kind_lists.hpp"

namespace umbel::test {

using any::structure;
using structure_ptr = std::unique_ptr<structure>;

inline constexpr unsigned map_value_bits = 8;  // where the kind takes so many

[[nodiscard]] inline digest_spool spooled(std::span<const digest> keys) {
  digest_spool out;
  out.add(keys);
  return out;
}
[[nodiscard]] inline pair_spool paired(std::span<const digest> keys,
                                       unsigned value_bits = map_value_bits) {
  pair_spool out;
  for (const digest& d : keys) out.add(core::valued{d, value_for(d, value_bits)});
  return out;
}

// What a suite may ask of a kind before it takes it.
[[nodiscard]] inline bool takes_pairs(const any::kind& kind) {
  return kind.traits().of == family::map;
}
// one value
[[nodiscard]] inline bool is_map(const any::kind& kind) {
  return kind.traits().answers == output::value;
}
[[nodiscard]] inline bool is_directory(const any::kind& kind) {
  return kind.traits().answers == output::numbers;
}
[[nodiscard]] inline bool is_static(const any::kind& kind) { return kind.traits().is_static; }
[[nodiscard]] inline bool grows(const any::kind& kind) { return !kind.traits().is_static; }
[[nodiscard]] inline bool is_exact(const any::kind& kind) { return kind.traits().exact; }
[[nodiscard]] inline bool is_index(const any::kind& kind) {
  return kind.traits().answers == output::index;
}
// at a rate one can ask for
[[nodiscard]] inline bool errs(const any::kind& kind) { return kind.traits().rated(); }
[[nodiscard]] inline unsigned value_bits_of(const any::kind& kind) {
  return std::min(map_value_bits, kind.traits().max_value_bits);
}
// The options as this kind takes them: not every kind has a rate.
[[nodiscard]] inline any::options fitting(const any::kind& kind, any::options options) {
  if (!kind.traits().rated()) options.fpr.reset();
  return options;
}
// Some kinds cannot promise every rate, and then say so.
[[nodiscard]] inline bool in_reach(const any::kind& kind, const any::options& options) {
  try {
    (void)kind.plan(fitting(kind, options));
    return true;
  } catch (const bad_parameter& refused) {
    EXPECT_NE(std::string(refused.what()).find("out of this structure's reach"), std::string::npos)
        << refused.what();
    return false;
  }
}
[[nodiscard]] inline bool merges(const any::kind& kind) { return kind.traits().mergeable; }
// Equal sets give equal bytes, however they came in. For other kinds a union, a fold or a growth
// keeps every promise but is not the one possible result.
[[nodiscard]] inline bool is_its_keys(const any::kind& kind) {
  return !kind.traits().order_dependent;
}
[[nodiscard]] inline bool remembers(const any::kind& kind) { return !kind.traits().may_forget; }
// for every key there is
[[nodiscard]] inline bool has_room(const any::kind& kind) { return !kind.traits().may_fill; }
[[nodiscard]] inline bool erases(const any::kind& kind) { return kind.traits().erases; }
[[nodiscard]] inline bool expands(const any::kind& kind) { return kind.traits().expands; }
[[nodiscard]] inline bool counts(const any::kind& kind) { return kind.traits().counts; }
[[nodiscard]] inline bool ignores_repeats(const any::kind& kind) { return !counts(kind); }
[[nodiscard]] inline bool merges_as_it_grows(const any::kind& kind) {
  return merges(kind) && grows(kind);
}
// Repeats change nothing: what erases must keep every copy, and what adapts an entry for every key.
[[nodiscard]] inline bool is_a_set(const any::kind& kind) {
  return !kind.traits().counts && !kind.traits().erases && !kind.traits().adapts;
}

// What an exact set has to tell its members from: three others for each, and never one of them.
[[nodiscard]] inline digest_spool others_than(std::span<const digest> keys) {
  digest_spool out;
  for (const digest& d : keys)
    for (std::uint64_t i = 1; i <= 3; ++i) out.add(digest{scatter(d.hi + i), ~scatter(d.lo + i)});
  return out;
}
// From all keys at once, whatever the kind needs for that. An exact set has no rate to ask for.
[[nodiscard]] inline structure_ptr built(const any::kind& kind, const digest_spool& keys,
                                         const any::options& options, const digest_spool& others) {
  if (!is_exact(kind)) return kind.build(keys, fitting(kind, options));
  return kind.build(keys, others, fitting(kind, options));
}
[[nodiscard]] inline structure_ptr built(const any::kind& kind, std::span<const digest> keys,
                                         any::options options) {
  if (!takes_pairs(kind))
    return built(kind, spooled(keys), options, is_exact(kind) ? others_than(keys) : digest_spool());
  // a value is the one database of its key
  if (is_directory(kind)) return kind.build(paired(keys), options);
  const unsigned bits = options.value_bits.value_or(value_bits_of(kind));
  options.value_bits = bits;
  return kind.build(paired(keys, bits), options);
}

// Texts for the values of a map, of all lengths from none; not for every value, so that some
// answers have none.
[[nodiscard]] inline cells::texts some_names(std::uint64_t count = 20) {
  std::vector<std::string> all;
  for (std::uint64_t i = 0; i < count; ++i)
    all.push_back(std::string(i % 7, static_cast<char>('a' + i % 26)));
  return cells::texts(all);
}

// One batch query; bool[] because a std::vector<bool> has no span.
class answers {
 public:
  answers(const structure& of, std::span<const digest> keys)
      : size_(keys.size()), all_(std::make_unique<bool[]>(keys.size() + 1)) {
    of.may_contain(keys, std::span(all_.get(), size_));
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool operator[](std::size_t i) const noexcept { return all_[i]; }
  [[nodiscard]] std::uint64_t hits() const noexcept {
    return static_cast<std::uint64_t>(std::count(all_.get(), all_.get() + size_, true));
  }
  friend bool operator==(const answers& a, const answers& b) noexcept {
    return a.size_ == b.size_ && std::equal(a.all_.get(), a.all_.get() + a.size_, b.all_.get());
  }

 private:
  std::size_t size_;
  std::unique_ptr<bool[]> all_;
};

[[nodiscard]] inline std::uint64_t count_hits(const structure& of, std::span<const digest> keys) {
  return answers(of, keys).hits();
}

// Hits among non-members number [first, first + count) of a seed, made and asked a few at a time.
[[nodiscard]] inline std::uint64_t non_member_hits(const structure& of, std::uint64_t count,
                                                   std::uint64_t seed, std::uint64_t first = 0) {
  std::uint64_t hits = 0;
  std::vector<digest> some;
  for (std::uint64_t done = 0; done < count; done += some.size()) {
    some.resize(std::min<std::uint64_t>(count - done, 4096));
    for (std::size_t i = 0; i < some.size(); ++i)
      some[i] = digest_of(non_member_number(first + done + i, seed));
    hits += count_hits(of, some);
  }
  return hits;
}

// What a directory says of every key, a row of words each.
[[nodiscard]] inline std::vector<std::uint64_t> rows_of(const structure& of,
                                                        std::span<const digest> keys) {
  std::vector<std::uint64_t> out(keys.size() * of.words_per_answer());
  of.where(keys, out);
  return out;
}

// No two keys have the same index, and none is past the last key.
[[nodiscard]] inline ::testing::AssertionResult numbers_all(const structure& of,
                                                            std::span<const digest> keys) {
  std::vector<std::optional<std::uint64_t>> found(keys.size());
  of.find(keys, found);
  std::map<std::uint64_t, digest> seen;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (!found[i] || *found[i] >= of.keys())
      return ::testing::AssertionFailure()
             << "key " << i << " of " << keys.size() << " has no index";
    if (seen.emplace(*found[i], keys[i]).first->second != keys[i])
      return ::testing::AssertionFailure()
             << "key " << i << " of " << keys.size() << " shares its index";
  }
  return ::testing::AssertionSuccess();
}

// Every key is accepted, in a batch; a map's values and a directory's numbers are right too. Not to
// be asked of what may forget by design, which promises less: keeps_its_keys below.
[[nodiscard]] inline ::testing::AssertionResult forgets_nothing(const structure& of,
                                                                std::span<const digest> keys,
                                                                unsigned value_bits = 0) {
  if (value_bits == 0) value_bits = value_bits_of(of.kind());
  if (!remembers(of.kind()))
    return ::testing::AssertionFailure() << of.kind().name() << " may forget: ask keeps_its_keys";
  const answers all(of, keys);
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (!all[i])
      return ::testing::AssertionFailure()
             << "key " << i << " of " << keys.size() << " was forgotten";
  // built from one database for each key, and so never as a bank: exactly that one
  if (is_directory(of.kind())) {
    const auto rows = rows_of(of, keys);
    for (std::size_t i = 0; i < keys.size(); ++i)
      for (std::size_t j = 0; j < of.words_per_answer(); ++j)
        if (const auto owner = value_for(keys[i], value_bits);
            rows[i * of.words_per_answer() + j] !=
            (owner / 64 == j ? std::uint64_t{1} << (owner % 64) : 0))
          return ::testing::AssertionFailure()
                 << "key " << i << " of " << keys.size() << " has other databases";
  }
  if (is_index(of.kind())) return numbers_all(of, keys);
  if (!is_map(of.kind())) return ::testing::AssertionSuccess();
  std::vector<std::optional<std::uint64_t>> found(keys.size());
  of.find(keys, found);
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (found[i] != value_for(keys[i], value_bits))
      return ::testing::AssertionFailure()
             << "key " << i << " of " << keys.size() << " has another value";
  return ::testing::AssertionSuccess();
}

// The same of a structure that was built from these keys and nothing else, for kinds that may
// forget too: none of them forgets before it is told to or runs full, but a generalized Bloom
// filter, whose keys overwrite each other. Its plan promises that a key which as many others
// followed is forgotten one time in four at most; five sigmas on top.
[[nodiscard]] inline ::testing::AssertionResult keeps_its_keys(const structure& of,
                                                               std::span<const digest> keys) {
  if (remembers(of.kind())) return forgets_nothing(of, keys);
  const double n = static_cast<double>(keys.size()),
               found = static_cast<double>(count_hits(of, keys));
  const double share = of.kind().name() == "generalized-bloom-filter" ? 0.25 : 0;
  const double most = share * n + 5 * std::sqrt(share * (1 - share) * n);
  auto result = n - found <= most ? ::testing::AssertionSuccess() : ::testing::AssertionFailure();
  return result << n - found << " of " << n << " keys were forgotten, at most " << most
                << " may be";
}

// A small one without keys, made cheaply: every test program asks some of all kinds before its
// first test.
[[nodiscard]] inline structure_ptr empty_one(const any::kind& kind, const hasher& hash = {}) {
  return grows(kind) ? kind.create({.keys = 400, .bits = 4096, .hash = hash})
                     : built(kind, {}, {.fpr = 0.01, .hash = hash});
}

// Key after key until there is no room, if that ever happens; how many were taken.
[[nodiscard]] inline std::size_t fill(structure& growing, std::span<const digest> keys) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    try {
      growing.insert(keys.subspan(i, 1));
    } catch (const full&) {
      return i;
    }
  }
  return keys.size();
}

// A verb that not every kind has: false if the kind says so, and says which verb it was.
template <class Verb>
[[nodiscard]] bool has_verb(structure& of, Verb&& verb) {
  try {
    verb(of);
    return true;
  } catch (const bad_parameter& refused) {
    EXPECT_NE(std::string(refused.what()).find(" cannot "), std::string::npos) << refused.what();
    return false;
  }
}
// A structure under this hash, or nothing if the kind has a hash of its own and refuses any other.
template <class Make>
[[nodiscard]] structure_ptr unless_hash_is_fixed(Make&& make) {
  try {
    return make();
  } catch (const bad_parameter& refused) {
    EXPECT_EQ(std::string(refused.what()).rfind("hash: ", 0), 0U) << refused.what();
    return nullptr;
  }
}

// Verbs that traits do not tell of.
[[nodiscard]] inline bool folds(const any::kind& kind) {
  return grows(kind) && has_verb(*empty_one(kind), [](structure& s) { s.fold(); });
}
[[nodiscard]] inline bool intersects(const any::kind& kind) {
  return has_verb(*empty_one(kind), [](structure& s) { s.intersect(*s.clone()); });
}
[[nodiscard]] inline bool infers(const any::kind& kind) {
  return empty_one(kind)->cardinality().has_value();
}
[[nodiscard]] inline bool counts_its_keys(const any::kind& kind) {
  return empty_one(kind)->keys().has_value();
}
[[nodiscard]] inline bool takes_a_seed(const any::kind& kind) {
  return unless_hash_is_fixed([&] { return empty_one(kind, hasher::seeded(1)); }) != nullptr;
}
[[nodiscard]] inline bool takes_a_secret(const any::kind& kind) {
  return unless_hash_is_fixed([&] { return empty_one(kind, hasher::keyed({1})); }) != nullptr;
}

class kind_test : public ::testing::TestWithParam<const any::kind*> {
 protected:
  [[nodiscard]] const any::kind& kind() const { return *GetParam(); }
  [[nodiscard]] const umbel::traits& traits() const { return kind().traits(); }
  [[nodiscard]] structure_ptr build(std::span<const digest> keys,
                                    const any::options& options = {.fpr = 0.01}) const {
    return built(kind(), keys, options);
  }
  // With room for just these keys, which came one by one.
  [[nodiscard]] structure_ptr grow(std::span<const digest> keys,
                                   const any::options& options = {.fpr = 0.01}) const {
    auto out = create(keys.size(), options);
    out->insert(keys);
    return out;
  }
  // An empty one with room for n keys, for kinds that grow.
  [[nodiscard]] structure_ptr create(std::uint64_t n, any::options options = {.fpr = 0.01}) const {
    options.keys = n;
    return kind().create(options);
  }
};

template <class Predicate>
[[nodiscard]] std::vector<const any::kind*> kinds_that(Predicate&& holds) {
  std::vector<const any::kind*> out;
  for (const any::kind* const kind : any::kinds())
    if (holds(*kind)) out.push_back(kind);
  return out;
}
template <class Predicate>
[[nodiscard]] kind_names names_of_kinds_that(Predicate&& holds) {
  kind_names out;
  for (const any::kind* const kind : kinds_that(holds)) out.insert(kind->name());
  return out;
}
inline std::string kind_title(const ::testing::TestParamInfo<const any::kind*>& info) {
  std::string name(info.param->name());
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace umbel::test

// A kind that a suite does not take is not in it: nothing is skipped at run time that could be
// known before.
#define UMBEL_KINDS_THAT(predicate, Suite)                                                        \
  INSTANTIATE_TEST_SUITE_P(Every, Suite, ::testing::ValuesIn(umbel::test::kinds_that(predicate)), \
                           umbel::test::kind_title)
// The same, with a test that names the kinds: those that are left out, or those that are taken
// where these are the fewer.
#define UMBEL_KINDS_BUT(predicate, Suite, ...)                                                     \
  UMBEL_KINDS_THAT(predicate, Suite);                                                              \
  TEST(Suite##Kinds, AreAllBut) {                                                                  \
    const auto left_out = [](const umbel::any::kind& kind) { return !predicate(kind); };           \
    EXPECT_EQ(umbel::test::names_of_kinds_that(left_out), (umbel::test::kind_names{__VA_ARGS__})); \
  }                                                                                                \
  static_assert(true)
#define UMBEL_KINDS_ONLY(predicate, Suite, ...)            \
  UMBEL_KINDS_THAT(predicate, Suite);                      \
  TEST(Suite##Kinds, AreJust) {                            \
    EXPECT_EQ(umbel::test::names_of_kinds_that(predicate), \
              (umbel::test::kind_names{__VA_ARGS__}));     \
  }                                                        \
  static_assert(true)
#define UMBEL_EVERY_KIND(Suite) \
  UMBEL_KINDS_THAT([](const umbel::any::kind&) { return true; }, Suite)
