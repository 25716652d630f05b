// page.hpp - plans as one HTML page: every kind at every position of the sliders, to be explored in
// a browser.
// Idea       The page computes no plan. The library computes all plans that the sliders can ask for
//            when the page is written; the script in the page looks them up, sorts them as
//            offer.hpp does, and draws them. It loads nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace umbel::cli {

struct page_options {
  std::uint64_t keys;  // where the sliders stand at first
  double fpr;
  // in bytes; given: the page starts with this size instead of the rate
  std::optional<std::uint64_t> memory{};
  unsigned value_bits;     // of the maps in it
  std::string settings{};  // boxes ticked at first, as the page's address has them: "&grows&merges"
  unsigned threads;
};
[[nodiscard]] std::string plan_page(const page_options& options);

// cli/page/plan.html with its style and scripts, up to its data and from there on.
extern const char* const plan_page_head;
extern const char* const plan_page_tail;

}  // namespace umbel::cli
