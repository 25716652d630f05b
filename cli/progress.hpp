// progress.hpp - progress of a long command on the terminal: keys so far, keys per second, time
// left.
//
// Shown only where standard error is a terminal, after a second, and a few times a second, so
// scripts and short commands never see it. It is erased before anything else is printed.
#pragma once

#include <chrono>
#include <cstdint>

namespace umbel::cli {

class progress {
 public:
  // `bytes`: size of the whole input; 0: unknown. If not wanted, nothing is shown.
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
