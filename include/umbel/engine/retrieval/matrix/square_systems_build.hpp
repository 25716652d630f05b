// square_systems_build.hpp - finds the seed and the unknowns of one square system [Por09].
//
// The rows of n keys are drawn with one seed after another until their equations have a solution.
// Sparse rows must also be independent, so that there is only one solution. Rows are eliminated by
// the method of four Russians.
//
// Limits     n^3 / 1536 word additions per try, three or four tries on average; n^2 / 8 bytes.
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

// Uses the first seed in [from, end) that has a solution, if any. Keys must be distinct.
[[nodiscard]] std::optional<solved_square> solve_square(std::span<const valued> keys,
                                                        std::uint64_t from, std::uint64_t end);

}  // namespace umbel::core

#if UMBEL_WITH_BODIES
#include <umbel/engine/retrieval/matrix/square_systems_build.ipp>
#endif
