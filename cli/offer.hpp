// offer.hpp - the plan that a kind offers for given keys and a rate or a size, and the order of
// offers.
//
// `umbel plan` and its page both ask here, so they list the same kinds in the same order.
//
// Order      By the figure that was not given, and then by size:
//              keys and rate given    size, rate
//              keys and size given    rate, size
//              rate and size given    keys (most first), size, rate
//            then by cache lines. Offers that are still equal keep the order of any::kinds(): sort
//            stably. Sizes and keys are compared exactly. Rates are compared as they are printed,
//            to four digits: a billionth of a rate is no reason to take half a bit per key more.
//            Each rate is rounded by itself; a comparison of two with a tolerance is not
//            transitive.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <umbel/any/any.hpp>

#include "budget.hpp"

namespace umbel::cli {

struct offer {
  const any::kind* kind;
  umbel::plan plan;

  // Cache lines that a query for a member reads, about.
  [[nodiscard]] unsigned lines() const {
    return kind->traits().lines != 0 ? kind->traits().lines : plan.probes;
  }
};

// The offer of a kind, or why there is none.
struct outcome {
  std::optional<offer> made{};
  std::string left_out{};
};
[[nodiscard]] outcome offer_of(const any::kind& kind, const any::options& options,
                               std::optional<std::uint64_t> max_bytes = {});

[[nodiscard]] budget_options within(std::uint64_t bytes, std::uint64_t keys);

enum class unknown { size, rate, keys };  // which of the three was not given
// rounded to the four digits that show_rate() prints
[[nodiscard]] double printed_rate(double rate);
[[nodiscard]] bool goes_before(const offer& a, const offer& b, unknown sought, bool fastest);

}  // namespace umbel::cli
