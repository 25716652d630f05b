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
#include <umbel/core/can.hpp>
#include <umbel/core/grown.hpp>
#include <umbel/core/keys.hpp>
#include <umbel/hash/hasher.hpp>

namespace umbel::core {

// Queries of an approximate set. Self has hash(), may_contain_digest(d), may_contain_digests(count, digest_at, bool*).
template <class Self>
class set_queries {
 public:
  // False: certainly never given. True: given, or a false positive.
  template <key K>
  [[nodiscard]] bool may_contain(const K& k) const noexcept {
    return self().hash().with_digest(k, [this](digest d) noexcept { return self().may_contain_digest(d); });
  }
  // answers[i] for keys[i]; the fast way. `answers` is at least as long as `keys`.
  template <key_span Keys>
  void may_contain_batch(const Keys& keys, std::span<bool> answers) const noexcept {
    assert(answers.size() >= std::size(keys));
    self().hash().with_digests(as_span(keys), [&](std::size_t first, std::size_t count, auto digest_at) noexcept {
      self().may_contain_digests(count, digest_at, answers.data() + first);
    });
  }

 private:
  [[nodiscard]] const Self& self() const noexcept { return static_cast<const Self&>(*this); }
};

// What sets that grow key by key have in common.
template <class Self>
class grown_set {
 public:
  // All keys at once. The options' `keys` is the number given, unless set larger by the caller.
  template <key_range Keys, class S = Self, class Options = typename S::options>
  [[nodiscard]] static S build(const Keys& keys, const Options& options) {
    return grown<S>(keys, options);
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
    return this->self().hash().with_digest(k, [this](digest d) { return this->self().insert_digest(d); });
  }
  // How many keys were taken: all of them.
  template <key_span Keys>
  std::size_t insert_batch(const Keys& keys) {
    this->self().hash().with_digests(as_span(keys), [&](std::size_t, std::size_t count, auto digest_at) {
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
    return this->self().hash().with_digest(k, [this](digest d) noexcept { return this->self().try_insert_digest(d); });
  }
  // How many keys were taken: those before the first for which there was no room.
  template <key_span Keys>
  [[nodiscard]] std::size_t insert_batch(const Keys& keys) {
    std::size_t taken = 0;
    this->self().hash().with_digests(as_span(keys), [&](std::size_t first, std::size_t count, auto digest_at) {
      if (taken == first) taken += this->self().insert_digests(count, digest_at);  // else it was full before
    });
    return taken;
  }
};

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
    return self().hash().with_digest(k, [this](digest d) { return self().erase_digest(d); });
  }
  // How many copies were taken out.
  template <key_span Keys>
  std::size_t erase_batch(const Keys& keys) {
    std::size_t done = 0;
    self().hash().with_digests(as_span(keys), [&](std::size_t, std::size_t count, auto digest_at) {
      done += self().erase_digests(count, digest_at);
    });
    return done;
  }

 private:
  [[nodiscard]] Self& self() noexcept { return static_cast<Self&>(*this); }
};

}  // namespace umbel::core
