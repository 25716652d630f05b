// query.hpp - calls every query of a structure and compares batches with single calls.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <vector>

#include <umbel/any/any.hpp>

namespace umbel::fuzz {

inline void query(const any::structure& of) {
  static const auto keys = [] {
    std::array<digest, 130> out;
    std::uint64_t x = 0;
    for (digest& d : out) d = {.hi = detail::mix64(++x), .lo = detail::mix64(++x)};
    out[0] = {0, 0};
    out[1] = {~std::uint64_t{0}, ~std::uint64_t{0}};
    return out;
  }();
  bool said[130];
  of.may_contain(keys, said);
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (of.may_contain_one(keys[i]) != said[i]) std::abort();
  if (of.kind().traits().answers == output::value) {
    std::array<std::optional<std::uint64_t>, 130> found;
    of.find(keys, found);
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (found[i].has_value() != said[i]) std::abort();
    if (const cells::texts* const names = of.names()) {
      std::uint64_t bytes = 0;  // texts do not overlap
      for (std::uint64_t i = 0; i < names->size(); ++i) bytes += (*names)[i].size();
      if (bytes * 8 > of.size_in_bits()) std::abort();
      for (const auto& value : found)
        if (value && *value >= names->size()) std::abort();
    }
  }
  if (of.kind().traits().answers == output::index) {
    std::array<std::optional<std::uint64_t>, 130> found;
    of.find(keys, found);
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (found[i].has_value() != said[i] || (found[i] && *found[i] >= of.keys())) std::abort();
  }
  if (of.kind().traits().answers == output::numbers) {
    const std::size_t width = of.words_per_answer();
    std::vector<std::uint64_t> all(keys.size() * width), one(width);
    of.where(keys, all);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const auto* const mine = all.data() + i * width;
      of.where({&keys[i], 1}, one);
      if (!std::equal(one.begin(), one.end(), mine)) std::abort();
      if (std::any_of(mine, mine + width, [](std::uint64_t word) { return word != 0; }) != said[i])
        std::abort();
    }
  }
  if (std::isnan(of.expected_fpr())) std::abort();
  (void)of.size_in_bits();
  (void)of.keys();
  (void)of.cardinality();
  (void)of.fields();
  if (!of.equals(of)) std::abort();
}

}  // namespace umbel::fuzz
