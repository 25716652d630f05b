// plot.hpp - measured kinds as a picture: space over the bound against time, with the memory's own
// limit drawn in.
#pragma once

#include <span>
#include <string>

#include <umbel/any/bench.hpp>

namespace umbel::cli {

// One self-contained SVG, readable on light and on dark pages.
[[nodiscard]] std::string space_time_plot(std::span<const umbel::bench::row> rows);

}  // namespace umbel::cli
