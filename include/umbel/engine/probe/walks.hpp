// walks.hpp - a key's cells, one after another, under any scheme.
// Idea       Walks modulo m are polynomials in i, so all are one recurrence of differences (x += y,
//            y += z, z += u) with other starting values. What is not for use in earnest is compiled
//            once, out of line.
// Limits     Correct before fast: `k_probes` runs the two schemes for use by itself.
#pragma once

#include <cstdint>

#include <umbel/base/config.hpp>
#include <umbel/engine/probe/scheme.hpp>
#include <umbel/hash/digest.hpp>

namespace umbel::core {

// What a walk depends on beside the key.
struct walk_shape {
  std::uint64_t cells;
  std::uint64_t probes;
  std::uint64_t salt;
  scheme options;
};

struct walk {
  std::uint64_t x, y, z, u;
};

// Position i is h1 + i h2 + (what the scheme adds), all modulo m; h1, h2 and h3 are below m.
[[nodiscard]] walk modular_walk(scheme options, std::uint64_t m, std::uint64_t h1, std::uint64_t h2,
                                std::uint64_t h3) noexcept;

[[nodiscard]] walk start_walk(const walk_shape& at, digest d,
                              const detail::remixed& words) noexcept;
[[nodiscard]] std::uint64_t next_cell(const walk_shape& at, walk& w) noexcept;

}  // namespace umbel::core

#if UMBEL_WITH_BODIES
#include <umbel/engine/probe/walks.ipp>
#endif
