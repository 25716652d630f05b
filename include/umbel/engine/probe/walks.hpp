// walks.hpp - the cells of a key, one after another, under any scheme of scheme.hpp.
//
// Idea       Walks modulo m are polynomials in i, so all use one recurrence of differences (x += y,
//            y += z, z += u) with different start values. Schemes that are not a default are
//            compiled once, out of line.
// Limits     Not optimised: `k_probes` has its own code for the two default schemes.
#pragma once

#include <cstdint>

#include <umbel/base/config.hpp>
#include <umbel/engine/probe/scheme.hpp>
#include <umbel/hash/digest.hpp>

namespace umbel::core {

// The parameters of a walk besides the key.
struct walk_shape {
  std::uint64_t cells;
  std::uint64_t probes;
  std::uint64_t salt;
  scheme options;
};

struct walk {
  std::uint64_t x, y, z, u;
};

// Position i is h1 + i h2 + (a term that depends on the scheme), modulo m; h1, h2 and h3 are below
// m.
[[nodiscard]] walk modular_walk(scheme options, std::uint64_t m, std::uint64_t h1, std::uint64_t h2,
                                std::uint64_t h3) noexcept;

[[nodiscard]] walk start_walk(const walk_shape& at, digest d,
                              const detail::remixed& words) noexcept;
[[nodiscard]] std::uint64_t next_cell(const walk_shape& at, walk& w) noexcept;

}  // namespace umbel::core

#if UMBEL_WITH_BODIES
#include <umbel/engine/probe/walks.ipp>
#endif
