// slices.hpp - bit-sliced Bloom filters [TRL12]: one query asks all filters of one shape.
//
// Idea       Row i holds bit i of every filter. A key's k probes select k rows, and their AND is
//            the set of filters that accept the key: k reads for any number of filters.
// Layout     cells::rows, with one bit per filter. An answer is words_per_row() words, bit j for
//            filter j.
// Invariant  Column j equals, bit for bit, a plain Bloom filter of the keys inserted into filter j.
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

// The set of filters that accept the key.
template <core::index Index>
void query(const Index& at, const cells::rows& rows, digest d, std::uint64_t* out) noexcept {
  std::fill_n(out, rows.words_per_row(), ~std::uint64_t{0});
  (void)core::with_fixed(at, [&](const auto& fixed) {
    return core::all_of(fixed, d, [&](std::uint64_t row) { return rows.keep_common(row, out); });
  });
}
// The same for a batch; the answers follow one another.
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
