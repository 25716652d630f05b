// wrap.cpp - bodies of wrap.hpp.
#include "wrap.hpp"

namespace umbel::cli {

std::string wrapped(std::string_view head, std::string_view text, std::size_t indent) {
  std::string out(head);
  std::size_t column = head.size();
  const auto fresh_line = [&] {
    out += '\n';
    out.append(indent, ' ');
    column = indent;
  };
  if (column >= indent && column != 0)
    fresh_line();
  else
    out.append(indent - column, ' '), column = indent;
  for (bool first = true; !text.empty();) {
    const std::size_t start = text.find_first_not_of(" \n");
    if (start == text.npos) break;
    text.remove_prefix(start);
    const std::string_view word = text.substr(0, text.find_first_of(" \n"));
    text.remove_prefix(word.size());
    if (!first && column + 1 + word.size() > help_width) {
      fresh_line();
      first = true;
    }
    if (!first) out += ' ', ++column;
    out += word;
    column += word.size();
    first = false;
  }
  return out + "\n";
}

std::string with_article(std::string_view noun) {
  const bool vowel =
      !noun.empty() && std::string_view("aeio").find(noun.front()) != std::string_view::npos;
  return (vowel ? "an " : "a ") + std::string(noun);
}

}  // namespace umbel::cli
