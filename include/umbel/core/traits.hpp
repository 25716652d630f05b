// traits.hpp - the capabilities of a structure, declared once by each: the columns of Table II of
// [TRL12], and a few more.
//
// Source     [TRL12] Table II.
#pragma once

#include <string_view>

namespace umbel {

enum class family { set, map, count, stream };
// numbers: a set of numbers; index: a different one for every member
enum class output { boolean, value, frequency, numbers, index };

[[nodiscard]] constexpr std::string_view name_of(family f) noexcept {
  constexpr std::string_view names[] = {"set", "map", "count", "stream"};
  return names[static_cast<int>(f)];
}
[[nodiscard]] constexpr std::string_view name_of(output o) noexcept {
  constexpr std::string_view names[] = {"boolean", "value", "frequency", "numbers", "index"};
  return names[static_cast<int>(o)];
}

struct traits {
  family of = family::set;
  output answers = output::boolean;
  bool counts = false;            // knows multiplicities
  bool erases = false;            // keys can be taken out
  bool popularity_aware = false;  // treats popular keys differently
  bool may_forget = false;        // can answer "no" for a key that was given: false negatives
  bool is_static = false;         // built at once from all keys
  bool mergeable = false;         // the union of two is a third
  bool windowed = false;          // keys age
  bool may_fill = false;          // can run out of room: `full`
  bool expands = false;           // takes more memory as keys are added, and keeps its rate
  // no error for keys of a universe, which the build gets besides the members
  bool exact = false;
  bool assigns = false;  // the value of a key can change after the build
  // a reported false positive does not pass again; reporting needs the program's own keys
  bool adapts = false;
  // after single inserts, equal sets may differ in their bytes, but not in their guarantees
  bool order_dependent = false;
  unsigned max_value_bits = 64;  // of a map
  // cache lines that a query for a member reads, approximately; 0: one per probe
  unsigned lines = 0;

  // Whether a false positive rate can be requested. Not for exact sets, nor for structures that
  // accept every non-member.
  [[nodiscard]] constexpr bool rated() const noexcept { return !exact && answers != output::index; }
};

}  // namespace umbel
