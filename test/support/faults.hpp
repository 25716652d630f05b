// faults.hpp - system calls that fail on order: the n-th one, with the error asked for.
// Idea       test/hostile/faults.cpp defines write, fsync, rename and the others itself; a
//            program's own definitions come before those of the C library, so the library under
//            test, linked in statically, calls these. No preloading.
// Threads    Orders are per thread: other threads of the program are left alone.
#pragma once

#include <string>

namespace umbel::test {

// While it lives, the n-th system call (n from 1) of this thread among those below goes wrong.
//   mkstemp open fstat pread pwrite write fsync close rename
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
