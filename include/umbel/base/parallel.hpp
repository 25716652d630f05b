// parallel.hpp - numbered pieces of work, shared among as many threads as the caller asked for.
// Idea       Pieces are handed out by a counter, so results must depend on the piece's number, never on its thread.
// Limits     One thread means the calling one: nothing is started. The first exception is thrown again at the end.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace umbel::detail {

template <class Work>
void parallel_for(std::size_t pieces, unsigned threads, Work&& work) {
  if (threads <= 1 || pieces <= 1) {
    for (std::size_t i = 0; i < pieces; ++i) work(i);
    return;
  }
  std::atomic<std::size_t> next = 0;
  std::exception_ptr failure;
  std::mutex failure_lock;
  const auto run = [&] {
    for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < pieces;) {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard hold(failure_lock);
        if (!failure) failure = std::current_exception();
        next.store(pieces, std::memory_order_relaxed);
      }
    }
  };
  {
    std::vector<std::jthread> crew;
    for (std::size_t t = 1; t < threads && t < pieces; ++t) crew.emplace_back(run);
    run();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace umbel::detail
