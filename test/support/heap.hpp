// heap.hpp - what the heap of the test program is doing: bytes in use, the most there were, and
// failure on order.
// Idea       test/hostile/heap.cpp replaces the global operators new and delete, through which
//            everything in the library goes, the default memory resource included. Counted is what
//            was asked for, not what malloc rounds it to.
#pragma once

#include <atomic>
#include <cstdint>

namespace umbel::test::heap {

inline std::atomic<std::int64_t> in_use = 0;  // bytes
inline std::atomic<std::int64_t> most = 0;    // since the last `watch` began
// counts down; the allocation that reaches 0 fails
inline std::atomic<std::int64_t> until_fail = 0;

// Bytes taken since it was made: now, and at the worst moment.
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
