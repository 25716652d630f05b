// estimate.hpp - a number estimated from cells, with its standard error; `saturated` if the cells
// give only a lower bound.
#pragma once

#include <algorithm>

namespace umbel {

struct estimate {
  double value = 0;
  double standard_error = 0;
  bool saturated = false;  // every cell is set: the true number may be anything above `value`
};

// The overlap of two sets, estimated from their filters.
struct overlap {
  estimate first, second, either;  // cardinalities of both sets and of their union
  double common = 0;               // size of the intersection, clamped to what is possible
  double common_raw = 0;           // the same, as the formula gives it: may be negative
  [[nodiscard]] double jaccard() const noexcept {
    return either.value <= 0 ? 0 : common / either.value;
  }
  [[nodiscard]] double symmetric_difference() const noexcept {
    const double apart = 2 * either.value - first.value - second.value;
    return apart < 0 ? 0 : apart;
  }
};

// From cardinalities alone, by inclusion-exclusion: for structures whose cells give no better
// estimate of the intersection.
[[nodiscard]] inline overlap overlap_of(const estimate& first, const estimate& second,
                                        const estimate& either) noexcept {
  overlap out{first, second, either};
  out.common_raw = first.value + second.value - either.value;
  out.common = std::clamp(out.common_raw, 0.0, std::min(first.value, second.value));
  return out;
}

}  // namespace umbel
