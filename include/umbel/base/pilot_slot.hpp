// pilot_slot.hpp - PTHash slot function [PT21], [GK25]: the slot of a key under its bucket's pilot;
// shared by search, kernels and queries.
//
// The keys of a bucket must fall on free and distinct slots; the pilot is the first number for
// which they do. So a pilot must move keys independently of each other: it is mixed in before a
// multiplication, of which the high bits are used.
//
// Invariant  Never changes: stored files depend on it.
#pragma once

#include <cstdint>

namespace umbel::detail {

inline constexpr std::uint32_t pilot_factor = 0x9E3779B1;
inline constexpr std::uint32_t slot_factor = 0x85EBCA6B;

[[nodiscard]] constexpr std::uint32_t pilot_word(std::uint32_t pilot) noexcept {
  return pilot * pilot_factor;
}

// The result is below `slots`.
[[nodiscard]] constexpr std::uint32_t pilot_slot(std::uint32_t hash, std::uint32_t word,
                                                 std::uint32_t slots) noexcept {
  const std::uint32_t mixed = (hash ^ word) * slot_factor;
  return static_cast<std::uint32_t>(std::uint64_t{mixed} * slots >> 32);
}

}  // namespace umbel::detail
