// field_check.hpp - the error for a field of a loaded engine with an impossible value, and the
// names of the values of a flag.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>

namespace umbel::core {

// For field(name, value, names): the third argument names the values 0, 1, and so on.
inline constexpr std::array<std::string_view, 2> no_or_yes{"no", "yes"};

struct field_check {
  std::string_view section;
  void operator()(bool holds, std::string_view field, std::uint64_t found) const {
    if (!holds)
      throw corrupt(detail::text(section, ": field ", field, " has the impossible value ", found));
  }
};

}  // namespace umbel::core
