// parallel.ipp - body of parallel.hpp, with plain POSIX threads: <thread> takes half a second to
// compile.
#pragma once

#include <atomic>
#include <exception>
#include <vector>

#include <pthread.h>

#include <umbel/base/parallel.hpp>

namespace umbel::detail {

struct crew {
  std::size_t pieces;
  piece_of_work work;
  void* context;
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> workers{0};
  std::atomic<bool> failed{false};
  std::exception_ptr failure{};

  void run() noexcept {
    const std::size_t worker = workers.fetch_add(1, std::memory_order_relaxed);
    for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < pieces;) {
      try {
        work(context, i, worker);
      } catch (...) {
        if (!failed.exchange(true)) failure = std::current_exception();
        next.store(pieces, std::memory_order_relaxed);
      }
    }
  }
};

UMBEL_INLINE void run_pieces(std::size_t pieces, unsigned threads, piece_of_work work,
                             void* context) {
  const std::size_t size = crew_size(pieces, threads);
  if (size == 1) {
    for (std::size_t i = 0; i < pieces; ++i) work(context, i, 0);
    return;
  }
  crew all{pieces, work, context};
  std::vector<pthread_t> started;
  started.reserve(size);
  while (started.size() + 1 < size) {
    pthread_t one;
    const auto enter = [](void* self) -> void* { return static_cast<crew*>(self)->run(), nullptr; };
    if (pthread_create(&one, nullptr, enter, &all) != 0) break;  // fewer threads do the same work
    started.push_back(one);
  }
  all.run();
  for (const pthread_t one : started) pthread_join(one, nullptr);
  if (all.failure) std::rethrow_exception(all.failure);
}

}  // namespace umbel::detail
