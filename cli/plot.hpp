// plot.hpp - the SVG plot of `umbel bench`: size over the lower bound against query time.
#pragma once

#include <span>
#include <string>

#include <umbel/any/bench.hpp>

namespace umbel::cli {

// One self-contained SVG, readable on light and on dark pages.
[[nodiscard]] std::string space_time_plot(std::span<const umbel::bench::row> rows);

}  // namespace umbel::cli
