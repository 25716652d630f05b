// progress.hpp - how far a long work has come, for a person who waits: how many keys, how fast, how
// long still.
// Idea       Only where standard error is a terminal, only after a second, and a few times a
//            second: a script, or work that is soon done, never sees it. What is shown is wiped
//            away before anything else is said.
#pragma once

#include <chrono>
#include <cstdint>

namespace umbel::cli {

class progress {
 public:
  // `bytes` of input in all; 0: nobody knows. One that is not wanted shows nothing.
  progress(bool wanted, std::uint64_t bytes);
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  ~progress() { wipe(); }

  void at(std::uint64_t keys, std::uint64_t bytes);
  void wipe() noexcept;

 private:
  using clock = std::chrono::steady_clock;
  bool wanted_, shown_ = false;
  std::uint64_t all_;
  clock::time_point start_ = clock::now(), next_ = start_ + std::chrono::seconds(1);
};

}  // namespace umbel::cli
