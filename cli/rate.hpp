// rate.hpp - the false positive rate of a built structure for reports; not every kind has one.
#pragma once

#include <string>

#include <fmt/format.h>

#include <umbel/any/any.hpp>

#include "json.hpp"
#include "numbers.hpp"

namespace umbel::cli {

[[nodiscard]] inline std::string show_fpr(const any::structure& s) {
  if (s.universe())
    return fmt::format("none on its universe, {} of other keys", show_percent(s.expected_fpr()));
  if (s.kind().traits().answers == output::index) return "every key is accepted";
  return show_rate(s.expected_fpr());
}

// For JSON. The rate of an exact set is that on its universe, 0.
[[nodiscard]] inline json fpr_of(const any::structure& s) {
  return s.universe() ? json(0.0) : json(s.expected_fpr());
}

}  // namespace umbel::cli
