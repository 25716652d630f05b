// suggest.cpp - bodies of suggest.hpp.
#include "suggest.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <umbel/any/any.hpp>
#include <umbel/base/error.hpp>

namespace umbel::cli {

namespace {

// Edit distance with swaps of neighbours (optimal string alignment).
[[nodiscard]] std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    last = row;
  }
  return last[b.size()];
}

}  // namespace

std::string did_you_mean(std::string_view word, std::span<const std::string_view> known) {
  std::string near;
  const auto add = [&](std::string_view one) {
    near.append(near.empty() ? "" : " or ").append(one);
  };
  std::size_t best = std::max<std::size_t>(1, word.size() / 3);  // beyond it, a different word
  for (const std::string_view one : known) best = std::min(best, distance(word, one));
  for (const std::string_view one : known)
    if (distance(word, one) <= best) add(one);
  if (near.empty() && word.size() >= 3)
    for (const std::string_view one : known)
      if (one.find(word) != one.npos) add(one);
  return near.empty() ? "" : "; did you mean " + near + "?";
}

const any::kind& kind_called(std::string_view name) {
  if (const any::kind* const found = any::find_kind(name)) return *found;
  std::vector<std::string_view> known;
  for (const any::kind* const k : any::kinds()) known.push_back(k->name());
  const std::string hint = did_you_mean(name, known);
  if (hint.empty()) return any::kind_named(name);  // throws, listing all
  throw bad_parameter("no kind is called " + std::string(name) + hint);
}

}  // namespace umbel::cli
