// table.cpp - bodies of table.hpp.
#include "table.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace umbel::cli {

std::string table::text() const {
  std::vector<std::size_t> widths(rows_.front().size());
  const auto is_heading = [&](const auto& cells) { return cells.size() < widths.size(); };
  for (const auto& cells : rows_)
    for (std::size_t i = 0; !is_heading(cells) && i < cells.size(); ++i)
      widths[i] = std::max(widths[i], cells[i].size());
  std::string out;
  for (const auto& cells : rows_) {
    if (is_heading(cells)) {
      out += "\n" + cells.front() + "\n";
      continue;
    }
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i)
      line += i == 0 || words_ ? fmt::format("{:<{}}  ", cells[i], widths[i])
                               : fmt::format("{:>{}}  ", cells[i], widths[i]);
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

}  // namespace umbel::cli
