// outcome.hpp - the outcome of solving one part of a static structure, and of solving all parts.
//
// Idea       Parts are solved in parallel, and one failure fails the whole attempt: if a part is
//            stuck, the build tries again with another seed; if keys repeat, it first drops the
//            duplicates. So no part is started after the first failure. Of several failures the
//            worst is returned.
#pragma once

#include <atomic>
#include <cstddef>

#include <umbel/base/parallel.hpp>

namespace umbel::core {

enum class outcome { solved, stuck, repeats };  // from good to bad

// The worst of solve(part, worker) over all parts; worker is below detail::crew_size.
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
