// index.hpp - the contract of an index: it names the few cells that a key touches.
//
// A walk visits a digest's cells one by one, so that batches can stop, fetch and go on. An index
// knows no cells, cells (cells/contract.hpp) know no index; engine/probe/probes.hpp joins them.
//
// Laws       test/engine/index_laws_test.cpp, for every index there is.
#pragma once

#include <concepts>
#include <cstdint>
#include <utility>

#include <umbel/hash/digest.hpp>

namespace umbel::core {

// An index is a pure function of (digest, geometry): the same cells on every machine and in every
// release, because stored filters depend on it. Its geometry follows from the fields it stores, and
// check() refuses fields that none can follow from. The forms inlined for one batch (`with_fixed`)
// are no more than this; one that is stored has also fields(), check() and ==.
template <class I>
concept index = std::copyable<I> && requires(const I at, digest d) {
  { at.cells() } -> std::same_as<std::uint64_t>;  // every position is below cells()
  { at.probes() } -> std::same_as<unsigned>;      // steps of a walk; never none
  // Starts a walk, which can be copied: a copy goes on from where the first one was.
  requires std::copyable<decltype(at.start(d))>;
  requires requires(decltype(at.start(d)) walk) {
    { at.next(walk) } -> std::same_as<std::uint64_t>;  // the next position
  };
};

// work(index), with one whose steps are inlined where `at` can name one: for loops over many
// keys.
template <class I, class Work>
decltype(auto) with_fixed(const I& at, Work&& work) {
  if constexpr (requires { at.with_fixed(work); })
    return at.with_fixed(work);
  else
    return work(at);
}

template <index I>
using walk_of = decltype(std::declval<const I&>().start(digest{}));

// An index with choices gives a key several walks, any of which may hold it. A walk knows its
// key and its number.
template <class I>
concept choosing = index<I> && requires(const I at, digest d, const walk_of<I> walk) {
  { at.groups() } -> std::same_as<unsigned>;
  { at.start(d, unsigned{}) } -> std::same_as<walk_of<I>>;
  { walk.key } -> std::convertible_to<digest>;
  { walk.number } -> std::convertible_to<unsigned>;
};

// Starts the key's next walk; false if there is none.
template <index I>
[[nodiscard]] bool another(const I& at, walk_of<I>& walk) noexcept {
  if constexpr (choosing<I>) {
    if (walk.number + 1 >= at.groups()) return false;
    walk = at.start(walk.key, walk.number + 1);
    return true;
  } else {
    return false;
  }
}

// What most indices leave as it is: every walk has `probes` cells, an insert sets all of them,
// and a key is in if all are set. One may count the cells of each walk itself (`probes(walk)`, also
// none), have an insert set the first few only (`marks()`), or let some of them be clear
// (`spare()`).
template <class I>
concept counting_by_walk = index<I> && requires(const I at, const walk_of<I> walk) {
  { at.probes(walk) } -> std::same_as<unsigned>;
};
template <class I>
concept tolerant = index<I> && requires(const I at) {
  { at.marks() } -> std::same_as<unsigned>;
  { at.spare() } -> std::same_as<unsigned>;
};
template <index I>
[[nodiscard]] unsigned cells_of(const I& at, [[maybe_unused]] const walk_of<I>& walk) noexcept {
  if constexpr (counting_by_walk<I>)
    return at.probes(walk);
  else
    return at.probes();
}

// Visits the cells of a walk in order while `visit` answers true; true if none said false.
template <index I, class Visit>
[[nodiscard]] bool all_of(const I& at, walk_of<I> walk, Visit&& visit) noexcept {
  for (unsigned i = 0, all = cells_of(at, walk); i < all; ++i)
    if (!visit(at.next(walk))) return false;
  return true;
}
template <index I, class Visit>
[[nodiscard]] bool all_of(const I& at, digest d, Visit&& visit) noexcept {
  return all_of(at, at.start(d), visit);
}
// The same for every cell, whatever it holds.
template <index I, class Visit>
void each_of(const I& at, walk_of<I> walk, Visit&& visit) noexcept {
  for (unsigned i = 0, all = cells_of(at, walk); i < all; ++i) visit(at.next(walk));
}
// The same for those an insert sets.
template <index I, class Visit>
void each_mark_of(const I& at, walk_of<I> walk, Visit&& visit) noexcept {
  if constexpr (tolerant<I>)
    for (unsigned i = 0; i < at.marks(); ++i) visit(at.next(walk));
  else
    each_of(at, walk, visit);
}
// Whether as many cells pass the test as a key that is in must have: all, but for those it can
// spare.
template <index I, class Test>
[[nodiscard]] bool enough_of(const I& at, const walk_of<I>& walk, Test&& test) noexcept {
  if constexpr (tolerant<I>) {
    unsigned spare = at.spare();
    return all_of(at, walk, [&](std::uint64_t i) { return test(i) || spare-- > 0; });
  } else {
    return all_of(at, walk, test);
  }
}

// The same for every cell once, where a walk may visit one twice. At most 1024 probes.
template <index I, class Visit>
void each_distinct_of(const I& at, walk_of<I> walk, Visit&& visit) noexcept {
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
