// face.hpp - the verbs a user calls, over structures that know digests only.
// Idea       Hash once, at the edge. A structure writes insert_digest, may_contain_digest and their batch forms; these
//            mixins give it every key type, single and in batches. A batch form takes a count and digest_at(i), so
//            that hashing one key overlaps with waiting for the cells of another.
#pragma once

#include <cassert>
#include <cstddef>
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>

#include <umbel/base/error.hpp>
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
    return self().may_contain_digest(self().hash()(k));
  }
  // answers[i] for keys[i]; the fast way. `answers` is at least as long as `keys`.
  template <key_span Keys>
  void may_contain_batch(const Keys& keys, std::span<bool> answers) const noexcept {
    assert(answers.size() >= std::size(keys));
    self().hash().over(as_span(keys), [&](auto digest_at) noexcept {
      self().may_contain_digests(std::size(keys), digest_at, answers.data());
    });
  }

 private:
  [[nodiscard]] const Self& self() const noexcept { return static_cast<const Self&>(*this); }
};

// Inserts one by one, for sets that grow key by key and have room for every key.
// Self has insert_digest(d) -> changed, insert_digests(count, digest_at).
template <class Self>
class set_inserts {
 public:
  // True if anything changed: then the key was certainly new.
  template <key K>
  bool insert(const K& k) {
    return self().insert_digest(self().hash()(k));
  }
  // How many keys were taken: all of them.
  template <key_span Keys>
  std::size_t insert_batch(const Keys& keys) {
    self().hash().over(as_span(keys), [&](auto digest_at) { self().insert_digests(std::size(keys), digest_at); });
    return std::size(keys);
  }

  // All keys at once. The options' `keys` is the number given, unless set larger by the caller.
  template <key_range Keys, class S = Self, class Options = typename S::options>
  [[nodiscard]] static S build(const Keys& keys, Options options) {
    if (!options.keys && !(options.fpr && options.bits))
      options.keys = static_cast<std::uint64_t>(std::distance(std::begin(keys), std::end(keys)));
    S out(options);
    if constexpr (key_span<Keys>) {
      out.insert_batch(keys);
    } else {
      for (const auto& k : keys) out.insert(k);
    }
    return out;
  }

 private:
  [[nodiscard]] Self& self() noexcept { return static_cast<Self&>(*this); }
};

}  // namespace umbel::core
