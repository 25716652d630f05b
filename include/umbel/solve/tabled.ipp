// tabled.ipp - bodies of tabled.hpp.
#pragma once

#include <algorithm>
#include <bit>

#include <umbel/solve/tabled.hpp>

namespace umbel::solve {

namespace tabled {

// n choose k, k at most 5.
[[nodiscard]] constexpr std::uint32_t choose(std::uint32_t n, unsigned k) noexcept {
  std::uint32_t out = 1;
  for (unsigned i = 0; i < k; ++i) out = out * (n - i) / (i + 1);
  return n < k ? 0 : out;
}

// Gauss-Jordan elimination of rows of `size` bits. The identity is placed beside them, five bits
// further up.
[[nodiscard]] inline std::uint32_t invert(std::uint32_t set, unsigned size) noexcept {
  constexpr unsigned beside = tabled_systems::most;
  std::array<std::uint32_t, beside> rows{};
  std::uint32_t left = set;
  for (unsigned i = 0; i < size; ++i, left &= left - 1)
    rows[i] = solve::dense_rows::vector(static_cast<unsigned>(std::countr_zero(left)), size) |
              1U << (beside + i);
  for (unsigned pivot = 0; pivot < size; ++pivot) {
    const auto has = [&](std::uint32_t row) { return (row >> pivot & 1) != 0; };
    const auto found = std::find_if(rows.begin() + pivot, rows.begin() + size, has);
    if (found == rows.begin() + size) return tabled_systems::singular;
    std::swap(*found, rows[pivot]);
    for (unsigned i = 0; i < size; ++i)
      if (i != pivot && has(rows[i])) rows[i] ^= rows[pivot];
  }
  std::uint32_t out = 0;  // row u lists the right sides of unknown u; transpose to columns
  for (unsigned u = 0; u < size; ++u)
    for (unsigned i = 0; i < size; ++i) out |= (rows[u] >> (beside + i) & 1) << (beside * i + u);
  return out;
}

}  // namespace tabled

UMBEL_INLINE std::uint32_t tabled_systems::inverse(std::uint32_t set) {
  const auto size = static_cast<unsigned>(std::popcount(set));
  std::vector<std::uint32_t>& table = inverses_[size];
  if (table.empty()) table.assign(tabled::choose(solve::dense_rows::ids, size), unknown);
  std::uint32_t number = 0;
  unsigned k = 0;
  for (std::uint32_t left = set; left != 0; left &= left - 1)
    number += tabled::choose(static_cast<std::uint32_t>(std::countr_zero(left)), ++k);
  std::uint32_t& entry = table[number];
  if (entry == unknown) {
    entry = tabled::invert(set, size);
    ++known_[size];
  }
  return entry;
}

UMBEL_INLINE void tabled_systems::add(std::uint32_t set, std::span<const std::uint64_t> rights,
                                      std::uint64_t where) {
  solved one{where, {}, set};
  std::copy(rights.begin(), rights.end(), one.values.begin());
  waiting_.push_back(one);
}

UMBEL_INLINE std::span<const tabled_systems::solved> tabled_systems::solve() {
  std::sort(waiting_.begin(), waiting_.end(),
            [](const solved& a, const solved& b) { return a.set < b.set; });
  for (std::size_t first = 0; first < waiting_.size();) {
    const std::uint32_t set = waiting_[first].set, columns = inverse(set);
    const auto size = static_cast<unsigned>(std::popcount(set));
    std::size_t count = 1;
    while (count < lanes && first + count < waiting_.size() && waiting_[first + count].set == set)
      ++count;
    std::array<std::array<std::uint64_t, lanes>, most> out{};
    for (unsigned i = 0; i < size; ++i)
      for (unsigned u = 0; u < size; ++u)
        if ((columns >> (most * i + u) & 1) != 0)
          for (std::size_t lane = 0; lane < count; ++lane)
            out[u][lane] ^= waiting_[first + lane].values[i];
    for (std::size_t lane = 0; lane < count; ++lane)
      for (unsigned u = 0; u < size; ++u) waiting_[first + lane].values[u] = out[u][lane];
    first += count;
  }
  return waiting_;
}

}  // namespace umbel::solve
