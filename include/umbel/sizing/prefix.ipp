// sizing/prefix.ipp - bodies of prefix.hpp.
#pragma once

#include <umbel/sizing/prefix.hpp>

#include <algorithm>
#include <cmath>

#include <umbel/sizing/blocked.hpp>

namespace umbel::sizing {

namespace prefix_detail {
// n / (0.95 c), rounded up; 0.95 c = 95/4.
inline std::uint64_t min_pockets(std::uint64_t n) {
  return std::max<std::uint64_t>(1, n / 95 * 4 + (n % 95 * 4 + 94) / 95);
}
inline double load_of(std::uint64_t n, std::uint64_t pockets) {
  return static_cast<double>(n) / (static_cast<double>(pockets) * prefix_pocket_values);
}
}  // namespace prefix_detail

UMBEL_INLINE double prefix_overflow_share(double load) {
  if (load <= 0) return 0;
  const double mean = load * prefix_pocket_values;
  return poisson_average(mean, [](double i) { return std::max(0.0, i - prefix_pocket_values); }) /
         mean;
}
UMBEL_INLINE double prefix_spare_queries(double load) {
  if (load <= 0) return 0;
  return poisson_average(load * prefix_pocket_values, [](double i) {
    return i > prefix_pocket_values ? 1 - prefix_pocket_values / (i + 1) : 0;
  });
}
UMBEL_INLINE std::uint64_t prefix_spare_blocks(std::uint64_t n, std::uint64_t pockets) {
  const double keys =
      static_cast<double>(n) * prefix_overflow_share(prefix_detail::load_of(n, pockets));
  return std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(
             std::ceil(keys * prefix_spare_slack * prefix_spare_bits / prefix_spare.bits())));
}
UMBEL_INLINE double prefix_fpr(std::uint64_t n, std::uint64_t pockets, std::uint64_t spare_blocks) {
  if (n == 0) return 0;
  const double load = prefix_detail::load_of(n, pockets);
  const double own =
      -std::expm1(static_cast<double>(n) *
                  std::log1p(-1 / (static_cast<double>(pockets) * prefix_value_range)));
  const double in_spare = static_cast<double>(n) * prefix_overflow_share(load);
  if (in_spare < 1e-9) return own;
  const double each = static_cast<double>(spare_blocks) * prefix_spare.bits() / in_spare;
  return own + (1 - own) * prefix_spare_queries(load) * block_fpr(prefix_spare, each);
}

UMBEL_INLINE prefix_plan plan_prefix_for_rate(std::uint64_t n, double eps) {
  const auto with = [&](std::uint64_t pockets) {
    const std::uint64_t blocks = prefix_spare_blocks(n, pockets);
    return prefix_plan{n, pockets, blocks, prefix_fpr(n, pockets, blocks)};
  };
  std::uint64_t low = prefix_detail::min_pockets(n);
  const prefix_plan least = with(low);
  if (least.fpr <= eps) return least;
  std::uint64_t high = std::max(
      low, static_cast<std::uint64_t>(static_cast<double>(low) * prefix_load / prefix_least_load));
  if (const prefix_plan best = with(high); best.fpr > eps) return best;
  // the rate falls with the number of pockets: rounding of the spare's blocks loses less than a
  // pocket gains
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (with(middle).fpr <= eps ? high : low) = middle;
  }
  return with(high);
}

UMBEL_INLINE prefix_plan plan_prefix_for_bits(std::uint64_t n, std::uint64_t bits) {
  const std::uint64_t total = std::max<std::uint64_t>(2, bits / prefix_pocket_bits);
  // keys of the spare per pocket
  const double keys_in_spare =
      prefix_overflow_share(prefix_load) * prefix_load * prefix_pocket_values;
  const double blocks =
      keys_in_spare * prefix_spare_slack * prefix_spare_bits / prefix_spare.bits();
  std::uint64_t spare = std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(std::ceil(static_cast<double>(total) * blocks / (1 + blocks))));
  // Below load 0.95, blocks that the spare does not need are better used as pockets.
  for (std::uint64_t least = 1; least < spare;) {
    const std::uint64_t middle = least + (spare - least) / 2;
    if (prefix_spare_blocks(n, total - middle) <= middle)
      spare = middle;
    else
      least = middle + 1;
  }
  return {n, total - spare, spare, prefix_fpr(n, total - spare, spare)};
}

UMBEL_INLINE prefix_plan prefix_room_for(std::uint64_t bits, double eps) {
  const std::uint64_t total = std::max<std::uint64_t>(2, bits / prefix_pocket_bits);
  std::uint64_t low = (total - 1) * prefix_pocket_values / 2, high = total * prefix_pocket_values;
  prefix_plan best = plan_prefix_for_bits(low, bits);
  if (best.fpr > eps) return best;
  const auto holds = [&](std::uint64_t n) {
    const prefix_plan made = plan_prefix_for_rate(n, eps);
    if (made.fpr > eps || made.pockets + made.spare_blocks > total) return false;
    best = {n, made.pockets, total - made.pockets,
            prefix_fpr(n, made.pockets, total - made.pockets)};
    return true;
  };
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (holds(middle) ? low : high) = middle;
  }
  // Pockets and blocks are rounded separately, so a few more keys may fit in the same total.
  for (std::uint64_t more = prefix_pocket_values; more > 0 && !holds(low + more); --more) {
  }
  return best;
}

}  // namespace umbel::sizing
