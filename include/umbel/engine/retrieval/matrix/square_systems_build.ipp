// square_systems_build.ipp - body of square_systems_build.hpp.
#pragma once

#include <umbel/engine/retrieval/matrix/sparse_rows.hpp>
#include <umbel/engine/retrieval/matrix/square_systems.hpp>
#include <umbel/engine/retrieval/matrix/square_systems_build.hpp>
#include <umbel/solve/dense_rows.hpp>
#include <umbel/solve/four_russians.hpp>

namespace umbel::core {

UMBEL_INLINE std::optional<solved_square> solve_square(std::span<const valued> keys,
                                                       std::uint64_t from, std::uint64_t end) {
  const std::uint64_t n = keys.size();
  const unsigned probes = square_systems::probes_for(n);
  solve::four_russians system;
  solved_square out;
  for (out.seed = from; out.seed < end; ++out.seed) {
    system.reset(n, n);
    for (std::size_t i = 0; i < n; ++i) {
      const auto row = system.coefficients(i);
      if (probes == 0) {
        std::uint64_t words[2];
        solve::dense_rows::draw(keys[i].key, out.seed, n, words);
        row[0] = words[0];
      } else {
        for (const std::uint32_t u : core::draw_sparse(keys[i].key, out.seed, probes, n))
          row[u / 64] |= std::uint64_t{1} << u % 64;
      }
      system.right(i) = keys[i].value;
    }
    out.values.assign(n, 0);
    if (system.solve(out.values) && (probes == 0 || system.rank() == n)) return out;
  }
  return std::nullopt;
}

}  // namespace umbel::core
