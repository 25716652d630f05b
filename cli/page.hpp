// page.hpp - a plan as a page of its own: every kind at every number of keys and every rate, to be explored in a browser.
// Idea       The page computes nothing: what its sliders can be set to is asked of the library here, and written into it. It
//            loads nothing either.
#pragma once

#include <cstdint>
#include <string>

namespace umbel::cli {

struct page_wish {
  std::uint64_t keys;  // where its sliders stand at first
  double fpr;
  unsigned value_bits;  // of the maps in it
  unsigned threads;
};
[[nodiscard]] std::string plan_page(const page_wish& wish);

// cli/page/plan.html, up to its data and from there on.
extern const char* const plan_page_head;
extern const char* const plan_page_tail;

}  // namespace umbel::cli
