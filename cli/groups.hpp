// groups.hpp - the headings under which lists show kinds, the same in `umbel kinds`, `umbel help`,
// `umbel plan`, its page and doc/guide/index.md.
#pragma once

#include <cstddef>
#include <string_view>

#include <umbel/core/traits.hpp>

namespace umbel::cli {

enum class kind_group { grow, erasing, fixed, maps, exact, networks };

struct group_text {
  std::string_view name;
  std::string_view about;
  std::string_view first;  // the kinds to consider first
};
// In the order of kind_group.
inline constexpr group_text kind_groups[] = {
    {"Sets that grow", "keys are added one by one",
     "bloom-filter; for any number of keys taffy-cuckoo-filter"},
    {"Sets that erase", "keys that were added can be erased", "cuckoo-filter"},
    {"Static sets", "built once from all keys, the smallest", "binary-fuse-filter"},
    {"Maps", "a value for every key", "binary-fuse-map"},
    {"Exact", "no error on a known universe of keys", "exact-set"},
    {"For networks", "classes for C++ programs, in umbel/net", "see doc/guide/networks.md"},
};

// A kind that adapts is an adaptive filter beside a table: in a program it erases, too. Kinds for
// networks are not in the registry.
[[nodiscard]] constexpr kind_group group_of(const umbel::traits& traits) noexcept {
  if (traits.of == family::map) return kind_group::maps;
  if (traits.exact) return kind_group::exact;
  if (traits.adapts || (traits.erases && !traits.windowed)) return kind_group::erasing;
  return traits.is_static ? kind_group::fixed : kind_group::grow;
}
[[nodiscard]] constexpr const group_text& text_of(kind_group group) noexcept {
  return kind_groups[static_cast<std::size_t>(group)];
}

}  // namespace umbel::cli
