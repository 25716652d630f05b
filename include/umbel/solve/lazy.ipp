// lazy.ipp - bodies of lazy.hpp.
#pragma once

#include <algorithm>

#include <umbel/solve/lazy.hpp>

namespace umbel::solve {

UMBEL_INLINE void lazy_system::reset(std::size_t unknowns) {
  order_.reset(unknowns);
  rights_.clear();
}

UMBEL_INLINE bool lazy_system::solve(std::span<std::uint64_t> out) {
  order_.settle();
  if (!eliminate()) return false;
  substitute(out);
  return true;
}

// Turns every equation into a row over the active unknowns. Rows that solve an unknown are kept for
// later equations; the others go into the dense system.
UMBEL_INLINE bool lazy_system::eliminate() {
  dense_.reset(active());
  const std::size_t words = dense_.row_words();
  rows_.resize((order_.steps().size() + 1) * words);
  std::size_t solved = 0;
  for (const auto& s : order_.steps()) {
    const std::span row(rows_.data() + solved * words, words);
    std::fill(row.begin(), row.end(), 0);
    row.back() = rights_[s.equation];
    for (const std::uint32_t u : order_.members(s.equation)) {
      if (u == s.solves) continue;
      if (order_.is_active(u))
        row[order_.number(u) / 64] ^= std::uint64_t{1} << order_.number(u) % 64;
      else
        add_row(row, {rows_.data() + order_.number(u) * words, words});
    }
    if (s.solves != order_.idle)
      ++solved;
    else if (!dense_.add(row))
      return false;
  }
  return true;
}

UMBEL_INLINE void lazy_system::substitute(std::span<std::uint64_t> out) {
  values_.resize(active());
  dense_.solve(values_);
  for (std::size_t i = 0; i < active(); ++i) out[order_.active()[i]] = values_[i];
  for (const auto& s : order_.steps()) {
    if (s.solves == order_.idle) continue;
    std::uint64_t value = rights_[s.equation];
    // out[s.solves] is still zero
    for (const std::uint32_t u : order_.members(s.equation)) value ^= out[u];
    out[s.solves] = value;
  }
}

}  // namespace umbel::solve
