// square_systems_build.hpp - finds the seed and the unknowns of one square system.
//
// The rows of n keys are drawn under one seed after another until their equations have a solution:
// with sparse rows only if they are independent, so that the solution is the only one. They are
// eliminated by the method of four Russians.
//
// Limits     n^3 / 1536 word additions a try, three or four tries on average; n^2 / 8 bytes.
// Threads    One.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <umbel/base/config.hpp>
#include <umbel/core/spool.hpp>

namespace umbel::core {

struct solved_square {
  std::uint64_t seed = 0;
  std::vector<std::uint64_t> values;  // of the unknowns, as many as keys
};

// Under the first seed in [from, end) that has a solution, if there is one. Keys must be distinct.
[[nodiscard]] std::optional<solved_square> solve_square(std::span<const valued> keys,
                                                        std::uint64_t from, std::uint64_t end);

}  // namespace umbel::core

#if UMBEL_WITH_BODIES
#include <umbel/engine/retrieval/matrix/square_systems_build.ipp>
#endif
