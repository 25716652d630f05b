// placement.hpp - the concept of an index that maps a digest to a few cells.
#pragma once

#include <concepts>
#include <cstdint>
#include <utility>

#include <umbel/hash/digest.hpp>

namespace umbel::core {

// A placement is a pure function of (digest, geometry). It gives the same cells on every machine
// and in every release, because stored filters depend on it. A walk visits the cells of a digest
// one by one, so that batches can stop, prefetch and continue.
template <class P>
concept placement = std::copyable<P> && requires(const P at, digest d) {
  { at.cells() } -> std::same_as<std::uint64_t>;  // every position is below cells()
  { at.probes() } -> std::same_as<unsigned>;      // steps of a walk
  requires requires(decltype(at.start(d)) walk) {
    { at.next(walk) } -> std::same_as<std::uint64_t>;
  };
};

// work(placement), with a placement whose steps are inlined if `at` has one: for loops over many
// keys.
template <class P, class Work>
decltype(auto) with_fixed(const P& at, Work&& work) {
  if constexpr (requires { at.with_fixed(work); })
    return at.with_fixed(work);
  else
    return work(at);
}

template <placement P>
using walk_of = decltype(std::declval<const P&>().start(digest{}));

// A placement with several walks per key, any of which may have been used by the insert. A walk
// stores its key and its number.
template <class P>
concept choosing = placement<P> && requires(const P at, digest d, const walk_of<P> walk) {
  { at.groups() } -> std::same_as<unsigned>;
  { at.start(d, unsigned{}) } -> std::same_as<walk_of<P>>;
  { walk.key } -> std::convertible_to<digest>;
  { walk.number } -> std::convertible_to<unsigned>;
};

// Starts the key's next walk; false if there is none.
template <placement P>
[[nodiscard]] bool another(const P& at, walk_of<P>& walk) noexcept {
  if constexpr (choosing<P>) {
    if (walk.number + 1 >= at.groups()) return false;
    walk = at.start(walk.key, walk.number + 1);
    return true;
  } else {
    return false;
  }
}

// Most placements use these defaults: every walk has `probes` cells, an insert sets all of them,
// and a query requires all of them. A placement may instead define the number of cells of each walk
// (`probes(walk)`, possibly 0), set only the first cells (`marks()`), or accept some clear cells
// (`spare()`).
template <class P>
concept counting_by_walk = placement<P> && requires(const P at, const walk_of<P> walk) {
  { at.probes(walk) } -> std::same_as<unsigned>;
};
template <class P>
concept tolerant = placement<P> && requires(const P at) {
  { at.marks() } -> std::same_as<unsigned>;
  { at.spare() } -> std::same_as<unsigned>;
};
template <placement P>
[[nodiscard]] unsigned cells_of(const P& at, [[maybe_unused]] const walk_of<P>& walk) noexcept {
  if constexpr (counting_by_walk<P>)
    return at.probes(walk);
  else
    return at.probes();
}

// Visits the cells of a walk in order while `visit` returns true. True if it never returned false.
template <placement P, class Visit>
[[nodiscard]] bool all_of(const P& at, walk_of<P> walk, Visit&& visit) noexcept {
  for (unsigned i = 0, all = cells_of(at, walk); i < all; ++i)
    if (!visit(at.next(walk))) return false;
  return true;
}
template <placement P, class Visit>
[[nodiscard]] bool all_of(const P& at, digest d, Visit&& visit) noexcept {
  return all_of(at, at.start(d), visit);
}
// Visits every cell, whatever it holds.
template <placement P, class Visit>
void each_of(const P& at, walk_of<P> walk, Visit&& visit) noexcept {
  for (unsigned i = 0, all = cells_of(at, walk); i < all; ++i) visit(at.next(walk));
}
// Visits the cells that an insert sets.
template <placement P, class Visit>
void each_mark_of(const P& at, walk_of<P> walk, Visit&& visit) noexcept {
  if constexpr (tolerant<P>)
    for (unsigned i = 0; i < at.marks(); ++i) visit(at.next(walk));
  else
    each_of(at, walk, visit);
}
// Whether enough cells pass the test for the key to be a member: all but at most spare().
template <placement P, class Test>
[[nodiscard]] bool enough_of(const P& at, const walk_of<P>& walk, Test&& test) noexcept {
  if constexpr (tolerant<P>) {
    unsigned spare = at.spare();
    return all_of(at, walk, [&](std::uint64_t i) { return test(i) || spare-- > 0; });
  } else {
    return all_of(at, walk, test);
  }
}

// Visits every cell once, where a walk may contain one twice. At most 1024 probes.
template <placement P, class Visit>
void each_distinct_of(const P& at, walk_of<P> walk, Visit&& visit) noexcept {
  std::uint64_t seen[1024];
  unsigned count = 0;
  for (unsigned i = 0; i < at.probes(); ++i) {
    const std::uint64_t cell = at.next(walk);
    bool again = false;
    for (unsigned j = 0; j < count; ++j) again |= seen[j] == cell;
    if (again) continue;
    seen[count++] = cell;
    visit(cell);
  }
}

}  // namespace umbel::core
