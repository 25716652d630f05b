// plot.cpp - bodies of plot.hpp.
// Layout     x: bits per key over log2(1/fpr), from 1, the bound, to the right. y: nanoseconds per
//            non-member in batches, on a logarithmic scale. Small and fast kinds are at the lower
//            left. One line marks the bound, the other the time of reading one cache line.
#include "plot.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "numbers.hpp"

namespace umbel::cli {

namespace {

constexpr double width = 760, height = 460, left = 66, right = 30, top = 62, bottom = 58;

struct scale {
  double low, high, from, to;
  [[nodiscard]] double operator()(double value) const {
    return from + (value - low) / (high - low) * (to - from);
  }
};

// A round step that gives four to eight ticks.
[[nodiscard]] double round_step(double range) {
  const double power = std::pow(10, std::floor(std::log10(range / 4)));
  for (const double step : {1.0, 2.0, 5.0})
    if (range / (power * step) <= 8) return power * step;
  return power * 10;
}

[[nodiscard]] std::string words(double x, double y, const char* look, std::string_view text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\">{}</text>\n", x, y, look, text);
}
[[nodiscard]] std::string stroke(double x1, double y1, double x2, double y2, const char* look) {
  return fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n", x1, y1, x2,
      y2, look);
}

struct box {
  double x, y, width, height;
  [[nodiscard]] bool meets(const box& b) const {
    return x < b.x + b.width && b.x < x + width && y < b.y + b.height && b.y < y + height;
  }
};

// A dot for every row and a label of two lines beside it: on the right if there is room, else on
// the left, else higher or lower, with a thin line from the label to its dot.
[[nodiscard]] std::string dots(const std::vector<umbel::bench::row>& rows, const scale& x,
                               const scale& y) {
  const auto at = [&](const umbel::bench::row& r) {
    return std::pair(x(r.overhead), y(std::log10(r.batch_miss_ns)));
  };
  std::vector<box> taken(rows.size());
  std::transform(rows.begin(), rows.end(), taken.begin(), [&](const auto& r) {
    return box{at(r).first - 6, at(r).second - 6, 12, 12};
  });
  std::string lines, marks;
  for (const auto& r : rows) {
    const auto [px, py] = at(r);
    const std::string figures = fmt::format("{:.2f} bits, {}, {:.1f} ns", r.bits_per_key,
                                            show_percent(r.fpr), r.batch_miss_ns);
    const double wide = 7.0 * static_cast<double>(std::max(r.kind.size(), figures.size()));
    box place{px + 10, py - 12, wide, 30};
    for (int i = 0; i < 24; ++i) {
      const int steps = i / 4 * (i / 2 % 2 == 0 ? 1 : -1);
      const box tried{i % 2 == 0 ? px + 10 : px - 10 - wide, py - 12 + 11 * steps, wide, 30};
      const bool inside = tried.x > left && tried.x + wide < width && tried.y > top &&
                          tried.y + 30 < height - bottom;
      if (!inside ||
          std::any_of(taken.begin(), taken.end(), [&](const box& b) { return b.meets(tried); }))
        continue;
      place = tried;
      break;
    }
    taken.push_back(place);
    const bool is_left = place.x < px;
    const double edge = is_left ? place.x + wide : place.x;
    if (std::abs(place.y + 12 - py) > 12) lines += stroke(px, py, edge, place.y + 10, "grid");
    marks += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\"/>\n", px, py);
    marks += words(edge, place.y + 12, is_left ? "end" : "name", r.kind);
    marks += words(edge, place.y + 26, is_left ? "small end" : "small", figures);
  }
  return lines + marks;
}

// Without a background: the page's shows through, and the ink follows the reader's theme.
constexpr std::string_view opening =
    R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}" role="img">
<title>{2}</title>
<style>
text {{ font: 13px system-ui, sans-serif; fill: #1f2328 }}
.title {{ font-size: 16px; font-weight: 600 }} .small {{ font-size: 11.5px; fill: #59636e }}
.middle {{ text-anchor: middle }} .end {{ text-anchor: end }}
.grid {{ stroke: #d1d9e0; stroke-width: 1 }} .bound {{ stroke: #1a7f37; stroke-width: 1.5 }}
.limit {{ stroke: #bc4c00; stroke-width: 1.5; stroke-dasharray: 6 4 }}
.bound-word {{ fill: #1a7f37 }} .limit-word {{ fill: #bc4c00; text-anchor: end }}
circle {{ fill: #0969da }}
@media (prefers-color-scheme: dark) {{
text {{ fill: #e6edf3 }} .small {{ fill: #9198a1 }} .grid {{ stroke: #3d444d }} circle {{ fill: #58a6ff }}
.bound {{ stroke: #3fb950 }} .bound-word {{ fill: #3fb950 }}
.limit {{ stroke: #f0883e }} .limit-word {{ fill: #f0883e }}
}}
</style>
)";

}  // namespace

std::string space_time_plot(std::span<const umbel::bench::row> rows) {
  std::vector<umbel::bench::row> shown;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(shown),
               [](const auto& r) { return r.overhead > 0 && r.batch_miss_ns > 0; });
  std::sort(shown.begin(), shown.end(),
            [](const auto& a, const auto& b) { return a.batch_miss_ns > b.batch_miss_ns; });
  std::vector<double> lines;
  double max_space = 1.1, max_time = 2, min_time = 1;
  for (const auto& r : shown) {
    lines.push_back(r.line_read_ns);
    max_space = std::max(max_space, r.overhead);
    max_time = std::max({max_time, r.batch_miss_ns, r.line_read_ns});
    min_time = std::min({min_time, r.batch_miss_ns, r.line_read_ns});
  }
  const double spare = (max_space - 1) * 0.35;  // room for the rightmost label
  const scale x{1 - (max_space - 1) * 0.06, max_space + spare, left, width - right};
  const scale y{std::log10(min_time * 0.7), std::log10(max_time * 1.5), height - bottom, top};

  const std::string title =
      fmt::format("Space and time of {} keys", rows.empty() ? "no" : grouped(rows.front().keys));
  std::string out = fmt::format(fmt::runtime(opening), width, height, title);
  out += words(left, 26, "title", title);
  out += words(left, 44, "small",
               "lower left is better; beside each dot: bits per key, false positives, time of a "
               "batched miss");
  const double step = round_step(x.high - x.low);
  for (double at = std::ceil(x.low / step) * step; at <= x.high; at += step) {
    out += stroke(x(at), top, x(at), height - bottom, "grid");
    out += words(x(at), height - bottom + 18, "small middle", fmt::format("{:.3g}", at));
  }
  for (double power = std::floor(y.low); power <= y.high; ++power)
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double at = power + std::log10(digit);
      if (at < y.low || at > y.high) continue;
      out += stroke(left, y(at), width - right, y(at), "grid");
      out += words(left - 8, y(at) + 4, "small end", fmt::format("{:.6g}", std::pow(10, at)));
    }
  out += words((left + width - right) / 2, height - 16, "middle",
               "bits per key / log2(1 / false positive rate)");
  out += fmt::format(
      "<text transform=\"translate(18 {:.1f}) rotate(-90)\" class=\"middle\">ns per key, batched "
      "misses</text>\n",
      (top + height - bottom) / 2);
  out += stroke(x(1), top, x(1), height - bottom, "bound") +
         words(x(1) + 6, height - bottom - 8, "bound-word", "no set is smaller");
  if (!lines.empty()) {
    std::nth_element(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(lines.size() / 2),
                     lines.end());
    const double limit = lines[lines.size() / 2], at = y(std::log10(limit));
    out += stroke(left, at, width - right, at, "limit");
    out += words(width - right, at - 6, "limit-word",
                 fmt::format("one random cache line: {:.1f} ns", limit));
  }
  out += dots(shown, x, y);
  return out + "</svg>\n";
}

}  // namespace umbel::cli
