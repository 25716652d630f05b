// crossing.hpp - the smallest size that is enough, where what is missing falls as the size grows:
// behind plans for a rate.
// Idea       A rate is nearly a power of the size, so its logarithm is nearly a line over the
//            size's: where the line between two sizes crosses zero is a good guess. That is regula
//            falsi; half the value of an end that stays (the Illinois form) keeps it from staying
//            for long, and every fourth step is a bisection, so that it ends even where sums that
//            cancel are noise.
#pragma once

#include <algorithm>
#include <cmath>

namespace umbel::sizing {

// The smallest whole size above `low` and up to `high` of which excess(size) is not above 0, or one
// that is larger by less than `precision` of itself; `high` where none is. `low`, above 0, is known
// to be too small.
template <class Excess>
[[nodiscard]] double smallest_enough(double low, double high, double precision, Excess&& excess) {
  double above = excess(low), below = excess(high);
  for (unsigned step = 0, side = 0; below <= 0 && high - low > std::max(1.0, high * precision);
       ++step) {
    const double share = step % 4 == 3 ? 0.5 : above / (above - below);
    const double middle =
        std::clamp(std::floor(low * std::pow(high / low, share)), std::floor(low) + 1, high - 1);
    const double found = excess(middle);
    if (found > 0) {
      low = middle, above = found;
      if (side == 1) below /= 2;
      side = 1;
    } else {
      high = middle, below = found;
      if (side == 2) above /= 2;
      side = 2;
    }
  }
  return high;
}

// excess of a rate over the one that is wanted; finite also where nothing is left of it.
[[nodiscard]] inline double rate_excess(double rate, double wanted) {
  return std::log(std::max(rate, 1e-300) / wanted);
}

}  // namespace umbel::sizing
