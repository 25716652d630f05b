// ordered.hpp - processes batches in several threads and emits their results in the order of input.
//
// A thread takes a batch and its number under one lock, works on it alone, and waits until all
// earlier batches are emitted. The output is that of a single thread, up to the first error, and a
// batch that arrives alone is answered at once.
//
// Threads    As many as asked for; fewer if the system does not start more.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace umbel::cli {

// next(state) reads a batch; false: the end. work(state) runs in parallel. emit(state) runs in
// order of the batches; false ends everything. Each thread has its own State. An exception of any
// of them is rethrown after wake(), which makes a thread that waits in `next` return.
template <class State, class Next, class Work, class Emit, class Wake>
void in_order(unsigned threads, Next&& next, Work&& work, Emit&& emit, Wake&& wake) {
  std::mutex reading, writing;
  std::condition_variable turn_came;
  std::uint64_t taken = 0, turn = 0;  // batches
  bool ended = false, stopped = false;
  std::exception_ptr wrong;

  const auto run = [&] {
    for (State mine;;) {
      std::uint64_t number = 0;
      std::exception_ptr trouble;
      {
        const std::lock_guard lock(reading);
        if (ended) return;
        try {
          ended = !next(mine);
        } catch (...) {
          trouble = std::current_exception();
          ended = true;
        }
        if (ended && !trouble) return;
        number = taken++;
      }
      try {
        if (!trouble) work(mine);
      } catch (...) {
        trouble = std::current_exception();
      }
      std::unique_lock lock(writing);
      turn_came.wait(lock, [&] { return turn == number; });
      try {
        if (!stopped && trouble) std::rethrow_exception(trouble);
        if (!stopped && !emit(mine)) stopped = true;
      } catch (...) {
        wrong = std::current_exception();
        stopped = true;
      }
      ++turn;
      turn_came.notify_all();
      if (stopped) return wake();
    }
  };

  std::vector<std::thread> others;
  try {
    for (unsigned i = 1; i < threads; ++i) others.emplace_back(run);
  } catch (const std::system_error&) {
  }
  run();
  for (std::thread& t : others) t.join();
  if (wrong) std::rethrow_exception(wrong);
}

}  // namespace umbel::cli
