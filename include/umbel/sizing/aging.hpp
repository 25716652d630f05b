// sizing/aging.hpp - sizes and windows of two-filter (double-buffered) Bloom filters [CLF04],
// [Yoo10].
//
// Symbols    m bits in all, half of them per filter; k probes; N keys fill one filter to one half;
//            eps the false positive rate.
// Source     [CLF04] for double buffering, [Yoo10] for active-active buffering. The floor in its
//            formula for k would miss eps, so k is rounded up here.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <umbel/base/integers.hpp>

namespace umbel::sizing {

// False positive rate of each filter: 1 - sqrt(1 - eps) if both are queried, eps if only one is.
[[nodiscard]] inline double buffer_rate(double eps, bool both) {
  return both ? eps / (1 + std::sqrt(1 - eps)) : eps;
}
[[nodiscard]] inline unsigned aging_probes(double eps, bool both) {
  const double bits = -std::log2(buffer_rate(eps, both));
  return bits <= 1 ? 1 : static_cast<unsigned>(std::ceil(bits * (1 - 1e-14)));
}
// N = floor(m/2 ln 2 / k) keys of one filter of m/2 bits.
[[nodiscard]] inline std::uint64_t buffer_room(std::uint64_t half, unsigned k) {
  return static_cast<std::uint64_t>(static_cast<double>(half) * std::log(2.0) / k * (1 + 1e-14));
}
// Bits of one filter that N keys fill to one half.
[[nodiscard]] inline std::uint64_t buffer_bits(std::uint64_t room, unsigned k) {
  auto bits = static_cast<std::uint64_t>(std::ceil(static_cast<double>(room) * k / std::log(2.0)));
  while (buffer_room(bits, k) < room) ++bits;
  return bits;
}
// Size of one filter with one mark per cache line of 512 bits; and the largest filter that fits
// such a size.
inline constexpr std::uint64_t aging_line = 512;
[[nodiscard]] constexpr std::uint64_t buffer_size(std::uint64_t half) noexcept {
  return half + umbel::detail::ceil_div(half, aging_line);
}
[[nodiscard]] constexpr std::uint64_t buffer_within(std::uint64_t size) noexcept {
  return std::max<std::uint64_t>(1, size - umbel::detail::ceil_div(size, aging_line + 1));
}
// Cache lines that each insert clears: m/2N words. A filter is clear after N/64 inserts.
[[nodiscard]] constexpr std::uint64_t lines_per_insert(std::uint64_t half,
                                                       std::uint64_t room) noexcept {
  return umbel::detail::ceil_div(half, aging_line / 64 * room);
}
// How many of the most recent keys are guaranteed to be found: N, or N/2 if keys go into both
// filters.
[[nodiscard]] inline std::uint64_t window_for(std::uint64_t room, bool both) {
  return both ? room : room / 2;
}

}  // namespace umbel::sizing
