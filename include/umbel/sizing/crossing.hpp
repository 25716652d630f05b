// crossing.hpp - root search by regula falsi (Illinois method): the smallest size whose rate is low
// enough.
//
// Rates are nearly powers of the size, so log rate is nearly linear in log size. The zero of the
// line between two sizes is therefore a good guess. The Illinois method halves the value at an
// endpoint that is kept twice, so no endpoint is kept for long. Every fourth step is a bisection,
// so the search ends even if cancellation makes the values noisy.
#pragma once

#include <algorithm>
#include <cmath>

namespace umbel::sizing {

// The smallest integer size in (low, high] with excess(size) <= 0, or one larger by a relative
// error below `precision`; `high` if there is none. Requires low > 0 and excess(low) > 0.
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

// log(rate / wanted); finite even if rate is 0.
[[nodiscard]] inline double rate_excess(double rate, double wanted) {
  return std::log(std::max(rate, 1e-300) / wanted);
}

}  // namespace umbel::sizing
