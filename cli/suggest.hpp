// suggest.hpp - the nearest known word to a mistyped one, for messages.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace umbel::any {
class kind;
}

namespace umbel::cli {

// "; did you mean build?", or empty if no word is near.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       std::span<const std::string_view> known);

// The kind of that name. Throws a bad_parameter with the nearest name, or with all names.
[[nodiscard]] const any::kind& kind_called(std::string_view name);

}  // namespace umbel::cli
