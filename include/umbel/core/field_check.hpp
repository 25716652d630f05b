// field_check.hpp - what a loaded engine says of a field that cannot be.
#pragma once

#include <cstdint>
#include <string_view>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>

namespace umbel::core {

struct field_check {
  std::string_view section;
  void operator()(bool holds, std::string_view field, std::uint64_t found) const {
    if (!holds) throw corrupt(detail::text(section, ": field ", field, " has the impossible value ", found));
  }
};

}  // namespace umbel::core
