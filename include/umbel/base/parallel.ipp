// parallel.ipp - body of parallel.hpp. Plain POSIX threads: <thread> alone takes half a second to compile.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <vector>

#include <pthread.h>

#include <umbel/base/parallel.hpp>

namespace umbel::detail {

struct crew {
  std::size_t pieces;
  void (*work)(void*, std::size_t);
  void* context;
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  std::exception_ptr failure{};

  void run() noexcept {
    for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < pieces;) {
      try {
        work(context, i);
      } catch (...) {
        if (!failed.exchange(true)) failure = std::current_exception();
        next.store(pieces, std::memory_order_relaxed);
      }
    }
  }
};

UMBEL_INLINE void run_pieces(std::size_t pieces, unsigned threads, void (*work)(void*, std::size_t), void* context) {
  if (threads <= 1 || pieces <= 1) {
    for (std::size_t i = 0; i < pieces; ++i) work(context, i);
    return;
  }
  crew all{pieces, work, context};
  std::vector<pthread_t> started;
  started.reserve(std::min<std::size_t>(threads, pieces));
  for (std::size_t t = 1; t < threads && t < pieces; ++t) {
    pthread_t one;
    const auto enter = [](void* self) -> void* { return static_cast<crew*>(self)->run(), nullptr; };
    if (pthread_create(&one, nullptr, enter, &all) != 0) break;  // fewer hands, the same work
    started.push_back(one);
  }
  all.run();
  for (const pthread_t one : started) pthread_join(one, nullptr);
  if (all.failure) std::rethrow_exception(all.failure);
}

}  // namespace umbel::detail
