// division.hpp - RecSplit hash function [EGV20]: where a seed (`trial`) sends a key; shared by
// search, kernels and queries.
//
// The search takes the first seed that splits the keys as prescribed, so seeds must behave
// independently. The seed is mixed into one half of the key before a multiplication, and the other
// half of the key is added to the result.
//
// Invariant  Never changes: stored files depend on it.
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

// The place of an outcome in a leaf of `size` keys, at most 2^16. In a leaf, the places of some
// keys are rotated against those of the others [BKLS23]: this gives more candidates without hashing
// again.
[[nodiscard]] constexpr std::uint32_t leaf_place(std::uint32_t outcome,
                                                 std::uint32_t size) noexcept {
  return (outcome >> 16) * size >> 16;
}
[[nodiscard]] constexpr bool is_turned(std::uint32_t turn) noexcept { return (turn & 1) != 0; }

}  // namespace umbel::detail
