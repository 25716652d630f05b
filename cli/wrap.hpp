// wrap.hpp - text broken into lines of 80 columns, for help and lists that people read in a
// terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace umbel::cli {

inline constexpr std::size_t help_width = 80;

// `head` in a column of `indent` characters, then the words of `text`, each line of which starts
// at that column. A head that leaves no room has a line of its own. Ends with a line end.
[[nodiscard]] std::string wrapped(std::string_view head, std::string_view text, std::size_t indent);

// "a binary-fuse-filter", "an exact-set".
[[nodiscard]] std::string with_article(std::string_view noun);

}  // namespace umbel::cli
