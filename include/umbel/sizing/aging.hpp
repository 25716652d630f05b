// sizing/aging.hpp - windows made of two filters: how many recent keys they promise to hold.
// Words      m bits in all, half of them for each filter; k probes; N keys fill one filter by half;
//            eps the rate.
// Source     [CLF04] for double buffering, [Yoo10] for the other; a floor instead of the ceiling in
//            its k would miss eps.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <umbel/base/integers.hpp>

namespace umbel::sizing {

// Both filters answer: each may err at 1 - sqrt(1 - eps). Only one does: at eps.
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
// Bits of one filter that N keys fill by half.
[[nodiscard]] inline std::uint64_t buffer_bits(std::uint64_t room, unsigned k) {
  auto bits = static_cast<std::uint64_t>(std::ceil(static_cast<double>(room) * k / std::log(2.0)));
  while (buffer_room(bits, k) < room) ++bits;
  return bits;
}
// With a mark for each line of 512 bits; and the most bits of a filter that so has this size.
inline constexpr std::uint64_t aging_line = 512;
[[nodiscard]] constexpr std::uint64_t buffer_size(std::uint64_t half) noexcept {
  return half + umbel::detail::ceil_div(half, aging_line);
}
[[nodiscard]] constexpr std::uint64_t buffer_within(std::uint64_t size) noexcept {
  return std::max<std::uint64_t>(1, size - umbel::detail::ceil_div(size, aging_line + 1));
}
// Lines that each insert clears, m/2N words: so a filter is clear after N/64 of them.
[[nodiscard]] constexpr std::uint64_t lines_per_insert(std::uint64_t half,
                                                       std::uint64_t room) noexcept {
  return umbel::detail::ceil_div(half, aging_line / 64 * room);
}
// The most recent keys that are promised to be in: N, or half of that where keys go into both
// filters.
[[nodiscard]] inline std::uint64_t window_for(std::uint64_t room, bool both) {
  return both ? room : room / 2;
}

}  // namespace umbel::sizing
