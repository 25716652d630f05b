// sizing/quotient.ipp - bodies of quotient.hpp.
#pragma once

#include <umbel/sizing/quotient.hpp>

#include <algorithm>
#include <cmath>

namespace umbel::sizing {
namespace detail {

[[nodiscard]] inline std::uint64_t quotient_keys_in(std::uint64_t blocks, double load) {
  const std::uint64_t slots = blocks * quotient_block_slots;
  return std::min(static_cast<std::uint64_t>(load * static_cast<double>(slots)),
                  quotient_room(slots));
}
[[nodiscard]] inline double quotient_fingerprints(std::uint64_t blocks, unsigned r) {
  return static_cast<double>(blocks * quotient_block_slots) * std::exp2(r);
}
// one block of slots this wide reaches the maximal M
inline constexpr unsigned quotient_max_width = 54;

}  // namespace detail

UMBEL_INLINE double quotient_fpr(std::uint64_t n, std::uint64_t slots, unsigned r) {
  const double all = static_cast<double>(slots) * std::exp2(r);
  return n == 0 ? 0 : -std::expm1(static_cast<double>(n) * std::log1p(-1 / all));
}

UMBEL_INLINE quotient_plan plan_quotient_for_rate(std::uint64_t n, double eps, double load,
                                                  unsigned beside) {
  const auto size = [&](std::uint64_t blocks, unsigned r) {
    return static_cast<double>(blocks) * static_cast<double>(quotient_block_bits(r) + beside);
  };
  const std::uint64_t keys = std::max<std::uint64_t>(n, 1);
  auto least = static_cast<std::uint64_t>(static_cast<double>(keys) / load / quotient_block_slots);
  while (detail::quotient_keys_in(least, load) < keys) ++least;
  // needed M, up to a second-order term
  const double all = -static_cast<double>(keys) / std::log1p(-eps);
  quotient_plan best{n, least, 0, 1}, finest = best;
  for (unsigned r = 1; r <= detail::quotient_max_width; ++r) {
    if (detail::quotient_fingerprints(least, r) > quotient_max_fingerprints) break;
    finest = {n, least, r, quotient_fpr(n, least * quotient_block_slots, r)};
    const double options = all / (std::exp2(r) * quotient_block_slots);
    if (options > 0x1p50) continue;
    std::uint64_t blocks = std::max(least, static_cast<std::uint64_t>(options));
    while (quotient_fpr(keys, blocks * quotient_block_slots, r) > eps) ++blocks;
    if (detail::quotient_fingerprints(blocks, r) > quotient_max_fingerprints) continue;
    if (best.width == 0 || size(blocks, r) < size(best.blocks, best.width))
      best = {n, blocks, r, quotient_fpr(n, blocks * quotient_block_slots, r)};
    if (blocks == least) break;  // wider slots only cost more
  }
  return best.width != 0 ? best : finest;
}

UMBEL_INLINE quotient_plan plan_quotient_for_bits(std::uint64_t n, std::uint64_t bits, double load,
                                                  unsigned beside) {
  const std::uint64_t most = std::max<std::uint64_t>(1, bits / (quotient_block_bits(1) + beside));
  const std::uint64_t keys = std::min(n, detail::quotient_keys_in(most, load));
  quotient_plan best{keys, most, 1, quotient_fpr(keys, most * quotient_block_slots, 1)};
  for (unsigned r = 2; r <= detail::quotient_max_width; ++r) {
    const std::uint64_t blocks = bits / (quotient_block_bits(r) + beside);
    if (blocks == 0 || n > detail::quotient_keys_in(blocks, load) ||
        detail::quotient_fingerprints(blocks, r) > quotient_max_fingerprints)
      break;
    if (const double fpr = quotient_fpr(n, blocks * quotient_block_slots, r); fpr < best.fpr)
      best = {n, blocks, r, fpr};
  }
  return best;
}

UMBEL_INLINE quotient_plan quotient_room_for(std::uint64_t bits, double eps, double load,
                                             unsigned beside) {
  quotient_plan best{0, 0, 0, 1};
  for (unsigned r = 1; r <= detail::quotient_max_width; ++r) {
    const std::uint64_t blocks =
        std::max<std::uint64_t>(1, bits / (quotient_block_bits(r) + beside));
    const std::uint64_t slots = blocks * quotient_block_slots;
    const double all = detail::quotient_fingerprints(blocks, r);
    if (all > quotient_max_fingerprints) break;
    const double most = std::floor(std::log1p(-eps) / std::log1p(-1 / all) * (1 + 1e-12));
    const auto keys = std::min(static_cast<std::uint64_t>(std::min(most, 0x1p62)),
                               detail::quotient_keys_in(blocks, load));
    if (best.width == 0 || keys > best.keys) best = {keys, blocks, r, quotient_fpr(keys, slots, r)};
  }
  return best;
}

}  // namespace umbel::sizing
