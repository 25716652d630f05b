// ordered_build.hpp - builds of sets in which copies count, or the order of inserts shows: from all keys at once, the same bytes.
// Idea       Keys go in by the order of their digests, each once, whatever order they came in and however often.
#pragma once

#include <span>
#include <type_traits>

#include <umbel/core/face.hpp>
#include <umbel/core/spool.hpp>
#include <umbel/core/spooled.hpp>

namespace umbel::core {

template <class Set, class Spool, class Options>
[[nodiscard]] Set build_in_order(const Spool& keys, Options wish) {
  const Spool once = keys.distinct(wish.threads);
  if (!wish.keys && !(wish.fpr && wish.bits)) wish.keys = once.size();
  Set out(wish);
  auto into = filling(out);
  once.for_each(0, Spool::bins, [&](std::span<const digest> block) { into.add(block); });
  into.finish();
  return out;
}

// The face of those that are built no other way.
template <class Self>
class ordered_build : public static_set<Self> {
 public:
  using static_set<Self>::build;
  // A template, so that only programs that build compile the sorting.
  template <class Spool = digest_spool, class S = Self, class Options = typename S::options>
  [[nodiscard]] static S build(const std::type_identity_t<Spool>& keys, const Options& wish) {
    return build_in_order<S>(keys, wish);
  }
};

}  // namespace umbel::core
