// placement.hpp - the contract of an index that names a few cells per key.
#pragma once

#include <concepts>
#include <cstdint>
#include <utility>

#include <umbel/hash/digest.hpp>

namespace umbel::core {

// A placement is a pure function of (digest, geometry): the same cells on every machine and in
// every release, because stored filters depend on it. A walk visits a digest's cells one by one, so
// that batches can stop, fetch and go on.
template <class P>
concept placement = std::copyable<P> && requires(const P at, digest d) {
  { at.cells() } -> std::same_as<std::uint64_t>;  // every position is below cells()
  { at.probes() } -> std::same_as<unsigned>;      // steps of a walk
  requires requires(decltype(at.start(d)) walk) {
    { at.next(walk) } -> std::same_as<std::uint64_t>;
  };
};

// work(placement), with one whose steps are inlined where `at` can name one: for loops over many
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

// A placement with choices gives a key several walks, any of which may hold it. A walk knows its
// key and its number.
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

// What most placements leave as it is: every walk has `probes` cells, an insert sets all of them,
// and a key is in if all are set. One may count the cells of each walk itself (`probes(walk)`, also
// none), have an insert set the first few only (`marks()`), or let some of them be clear
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

// Visits the cells of a walk in order while `visit` answers true; true if none said false.
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
// The same for every cell, whatever it holds.
template <placement P, class Visit>
void each_of(const P& at, walk_of<P> walk, Visit&& visit) noexcept {
  for (unsigned i = 0, all = cells_of(at, walk); i < all; ++i) visit(at.next(walk));
}
// The same for those an insert sets.
template <placement P, class Visit>
void each_mark_of(const P& at, walk_of<P> walk, Visit&& visit) noexcept {
  if constexpr (tolerant<P>)
    for (unsigned i = 0; i < at.marks(); ++i) visit(at.next(walk));
  else
    each_of(at, walk, visit);
}
// Whether as many cells pass the test as a key that is in must have: all, but for those it can
// spare.
template <placement P, class Test>
[[nodiscard]] bool enough_of(const P& at, const walk_of<P>& walk, Test&& test) noexcept {
  if constexpr (tolerant<P>) {
    unsigned spare = at.spare();
    return all_of(at, walk, [&](std::uint64_t i) { return test(i) || spare-- > 0; });
  } else {
    return all_of(at, walk, test);
  }
}

// The same for every cell once, where a walk may visit one twice. At most 1024 probes.
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
