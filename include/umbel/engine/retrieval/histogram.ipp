// histogram.ipp - bodies of engine/retrieval/histogram.hpp.
#pragma once

#include <algorithm>
#include <compare>
#include <utility>

#include <umbel/engine/retrieval/histogram.hpp>

namespace umbel {

namespace detail {

// The count of a value in one table. The digest is derived from the value, so all records of a
// value are in one bin.
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

template <class Spool>
core::histogram core::count_values(const std::type_identity_t<Spool>& pairs, unsigned threads,
                                   std::uint64_t room) {
  histogram out{.values = {}, .keys = pairs.size()};
  // counts of small values; other values, unsorted; the counts of those, by value
  std::vector<std::uint64_t> small(4096), pending;
  std::vector<value_count> table, merged;
  basic_spool<detail::partial_count> full(pairs.options());
  std::uint64_t tables = 0;
  const auto empty_table = [&] {
    for (const value_count& v : table)
      full.add({{detail::remix(v.value, 0), v.value}, v.keys, tables});
    table.clear();
    ++tables;
  };
  const auto absorb = [&] {
    std::sort(pending.begin(), pending.end());
    merged.clear();
    auto known = table.begin();
    for (std::size_t i = 0, next; i < pending.size(); i = next) {
      const std::uint64_t value = pending[i];
      for (next = i; next < pending.size() && pending[next] == value;) ++next;
      for (; known != table.end() && known->value < value; ++known) merged.push_back(*known);
      const bool is_known = known != table.end() && known->value == value;
      merged.push_back({value, next - i + (is_known ? (known++)->keys : 0)});
    }
    merged.insert(merged.end(), known, table.end());
    table.swap(merged);
    pending.clear();
    if (table.size() > room) empty_table();
  };
  const std::size_t at_once = std::min<std::uint64_t>(room, 1 << 16);
  pairs.for_each(0, Spool::bins, [&](std::span<const valued> block) {
    for (const valued& v : block) {
      if (v.value < small.size()) {
        ++small[v.value];
      } else {
        pending.push_back(v.value);
        if (pending.size() >= at_once) absorb();
      }
    }
  });
  absorb();
  if (tables != 0) empty_table();

  const auto keep_most_frequent = [&] {
    if (out.values.size() <= room) return;
    const auto end = out.values.begin() + static_cast<std::ptrdiff_t>(room);
    std::nth_element(out.values.begin(), end, out.values.end(), detail::comes_first);
    out.values.erase(end, out.values.end());
  };
  out.values = std::move(table);
  for (std::uint64_t value = 0; value < small.size(); ++value)
    if (small[value] != 0) out.values.push_back({value, small[value]});
  full.for_each_sorted(threads, [&](std::span<const detail::partial_count> all) {
    for (std::size_t i = 0, next; i < all.size(); i = next) {
      value_count sum{all[i].key.lo, 0};
      for (next = i; next < all.size() && all[next].key == all[i].key; ++next)
        sum.keys += all[next].keys;
      out.values.push_back(sum);
      if (out.values.size() > 2 * room) keep_most_frequent();
    }
  });
  keep_most_frequent();
  std::sort(out.values.begin(), out.values.end(), detail::comes_first);
  return out;
}

#if defined(UMBEL_BODIES)
template core::histogram core::count_values<pair_spool>(const pair_spool&, unsigned, std::uint64_t);
#endif

}  // namespace umbel
