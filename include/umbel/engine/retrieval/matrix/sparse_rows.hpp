// sparse_rows.hpp - digest -> a few different unknowns of a system, as many for every key.
// Idea       Words are drawn in counter mode, as dense_rows does, and sent to unknowns by fastrange; one that was drawn already is
//            drawn again.
// Limits     128 draws: they end with fewer unknowns only where there are hardly more than are asked for.
// Source     [Por09] sections 3 and 5.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include <umbel/base/integers.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/solve/dense_rows.hpp>
#include <umbel/sizing/matrix.hpp>

namespace umbel::core {

struct sparse_row {
  std::array<std::uint32_t, sizing::matrix_most_probes> at;
  unsigned count = 0;
  [[nodiscard]] const std::uint32_t* begin() const noexcept { return at.data(); }
  [[nodiscard]] const std::uint32_t* end() const noexcept { return at.data() + count; }
};

// `probes` different numbers below `unknowns`.
[[nodiscard]] inline sparse_row draw_sparse(digest d, std::uint64_t seed, unsigned probes,
                                            std::uint64_t unknowns) noexcept {
  sparse_row out;
  const auto take = [&](std::uint64_t word) {
    const auto cell = static_cast<std::uint32_t>(detail::fastrange(word, unknowns));
    if (out.count < probes && std::find(out.begin(), out.end(), cell) == out.end()) out.at[out.count++] = cell;
  };
  for (std::uint64_t pair = 0; out.count < probes && pair < solve::dense_rows::pairs; ++pair) {
    const auto words = detail::remixer(detail::salt_of(detail::stage::rows, seed * solve::dense_rows::pairs + pair))(d);
    take(words.first());
    take(words.second());
  }
  return out;
}

}  // namespace umbel::core
