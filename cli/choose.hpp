// choose.hpp - which kind is built: the one that was named, or the smallest that does what was
// asked.
// Idea       Kinds are found by what they say of themselves, never by name: a new map is offered by
//            --map at once.
#pragma once

#include <string_view>

#include <umbel/any/any.hpp>

namespace umbel::cli {

// What a build has in hand: keys alone, a value with every key, or also all keys that will ever be
// asked.
enum class contract { set, map, exact, directory };  // no build has the last in hand

// The kind of that name; null without a name. Throws bad_parameter if it needs, or takes, something
// else.
[[nodiscard]] const any::kind* kind_for(contract given, std::string_view name);

// Of all kinds for what is given that can be had with these options, the one whose plan is
// smallest, and the one after it. Throws bad_parameter if there is none.
struct choice {
  const any::kind* kind = nullptr;
  umbel::plan plan{};
  const any::kind* next = nullptr;  // null: there is no other
  umbel::plan next_plan{};
};
[[nodiscard]] choice smallest_for(contract given, const any::options& how);

}  // namespace umbel::cli
