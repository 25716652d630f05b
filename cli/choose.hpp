// choose.hpp - chooses the kind to build: the one named by --kind, or the smallest that fits.
//
// Kinds are found by their traits, never by name: a new map is offered by --map without a change
// here.
#pragma once

#include <string_view>

#include <umbel/any/any.hpp>

namespace umbel::cli {

// The input of a build: keys; keys and values; members and the universe of all keys that will be
// asked; keys and the databases that hold them, which no command builds.
enum class contract { set, map, exact, directory };

// The kind of that name; null without a name. Throws bad_parameter if the kind needs another input.
[[nodiscard]] const any::kind* kind_for(contract given, std::string_view name);

// The kind with the smallest plan, and the second smallest, of all kinds that take this input and
// these options. Throws bad_parameter if there is none.
struct choice {
  const any::kind* kind = nullptr;
  umbel::plan plan{};
  const any::kind* next = nullptr;  // null: there is no other
  umbel::plan next_plan{};
};
[[nodiscard]] choice smallest_for(contract given, const any::options& how);

}  // namespace umbel::cli
