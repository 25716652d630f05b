// sizing/expandable.ipp - bodies of expandable.hpp.
#pragma once

#include <umbel/sizing/expandable.hpp>

#include <algorithm>
#include <cmath>

#include <umbel/sizing/quotient.hpp>

namespace umbel::sizing {
namespace detail {

[[nodiscard]] inline expandable_plan expandable_made(std::uint64_t n, std::uint64_t blocks,
                                                     unsigned length) {
  return {n, blocks, length, quotient_fpr(n, blocks * quotient_block_slots, length),
          expandable_bound(length)};
}
[[nodiscard]] inline std::uint64_t expandable_blocks_for(std::uint64_t n) {
  std::uint64_t blocks = std::max<std::uint64_t>(1, n / quotient_block_slots);
  blocks += blocks / 19;
  while (quotient_room(blocks * quotient_block_slots) < n) ++blocks;
  return blocks;
}
[[nodiscard]] inline unsigned expandable_length_for(double eps) {
  const double length = std::ceil(std::log2(quotient_max_load * expandable_growth / eps) - 1e-9);
  return static_cast<unsigned>(std::clamp<double>(length, 1, expandable_max_length));
}

}  // namespace detail

UMBEL_INLINE double expandable_bound(unsigned length) {
  return std::min(1.0,
                  quotient_max_load * expandable_growth * std::exp2(-static_cast<double>(length)));
}
UMBEL_INLINE expandable_plan plan_expandable_for_rate(std::uint64_t n, double eps) {
  const std::uint64_t blocks = detail::expandable_blocks_for(n);
  return detail::expandable_made(n, blocks, detail::expandable_length_for(eps));
}
UMBEL_INLINE expandable_plan plan_expandable_for_bits(std::uint64_t n, std::uint64_t bits) {
  for (unsigned length = expandable_max_length; length > 1; --length) {
    const std::uint64_t blocks = bits / quotient_block_bits(length + 1);
    if (blocks > 0 && n <= quotient_room(blocks * quotient_block_slots))
      return detail::expandable_made(n, blocks, length);
  }
  const std::uint64_t blocks = std::max<std::uint64_t>(1, bits / quotient_block_bits(2));
  return detail::expandable_made(std::min(n, quotient_room(blocks * quotient_block_slots)), blocks,
                                 1);
}
UMBEL_INLINE expandable_plan expandable_room_for(std::uint64_t bits, double eps) {
  const unsigned length = detail::expandable_length_for(eps);
  const std::uint64_t blocks = std::max<std::uint64_t>(1, bits / quotient_block_bits(length + 1));
  return detail::expandable_made(quotient_room(blocks * quotient_block_slots), blocks, length);
}

}  // namespace umbel::sizing
