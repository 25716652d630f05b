// sparse_rows.hpp - digest -> a sparse row of a linear system [Por09]: a few distinct unknowns, the
// same number for every key.
//
// Idea       Words are generated in counter mode, as in dense_rows, and mapped to unknowns by
//            fastrange. A repeated unknown is drawn again.
// Limits     128 draws. They give fewer unknowns than requested only if there are hardly more
//            unknowns in all.
// Source     [Por09] sections 3 and 5.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>

#include <umbel/base/integers.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/sizing/matrix.hpp>
#include <umbel/solve/dense_rows.hpp>

namespace umbel::core {

struct sparse_row {
  std::array<std::uint32_t, sizing::matrix_max_probes + 1> at;  // an even number of them is drawn
  unsigned count = 0;
  [[nodiscard]] const std::uint32_t* begin() const noexcept { return at.data(); }
  [[nodiscard]] const std::uint32_t* end() const noexcept { return at.data() + count; }
};

// The remixer for a pair of words under a seed.
[[nodiscard]] constexpr detail::remixer sparse_pair(std::uint64_t seed,
                                                    std::uint64_t pair) noexcept {
  return detail::remixer(
      detail::salt_of(detail::stage::rows, seed * solve::dense_rows::pairs + pair));
}
// `probes` distinct numbers below `unknowns`; pair_at(p) is sparse_pair(seed, p).
template <std::invocable<std::uint64_t> PairAt>
[[nodiscard]] sparse_row draw_sparse(digest d, PairAt&& pair_at, unsigned probes,
                                     std::uint64_t unknowns) noexcept {
  sparse_row out;
  // Usually all are distinct, and no branch depends on their values.
  for (std::uint64_t pair = 0; 2 * pair < probes; ++pair) {
    const detail::remixed words = pair_at(pair)(d);
    out.at[2 * pair] = static_cast<std::uint32_t>(detail::fastrange(words.first(), unknowns));
    out.at[2 * pair + 1] = static_cast<std::uint32_t>(detail::fastrange(words.second(), unknowns));
  }
  bool repeats = false;
  for (unsigned i = 1; i < probes; ++i)
    for (unsigned j = 0; j < i; ++j) repeats |= out.at[i] == out.at[j];
  if (!repeats) [[likely]] {
    out.count = probes;
    return out;
  }
  const auto take = [&](std::uint64_t word) {
    const auto cell = static_cast<std::uint32_t>(detail::fastrange(word, unknowns));
    if (out.count < probes && std::find(out.begin(), out.end(), cell) == out.end())
      out.at[out.count++] = cell;
  };
  for (std::uint64_t pair = 0; out.count < probes && pair < solve::dense_rows::pairs; ++pair) {
    const detail::remixed words = pair_at(pair)(d);
    take(words.first());
    take(words.second());
  }
  return out;
}
[[nodiscard]] inline sparse_row draw_sparse(digest d, std::uint64_t seed, unsigned probes,
                                            std::uint64_t unknowns) noexcept {
  return draw_sparse(
      d, [seed](std::uint64_t pair) { return sparse_pair(seed, pair); }, probes, unknowns);
}

}  // namespace umbel::core
