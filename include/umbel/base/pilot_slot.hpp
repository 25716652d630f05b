// pilot_slot.hpp - the slot a key gets when its bucket has this pilot: what searches, kernels and
// queries share.
// Idea       A bucket's keys must fall on free slots, all different; its pilot is the first number
//            under which they do. So a pilot must move keys apart from each other: it is mixed in
//            before a product, of which the high bits count.
// Invariant  Fixed for ever: stored files depend on it.
#pragma once

#include <cstdint>

namespace umbel::detail {

inline constexpr std::uint32_t pilot_factor = 0x9E3779B1;
inline constexpr std::uint32_t slot_factor = 0x85EBCA6B;

[[nodiscard]] constexpr std::uint32_t pilot_word(std::uint32_t pilot) noexcept {
  return pilot * pilot_factor;
}

// Below `slots`.
[[nodiscard]] constexpr std::uint32_t pilot_slot(std::uint32_t hash, std::uint32_t word,
                                                 std::uint32_t slots) noexcept {
  const std::uint32_t mixed = (hash ^ word) * slot_factor;
  return static_cast<std::uint32_t>(std::uint64_t{mixed} * slots >> 32);
}

}  // namespace umbel::detail
