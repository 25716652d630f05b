// parallel.hpp - runs numbered pieces of work on a given number of threads.
//
// Pieces are handed out by a counter, so results must depend on the piece's number and never on its
// thread.
//
// Limits     With one thread everything runs on the calling thread. The first exception is rethrown
//            at the end.
#pragma once

#include <cstddef>
#include <type_traits>

#include <umbel/base/config.hpp>

namespace umbel::detail {

// Number of threads that will work, including the calling one.
[[nodiscard]] constexpr std::size_t crew_size(std::size_t pieces, unsigned threads) noexcept {
  return threads <= 1 || pieces <= 1 ? 1 : threads < pieces ? threads : pieces;
}

// Calls work(context, i, worker) for every i < pieces, with worker < crew_size().
using piece_of_work = void (*)(void* context, std::size_t i, std::size_t worker);
void run_pieces(std::size_t pieces, unsigned threads, piece_of_work work, void* context);

// Calls work(i), or work(i, worker) for callers with scratch memory per thread.
template <class Work>
void parallel_for(std::size_t pieces, unsigned threads, Work&& work) {
  run_pieces(
      pieces, threads,
      [](void* context, std::size_t i, [[maybe_unused]] std::size_t worker) {
    auto& todo = *static_cast<std::remove_reference_t<Work>*>(context);
    if constexpr (std::is_invocable_v<Work&, std::size_t, std::size_t>)
      todo(i, worker);
    else
      todo(i);
      },
      const_cast<void*>(static_cast<const void*>(&work)));
}

}  // namespace umbel::detail

#if UMBEL_WITH_BODIES
#include <umbel/base/parallel.ipp>
#endif
