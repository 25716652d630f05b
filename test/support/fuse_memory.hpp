// fuse_memory.hpp - peak memory of a piece of work, measured in a child process.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>

#include <malloc.h>
#include <sys/mman.h>

#include "support/child.hpp"

namespace fuse_test {

// A line of /proc/self/status, in bytes; 0 if there is none.
[[nodiscard]] inline std::uint64_t status_bytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind(name + ":", 0) == 0) return std::stoull(line.substr(name.size() + 1)) * 1024;
  return 0;
}

// Peak resident bytes of `work(input)` beyond what `prepare()` left resident and beyond its result,
// whose size in bytes it returns; measured in a child; none if the child failed.
template <class Prepare, class Work>
[[nodiscard]] std::optional<std::uint64_t> peak_bytes(Prepare&& prepare, Work&& work) {
  void* const shared = ::mmap(nullptr, sizeof(std::uint64_t), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* const answer = static_cast<std::uint64_t*>(shared);
  const auto ended = umbel::test::in_child(600, [&] {
    const auto input = prepare();
    // Free heap memory of earlier tests would hide the growth.
    ::malloc_trim(0);
    std::ofstream("/proc/self/clear_refs") << "5";  // the high-water mark starts again from here
    const auto before = status_bytes("VmRSS");
    const std::uint64_t result = work(input);
    const std::uint64_t peak = status_bytes("VmHWM") - before;
    *answer = peak - std::min(peak, result);
    return 0;
  });
  const std::uint64_t out = *answer;
  ::munmap(shared, sizeof(std::uint64_t));
  if (ended != umbel::test::success) return std::nullopt;
  return out;
}

}  // namespace fuse_test
