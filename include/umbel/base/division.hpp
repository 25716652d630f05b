// division.hpp - where a key goes when keys are divided by a trial number: what searches, kernels
// and queries share.
// Idea       Keys are divided by the first trial that divides them as wanted, so trials must differ
//            as chance would have it: the number is mixed into a half of the key before a product,
//            and the other half turns the outcome.
// Invariant  Fixed for ever: stored files depend on it.
#pragma once

#include <cstdint>

namespace umbel::detail {

inline constexpr std::uint32_t trial_factor = 0x9E3779B1;
inline constexpr std::uint32_t division_factor = 0x85EBCA6B;

struct divided_key {
  std::uint32_t hash, turn;
  explicit constexpr divided_key(std::uint64_t word) noexcept
      : hash(static_cast<std::uint32_t>(word >> 32)), turn(static_cast<std::uint32_t>(word)) {}
  [[nodiscard]] constexpr std::uint32_t under(std::uint32_t trial) const noexcept {
    return (hash ^ trial * trial_factor) * division_factor + turn;
  }
};

// Of an outcome the place below `size`, at most 2^16. In a leaf the places of some keys are turned
// against those of the others: such trials are had without hashing anew.
[[nodiscard]] constexpr std::uint32_t leaf_place(std::uint32_t outcome,
                                                 std::uint32_t size) noexcept {
  return (outcome >> 16) * size >> 16;
}
[[nodiscard]] constexpr bool is_turned(std::uint32_t turn) noexcept { return (turn & 1) != 0; }

}  // namespace umbel::detail
