// estimate.hpp - a number inferred from cells, with its standard error; or `saturated`, when the cells say nothing.
#pragma once

namespace umbel {

struct estimate {
  double value = 0;
  double standard_error = 0;
  bool saturated = false;  // every cell is set: the true number may be anything above `value`
};

// How two sets overlap, inferred from their filters.
struct overlap {
  estimate first, second, either;  // cardinalities of both sets and of their union
  double common = 0;               // size of the intersection, clamped to what is possible
  double common_raw = 0;           // the same, as the formula gives it: may be negative
  [[nodiscard]] double jaccard() const noexcept { return either.value <= 0 ? 0 : common / either.value; }
  [[nodiscard]] double symmetric_difference() const noexcept {
    const double apart = 2 * either.value - first.value - second.value;
    return apart < 0 ? 0 : apart;
  }
};

}  // namespace umbel
