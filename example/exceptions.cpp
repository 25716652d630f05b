// exceptions.cpp - a watch list with known false positives: every name is flagged, cleared, or
// unknown.
#include <umbel/map/binary_fuse_map.hpp>
#include <umbel/sizing/remedy.hpp>

#include <cassert>
#include <cstdint>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

int main() {
  enum : std::uint64_t { cleared, flagged };
  constexpr unsigned watched = 20'000, innocent = 5'000;
  std::vector<std::pair<std::string, std::uint64_t>> names;
  for (unsigned i = 0; i < watched; ++i)
    names.emplace_back("suspect " + std::to_string(i), flagged);
  for (unsigned i = 0; i < innocent; ++i)
    names.emplace_back("david nelson " + std::to_string(i), cleared);

  // A few exceptions are best kept in a list beside a filter. These are many.
  using namespace umbel::sizing;
  const trouble found{.members = watched, .cleared = innocent, .fpr = 1.0 / 256};
  const auto chosen = choose_remedy(found);
  std::cout << name_of(remedy::exception_list) << ": "
            << *price_remedy(found, remedy::exception_list) / 8 << " bytes; "
            << name_of(remedy::two_value_map) << ": "
            << *price_remedy(found, remedy::two_value_map) / 8 << " bytes\n";
  assert(chosen.which == remedy::two_value_map);

  // One map of both: a cleared name is never flagged, and no listed name is lost.
  const auto list = umbel::binary_fuse_map::build(names, {.value_bits = 1, .fpr = found.fpr});
  for (const auto& [name, verdict] : names) assert(list.find(name) == verdict);

  // All other names are unknown, except one in 256; half of those are flagged.
  unsigned wrongly = 0;
  for (unsigned i = 0; i < 100'000; ++i)
    wrongly += list.find("traveller " + std::to_string(i)) == flagged;
  std::cout << list.size_in_bits() / 8 << " bytes built; " << wrongly
            << " of 100000 others are flagged\n";
  assert(wrongly < 300);  // 195 are expected
}
