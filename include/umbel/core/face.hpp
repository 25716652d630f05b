// face.hpp - the verbs a user calls, over structures that know digests only.
// Idea       Hash once, at the edge. A structure writes insert_digest, may_contain_digest and their batch forms; these
//            mixins give it every key type, single and in batches, with the choice of hash made once per batch.
// Layout     A batch is hashed in chunks of 1024 keys: large enough for the groups below to overlap, small enough for
//            the digests to stay in the first-level cache.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <ranges>
#include <span>
#include <type_traits>

#include <umbel/base/error.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/hash/hasher.hpp>

namespace umbel::core {

// A contiguous run of keys: what batch verbs take.
template <class R>
concept key_span = std::ranges::contiguous_range<R> && key<std::ranges::range_value_t<R>>;
// Any run of keys that can be read twice: what builds take.
template <class R>
concept key_range = std::ranges::forward_range<R> && key<std::remove_cvref_t<std::ranges::range_reference_t<R>>>;

// Calls work(first, digests) for consecutive chunks of `keys`.
template <key_span Keys, class Work>
void in_digests(const hasher& hash, const Keys& keys, Work&& work) {
  using K = std::ranges::range_value_t<Keys>;
  const std::span<const K> all(std::ranges::data(keys), std::ranges::size(keys));
  if constexpr (std::same_as<K, digest>) {
    work(std::size_t{0}, all);
  } else {
    constexpr std::size_t chunk = 1024;
    digest digests[chunk];
    for (std::size_t first = 0; first < all.size(); first += chunk) {
      const auto part = all.subspan(first, std::min(chunk, all.size() - first));
      hash.batch(part, digests);
      work(first, std::span<const digest>(digests, part.size()));
    }
  }
}

// Queries of an approximate set. Self has hash(), may_contain_digest(d), may_contain_digests(span, bool*).
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
    assert(answers.size() >= std::ranges::size(keys));
    in_digests(self().hash(), keys, [&](std::size_t first, std::span<const digest> digests) {
      self().may_contain_digests(digests, answers.data() + first);
    });
  }

 private:
  [[nodiscard]] const Self& self() const noexcept { return static_cast<const Self&>(*this); }
};

// Inserts one by one, for sets that grow key by key and have room for every key.
// Self has insert_digest(d) -> changed, insert_digests(span).
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
    in_digests(self().hash(), keys,
               [&](std::size_t, std::span<const digest> digests) { self().insert_digests(digests); });
    return std::ranges::size(keys);
  }

  // All keys at once. The options' `keys` is the number given, unless set larger by the caller.
  template <key_range Keys, class S = Self, class Options = typename S::options>
  [[nodiscard]] static S build(const Keys& keys, Options options) {
    if (!options.keys && !(options.fpr && options.bits))
      options.keys = static_cast<std::uint64_t>(std::ranges::distance(keys));
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
