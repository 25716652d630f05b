// rates.hpp - how close to its planned rate a kind must be, for the laws that count false
// positives.
#pragma once

#include <array>

#include <umbel/any/any.hpp>

#include "support/gate.hpp"

namespace umbel::test {

// Relative error allowed to the formula of a kind's plan.
[[nodiscard]] inline double model_error(const any::kind& kind) {
  const bool lanes = kind.name() == "split-block-bloom-filter" || kind.name() == "parquet-filter" ||
                     kind.name() == "taffy-block-filter";
  return lanes ? blocked_model : usual_model;
}
// The plan is for the worst initial contents of the bits: from clear bits such a filter errs less.
[[nodiscard]] inline bool plans_for_the_worst_start(const any::kind& kind) {
  return kind.name() == "generalized-bloom-filter";
}

// Every rate that a law asks for where it is in reach; plans.cpp pins which kinds refuse which.
inline constexpr std::array asked_rates{0.9,  0.5,  0.3,  0.1,  0.03, 0.01, 0.004, 1.0 / 256,
                                        1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-9, 1e-12};

}  // namespace umbel::test
