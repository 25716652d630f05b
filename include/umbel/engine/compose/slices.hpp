// slices.hpp - many filters of one shape, bit by bit side by side: one walk asks all of them.
// Idea       Row i holds bit i of every filter. The walk of a key names k rows, and their AND is
//            the set of filters that accept it: k reads, however many filters.
// Layout     cells::rows, as wide as there are filters. An answer is words_per_row() words, bit j
//            for filter j.
// Invariant  Column j is, bit for bit, the plain filter of the keys marked there.
// Threads    Many readers or one writer.
// Source     [TRL12] sec. III-M.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <umbel/base/ring.hpp>
#include <umbel/cells/rows.hpp>
#include <umbel/engine/probe/index.hpp>
#include <umbel/hash/digest.hpp>

namespace umbel::core::slices {

// True if a bit changed.
template <core::index Index>
bool mark(const Index& at, cells::rows& rows, digest d, unsigned column) noexcept {
  bool changed = false;
  core::with_fixed(at, [&](const auto& fixed) {
    core::each_of(fixed, fixed.start(d),
                  [&](std::uint64_t row) { changed |= rows.set(row, column); });
  });
  return changed;
}

// The filters that accept the key.
template <core::index Index>
void query(const Index& at, const cells::rows& rows, digest d, std::uint64_t* out) noexcept {
  std::fill_n(out, rows.words_per_row(), ~std::uint64_t{0});
  (void)core::with_fixed(at, [&](const auto& fixed) {
    return core::all_of(fixed, d, [&](std::uint64_t row) { return rows.keep_common(row, out); });
  });
}
// The same for many keys, one answer after another.
template <core::index Index>
void query(const Index& at, const cells::rows& rows, std::size_t total, auto& digest_at,
           std::uint64_t* out) noexcept {
  const std::size_t width = rows.words_per_row();
  core::with_fixed(at, [&](const auto& fixed) {
    using walk = core::walk_of<std::remove_cvref_t<decltype(fixed)>>;
    detail::ring<walk>(
        total,
        [&](std::size_t i, walk& w) {
      w = fixed.start(digest_at(i));
      core::each_of(fixed, w, [&](std::uint64_t row) { rows.prefetch(row); });
        },
        [&](std::size_t i, const walk& w) {
      std::fill_n(out + i * width, width, ~std::uint64_t{0});
      (void)core::all_of(fixed, w,
                         [&](std::uint64_t row) { return rows.keep_common(row, out + i * width); });
    });
  });
}

}  // namespace umbel::core::slices
