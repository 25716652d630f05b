// table.hpp - columns that line up.
#pragma once

#include <string>
#include <vector>

namespace umbel::cli {

class table {
 public:
  // The first column is words and set to the left; the others are set to the right, unless `words`
  // is given.
  explicit table(std::vector<std::string> titles, bool words = false)
      : rows_{std::move(titles)}, words_(words) {}
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
  bool words_;
};

}  // namespace umbel::cli
