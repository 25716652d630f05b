// exact_face.hpp - the verbs of sets that make no error on a declared universe.
// Idea       When every key that will ever be asked is known, a build can be told of all of them: the members, and the
//            universe they are to be told apart from. What is stored is a fraction of the keys; what is answered is
//            exact. Hence `contains`, not `may_contain`.
// Invariant  For every key of members and universe, contains(key) says whether it is a member. Outside nothing is
//            promised: the answer may be either.
// Limits     Self has build(digest_spool members, digest_spool universe, options), contains_digest(d),
//            contains_digests(count, digest_at, bool*). The universe may be given with the members
//            or without them; options may ask that it be given with them (`members_in_universe`),
//            because two lists that were swapped then show. A finished set tells both sides:
//            keys() members, universe() members and others.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <type_traits>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/parallel.hpp>
#include <umbel/base/text.hpp>
#include <umbel/core/face.hpp>
#include <umbel/core/spooled.hpp>
#include <umbel/core/universe.hpp>

namespace umbel::core {

template <class Self>
class exact_queries {
 public:
  // True just for members, as long as the key is one of the universe.
  template <key K>
  [[nodiscard]] bool contains(const K& k) const noexcept {
    return self().hash().with_digest(k, [this](digest d) noexcept { return self().contains_digest(d); });
  }
  // answers[i] for keys[i]; the fast way. `answers` is at least as long as `keys`.
  template <key_span Keys>
  void contains_batch(const Keys& keys, std::span<bool> answers) const noexcept {
    assert(answers.size() >= std::size(keys));
    self().hash().with_digests(as_span(keys), [&](std::size_t first, std::size_t count, auto digest_at) noexcept {
      self().contains_digests(count, digest_at, answers.data() + first);
    });
  }

 private:
  [[nodiscard]] const Self& self() const noexcept { return static_cast<const Self&>(*this); }
};

template <class Self>
class exact_builds {
 public:
  template <key_range Members, key_range Universe, class S = Self, class Options = typename S::options>
  [[nodiscard]] static S build(const Members& members, const Universe& universe, const Options& options) {
    return S::build(spool_of(members, options.hash, options.threads), spool_of(universe, options.hash, options.threads),
                    options);
  }
};

}  // namespace umbel::core
