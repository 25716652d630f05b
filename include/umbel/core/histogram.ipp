// histogram.ipp - bodies of core/histogram.hpp.
#pragma once

#include <algorithm>
#include <compare>
#include <unordered_map>

#include <umbel/core/histogram.hpp>
#include <umbel/sizing/entropy.hpp>

namespace umbel {

namespace detail {

// What one table said of a value. The digest is the value's: records of one value meet in one bin.
struct partial_count {
  digest key;
  std::uint64_t keys = 0;
  std::uint64_t table = 0;  // its number: equal counts of two tables are two records
  friend auto operator<=>(const partial_count&, const partial_count&) = default;
};
inline digest key_of(const partial_count& p) noexcept { return p.key; }

inline bool comes_first(const core::value_count& a, const core::value_count& b) noexcept {
  return a.keys != b.keys ? a.keys > b.keys : a.value < b.value;
}

}  // namespace detail

UMBEL_INLINE core::histogram core::count_values(const pair_spool& pairs, unsigned threads) {
  return count_values(pairs, threads, sizing::most_codes);
}

UMBEL_INLINE core::histogram core::count_values(const pair_spool& pairs, unsigned threads, std::uint64_t room) {
  histogram out{.values = {}, .keys = pairs.size()};
  std::unordered_map<std::uint64_t, std::uint64_t> table;
  basic_spool<detail::partial_count> full(pairs.how());
  std::uint64_t tables = 0;
  const auto empty_table = [&] {
    for (const auto& [value, keys] : table) full.add({{detail::remix(value, 0), value}, keys, tables});
    table.clear();
    ++tables;
  };
  pairs.for_each(0, pair_spool::bins, [&](std::span<const valued> block) {
    for (const valued& v : block) {
      ++table[v.value];
      if (table.size() > room) empty_table();
    }
  });
  if (tables == 0) {
    for (const auto& [value, keys] : table) out.values.push_back({value, keys});
  } else {
    empty_table();
    const auto keep_most_frequent = [&] {
      if (out.values.size() <= room) return;
      const auto end = out.values.begin() + static_cast<std::ptrdiff_t>(room);
      std::nth_element(out.values.begin(), end, out.values.end(), detail::comes_first);
      out.values.erase(end, out.values.end());
    };
    full.for_each_sorted(threads, [&](std::span<const detail::partial_count> all) {
      for (std::size_t i = 0, next; i < all.size(); i = next) {
        value_count sum{all[i].key.lo, 0};
        for (next = i; next < all.size() && all[next].key == all[i].key; ++next) sum.keys += all[next].keys;
        out.values.push_back(sum);
        if (out.values.size() > 2 * room) keep_most_frequent();
      }
    });
    keep_most_frequent();
  }
  std::sort(out.values.begin(), out.values.end(), detail::comes_first);
  return out;
}

}  // namespace umbel
