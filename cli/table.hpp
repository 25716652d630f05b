// table.hpp - a text table with aligned columns.
#pragma once

#include <string>
#include <vector>

namespace umbel::cli {

class table {
 public:
  // The first column is left-aligned; the others are right-aligned, or left-aligned if `words`.
  explicit table(std::vector<std::string> titles, bool words = false)
      : rows_{std::move(titles)}, words_(words) {}
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  // An empty line and a heading for the rows that follow.
  void heading(std::string text) { rows_.push_back({std::move(text)}); }
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
  bool words_;
};

}  // namespace umbel::cli
