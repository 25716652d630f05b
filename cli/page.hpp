// page.hpp - the HTML page of `umbel plan --html`: every kind at every position of its sliders.
//
// The page computes no plan. The library computes all plans that the sliders can ask for when the
// page is written. The script in the page looks them up, sorts them as offer.hpp does, and draws
// them. The page loads nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace umbel::cli {

struct page_options {
  std::uint64_t keys;  // initial position of the sliders
  double fpr;
  // bytes; if given, the page starts with this size instead of the rate
  std::optional<std::uint64_t> memory{};
  unsigned value_bits;     // of the maps in it
  std::string settings{};  // boxes ticked at first, as in the page's address: "&grows&merges"
  unsigned threads;
};
[[nodiscard]] std::string plan_page(const page_options& options);

// cli/page/plan.html with its style and scripts: the part before the data, and the part after it.
extern const char* const plan_page_head;
extern const char* const plan_page_tail;

}  // namespace umbel::cli
