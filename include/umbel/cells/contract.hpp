// contract.hpp - the contract of cells that an index names one by one: what the engines of
// engine/probe/ need of them.
//
// Cell number i is of its own: what is done to it changes no other. Each concept is one thing that
// can be done to a cell, and stands on the one before it. What a set cell means is the cells' own
// business: a bit, a counter above zero, a statement about a bit.
//
// Laws       test/cells/cells_laws_test.cpp, for all cells there are.
#pragma once

#include <concepts>
#include <cstdint>

namespace umbel::cells {
// clang-format off: version 14 breaks `noexcept -> type` apart.

// Copies own their memory and are equal to what they were made from.
template <class C>
concept testable = std::copyable<C> && std::equality_comparable<C> &&
    requires(const C all, std::uint64_t i) {
  { all.size() } -> std::same_as<std::uint64_t>;
  { all.test(i) }
  noexcept->std::same_as<bool>;  // false for all of a new array
  all.prefetch(i);               // on the way to test(i)
};

// True if the cell was clear before; after it test(i) is true.
template <class C>
concept settable = testable<C> && requires(C all, std::uint64_t i) {
  { all.set(i) }
  noexcept->std::same_as<bool>;
  all.prefetch_for_write(i);
};

// Takes one `set` back; false if the cell cannot tell whether another one needs it, or if it was
// clear: then nothing changes.
template <class C>
concept erasable = settable<C> && requires(C all, std::uint64_t i) {
  { all.unset(i) }
  noexcept->std::same_as<bool>;
};

// How often a cell was set, up to `most`, where it sticks.
template <class C>
concept countable = erasable<C> && requires(const C all, std::uint64_t i) {
  { all.get(i) }
  noexcept->std::same_as<std::uint64_t>;
  { C::most } -> std::convertible_to<std::uint64_t>;
};

// Cells that hold a number of width() bits each, for engines that store values and tags.
template <class C>
concept valued = std::copyable<C> && std::equality_comparable<C> &&
    requires(C all, const C read, std::uint64_t i, std::uint64_t value) {
  { read.size() } -> std::same_as<std::uint64_t>;
  { read.width() } -> std::same_as<unsigned>;
  { read.get(i) }
  noexcept->std::same_as<std::uint64_t>;  // 0 for all of a new array
  all.set(i, value);
};

// clang-format on
}  // namespace umbel::cells
