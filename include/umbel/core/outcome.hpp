// outcome.hpp - how solving one part of a static structure ended, and how solving all of them did.
// Idea       Parts are solved in parallel, and one that fails decides for all: what cannot be
//            solved is drawn again, keys that repeat are first told apart. So no part is begun
//            after the first failure, and of two failures the worse counts.
#pragma once

#include <atomic>
#include <cstddef>

#include <umbel/base/parallel.hpp>

namespace umbel::core {

enum class outcome { solved, stuck, repeats };  // from good to bad

// The worst of solve(part, worker) for every part, with worker below detail::crew_size.
template <class Solve>
[[nodiscard]] outcome solve_parts(std::size_t parts, unsigned threads, Solve&& solve) {
  std::atomic<outcome> worst = outcome::solved;
  detail::parallel_for(parts, threads, [&](std::size_t part, std::size_t worker) {
    if (worst != outcome::solved) return;
    const outcome mine = solve(part, worker);
    for (outcome seen = worst; seen < mine && !worst.compare_exchange_weak(seen, mine);) {
    }
  });
  return worst;
}

}  // namespace umbel::core
