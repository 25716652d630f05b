// face.hpp - the verbs a user calls, over structures that know digests only.
// Idea       Hash once, at the edge. A structure writes insert_digest, may_contain_digest and their batch forms; these
//            mixins give it every key type, single and in batches. A batch form takes a count and digest_at(i), so
//            that hashing one key overlaps with waiting for the cells of another.
#pragma once

#include <cassert>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/hash/hasher.hpp>

namespace umbel::core {

// <iterator> says all that is needed of a range; <ranges> would double the time this header takes to compile.
template <class R>
using value_in = std::remove_cvref_t<decltype(*std::begin(std::declval<const R&>()))>;
// A contiguous run of keys: what batch verbs take.
template <class R>
concept key_span = key<value_in<R>> && requires(const R& keys) {
  { std::data(keys) } -> std::convertible_to<const value_in<R>*>;
  { std::size(keys) } -> std::convertible_to<std::size_t>;
};
// Any run of keys that can be read twice: what builds take.
template <class R>
concept key_range = key<value_in<R>> && std::forward_iterator<decltype(std::begin(std::declval<const R&>()))>;

template <key_span Keys>
[[nodiscard]] std::span<const value_in<Keys>> as_span(const Keys& keys) noexcept {
  return {std::data(keys), std::size(keys)};
}

// Queries of an approximate set. Self has hash(), may_contain_digest(d), may_contain_digests(count, digest_at, bool*).
template <class Self>
class set_queries {
 public:
  // False: certainly never given. True: given, or a false positive.
  template <key K>
  [[nodiscard]] bool may_contain(const K& k) const noexcept {
    return self().hash().then(k, [this](digest d) noexcept { return self().may_contain_digest(d); });
  }
  // answers[i] for keys[i]; the fast way. `answers` is at least as long as `keys`.
  template <key_span Keys>
  void may_contain_batch(const Keys& keys, std::span<bool> answers) const noexcept {
    assert(answers.size() >= std::size(keys));
    self().hash().over(as_span(keys), [&](std::size_t first, std::size_t count, auto digest_at) noexcept {
      self().may_contain_digests(count, digest_at, answers.data() + first);
    });
  }

 private:
  [[nodiscard]] const Self& self() const noexcept { return static_cast<const Self&>(*this); }
};

// Every key of a batch, or `full`.
template <class Set, key_span Keys>
void insert_all(Set& set, const Keys& keys) {
  if (const std::size_t taken = set.insert_batch(keys); taken != std::size(keys))
    throw full(
        detail::text("a ", Set::kind, " is full: it took ", taken, " of ", std::size(keys), " keys; plan it for more"),
        taken);
}

// Inserts of a build: add(keys), as often as there are blocks of them, then finish(). Throws `full` if there is no room for all: the
// set is then to be thrown away, and a Set that gains by it has a `filling` of its own. Which blocks the keys came in
// must not show in the set.
template <class Set>
struct plain_filling {
  Set& set;
  template <key_span Keys>
  void add(const Keys& keys) {
    insert_all(set, keys);
  }
  void finish() noexcept {}
};
template <class Set>
[[nodiscard]] auto filling(Set& set) {
  if constexpr (requires { typename Set::filling; })
    return typename Set::filling(set);
  else
    return plain_filling<Set>{set};
}

// What sets that grow key by key have in common.
template <class Self>
class grown_set {
 public:
  // All keys at once. The options' `keys` is the number given, unless set larger by the caller.
  template <key_range Keys, class S = Self, class Options = typename S::options>
  [[nodiscard]] static S build(const Keys& keys, Options options) {
    if (!options.keys && !(options.fpr && options.bits))
      options.keys = static_cast<std::uint64_t>(std::distance(std::begin(keys), std::end(keys)));
    S out(options);
    if constexpr (key_span<Keys>) {
      auto into = filling(out);
      into.add(keys);
      into.finish();
    } else {
      for (const auto& k : keys) out.insert(k);
    }
    return out;
  }

 protected:
  [[nodiscard]] Self& self() noexcept { return static_cast<Self&>(*this); }
};

// Inserts, for sets that have room for every key.
// Self has insert_digest(d) -> changed, insert_digests(count, digest_at).
template <class Self>
class set_inserts : public grown_set<Self> {
 public:
  // True if anything changed: then the key was certainly new, unless the structure may keep a key more than once.
  template <key K>
  bool insert(const K& k) {
    return this->self().hash().then(k, [this](digest d) { return this->self().insert_digest(d); });
  }
  // How many keys were taken: all of them.
  template <key_span Keys>
  std::size_t insert_batch(const Keys& keys) {
    this->self().hash().over(as_span(keys), [&](std::size_t, std::size_t count, auto digest_at) {
      this->self().insert_digests(count, digest_at);
    });
    return std::size(keys);
  }
};

// Inserts, for sets that can be full.
// Self has try_insert_digest(d) -> changed, or nothing; insert_digests(count, digest_at) -> taken.
template <class Self>
class bounded_inserts : public grown_set<Self> {
 public:
  // True if anything changed: then the key was certainly new, unless the structure may keep a key more than once. Throws `full`
  // if there is no room, with nothing changed.
  template <key K>
  bool insert(const K& k) {
    const std::optional<bool> changed = try_insert(k);
    if (!changed) throw full(detail::text("a ", Self::kind, " is full; plan it for more keys"));
    return *changed;
  }
  // The same, but nothing if there is no room.
  template <key K>
  [[nodiscard]] std::optional<bool> try_insert(const K& k) noexcept {
    return this->self().hash().then(k, [this](digest d) noexcept { return this->self().try_insert_digest(d); });
  }
  // How many keys were taken: those before the first for which there was no room.
  template <key_span Keys>
  [[nodiscard]] std::size_t insert_batch(const Keys& keys) {
    std::size_t taken = 0;
    this->self().hash().over(as_span(keys), [&](std::size_t first, std::size_t count, auto digest_at) {
      if (taken == first) taken += this->self().insert_digests(count, digest_at);  // else it was full before
    });
    return taken;
  }
};

// What became of an erase. `refused`: the key is still in, because taking it out could have made another one forgotten.
enum class erasure { absent, done, refused };

// Erases. Self has erase_digest(d) -> erasure, erase_digests(count, digest_at) -> how many were done.
// Only a key that is in may be erased, as often as it was inserted. No filter can check that: it refuses a key that it
// knows to be absent, but a stranger it takes for a member takes another key's traces with it.
template <class Self>
class set_erases {
 public:
  // True: one copy of the key was taken out.
  template <key K>
  bool erase(const K& k) {
    return try_erase(k) == erasure::done;
  }
  template <key K>
  erasure try_erase(const K& k) {
    return self().hash().then(k, [this](digest d) { return self().erase_digest(d); });
  }
  // How many copies were taken out.
  template <key_span Keys>
  std::size_t erase_batch(const Keys& keys) {
    std::size_t done = 0;
    self().hash().over(as_span(keys), [&](std::size_t, std::size_t count, auto digest_at) {
      done += self().erase_digests(count, digest_at);
    });
    return done;
  }

 private:
  [[nodiscard]] Self& self() noexcept { return static_cast<Self&>(*this); }
};

}  // namespace umbel::core
