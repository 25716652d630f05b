// offer.hpp - what a kind offers for so many keys and a rate or a size, and the order of offers.
// Idea       `umbel plan` and its page ask here, so both list the same kinds in the same order.
// Order      The best first, by the figure that was not given; what is equal in it by its size:
//              keys and rate given    size, rate
//              keys and size given    rate, size
//              rate and size given    keys (most first), size, rate
//            then by cache lines. What is still equal keeps the order of any::kinds(): sort stably.
//            Sizes and keys are compared exactly. Rates are compared as they are printed, to four
//            digits: a billionth of a rate is no reason to take half a bit per key more. Each rate
//            is rounded by itself; comparing two with a tolerance would not be transitive.
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

  // Cache lines that a query reads, which is what it waits for.
  [[nodiscard]] unsigned lines() const {
    return kind->traits().lines != 0 ? kind->traits().lines : plan.probes;
  }
};

// What a kind offers, or why it does not.
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
