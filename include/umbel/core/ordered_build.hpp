// ordered_build.hpp - builds of sets whose bytes depend on the order of inserts or on duplicate
// keys: each key is inserted once, in the order of digests.
//
// So the bytes depend only on the set of keys.
#pragma once

#include <span>

#include <umbel/core/grown.hpp>
#include <umbel/core/spool.hpp>

namespace umbel::core {

template <class Set, class Spool, class Options>
[[nodiscard]] Set build_in_order(const Spool& keys, Options options) {
  const Spool once = keys.distinct(options.threads);
  if (!options.keys && !(options.fpr && options.bits)) options.keys = once.size();
  Set out(options);
  auto into = filling(out);
  once.for_each(0, Spool::bins, [&](std::span<const digest> block) { into.add(block); });
  into.finish();
  return out;
}

}  // namespace umbel::core
