// heap.hpp - the heap of the test program: bytes in use, their maximum, and failure on demand.
// Idea       test/hostile/heap.cpp replaces the global operators new and delete, through which
//            everything in the library allocates, the default memory resource included. It counts
//            the bytes asked for, not those that malloc rounds to.
#pragma once

#include <atomic>
#include <cstdint>

namespace umbel::test::heap {

inline std::atomic<std::int64_t> in_use = 0;  // bytes
inline std::atomic<std::int64_t> most = 0;    // since the last `watch` began
// Counts down; the allocation that reaches 0 fails.
inline std::atomic<std::int64_t> until_fail = 0;

// Bytes allocated since it was made: now, and at most.
class watch {
 public:
  watch() : start_(in_use.load()) { most = start_; }
  [[nodiscard]] std::int64_t now() const noexcept { return in_use - start_; }
  [[nodiscard]] std::int64_t peak() const noexcept { return most - start_; }

 private:
  std::int64_t start_;
};

// While it lives, the n-th allocation from now on (n from 1) throws std::bad_alloc; the others
// succeed.
class failure {
 public:
  explicit failure(std::int64_t nth) { until_fail = nth; }
  failure(const failure&) = delete;
  failure& operator=(const failure&) = delete;
  ~failure() { until_fail = 0; }
  [[nodiscard]] bool happened() const noexcept { return until_fail <= 0; }
};

}  // namespace umbel::test::heap
