// parallel.hpp - numbered pieces of work, shared among as many threads as the caller asked for.
// Idea       Pieces are handed out by a counter, so results must depend on the piece's number, never on its thread.
// Limits     One thread means the calling one: nothing is started. The first exception is thrown again at the end.
#pragma once

#include <cstddef>
#include <type_traits>

#include <umbel/base/config.hpp>

namespace umbel::detail {

// work(context, i) for every i below `pieces`.
void run_pieces(std::size_t pieces, unsigned threads, void (*work)(void*, std::size_t), void* context);

template <class Work>
void parallel_for(std::size_t pieces, unsigned threads, Work&& work) {
  run_pieces(
      pieces, threads, [](void* context, std::size_t i) { (*static_cast<std::remove_reference_t<Work>*>(context))(i); },
      const_cast<void*>(static_cast<const void*>(&work)));
}

}  // namespace umbel::detail

#if UMBEL_WITH_BODIES
#include <umbel/base/parallel.ipp>
#endif
