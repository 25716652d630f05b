// keys.hpp - what the counted structures hold and what they are asked: integers drawn by a
// bijection, so that members and others are disjoint.
#pragma once

#include <cstdint>
#include <vector>

#include <umbel/base/integers.hpp>

namespace umbel::instructions {

inline constexpr std::uint64_t stored = 10'000;  // in the cache: counts do not depend on it
inline constexpr std::uint64_t asked = 1'000;

[[nodiscard]] inline std::vector<std::uint64_t> keys(std::uint64_t count, std::uint64_t first) {
  std::vector<std::uint64_t> out(count);
  for (std::uint64_t i = 0; i < count; ++i) out[i] = detail::mix64(first + i);
  return out;
}
[[nodiscard]] inline std::vector<std::uint64_t> members(std::uint64_t count) {
  return keys(count, 1);
}
[[nodiscard]] inline std::vector<std::uint64_t> others(std::uint64_t count) {
  return keys(count, std::uint64_t{1} << 40);
}

}  // namespace umbel::instructions
