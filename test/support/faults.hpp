// faults.hpp - system calls that fail on demand: the n-th call, with a given error.
// Idea       test/hostile/faults.cpp defines write, fsync, rename and the others. A program's own
//            definitions take precedence over those of the C library, so the library under test,
//            linked in statically, calls these. No preloading.
// Threads    Faults are per thread: other threads of the program are not affected.
#pragma once

#include <string>

namespace umbel::test {

// While it lives, the n-th of these system calls of this thread (n from 1) fails: mkstemp open
// fstat pread pwrite write fsync close rename.
class fault {
 public:
  enum class kind {
    error,         // it fails with `code`; a close still closes
    short_count,   // reads and writes move one byte only; others are left alone
    end_of_file,   // reads find the end; others are left alone
    interruption,  // reads and writes fail once with EINTR; others are left alone
  };
  explicit fault(int nth, kind how, int code = 0);
  fault(const fault&) = delete;
  fault& operator=(const fault&) = delete;
  ~fault();

  [[nodiscard]] bool happened() const;
  [[nodiscard]] std::string call() const;  // which one went wrong
};

}  // namespace umbel::test
