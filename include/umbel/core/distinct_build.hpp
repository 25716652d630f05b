// distinct_build.hpp - a build of what grows key by key and keeps every copy: each key once, in one order.
// Idea       Where copies count or the order of inserts shows, a build must not depend on what came twice or first: keys are sorted and
//            repeats dropped before any is inserted.
#pragma once

#include <span>

#include <umbel/core/face.hpp>
#include <umbel/core/spool.hpp>

namespace umbel::core {

template <class Set, class Spool, class Options>
[[nodiscard]] Set build_distinct(const Spool& keys, Options wish) {
  const Spool once = keys.distinct(wish.threads);
  if (!wish.keys && !(wish.fpr && wish.bits)) wish.keys = once.size();
  Set out(wish);
  once.for_each(0, Spool::bins, [&](std::span<const digest> block) { insert_all(out, block); });
  return out;
}

}  // namespace umbel::core
