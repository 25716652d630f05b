// wrap.hpp - breaks text into lines of 80 columns, for help and lists in a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace umbel::cli {

inline constexpr std::size_t help_width = 80;

// `head` padded to `indent` characters, then the words of `text`; further lines start at column
// `indent`. A head that is too long has its own line. Ends with a line end.
[[nodiscard]] std::string wrapped(std::string_view head, std::string_view text, std::size_t indent);

// "a binary-fuse-filter", "an exact-set".
[[nodiscard]] std::string with_article(std::string_view noun);

}  // namespace umbel::cli
