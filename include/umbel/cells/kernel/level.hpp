// level.hpp - which spelling of every kernel this process uses; chosen once, by what the processor can do.
// Idea       A vector kernel is a faster spelling of a portable loop, held to the same bits by tests. This is the only
//            place that chooses; UMBEL_KERNELS=portable in the environment switches vectors off.
#pragma once

#include <atomic>
#include <cstdlib>
#include <string_view>

namespace umbel::cells::kernel {

enum class level { portable, avx2 };

[[nodiscard]] inline level best() noexcept {
#if defined(__x86_64__)
  static const bool able = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
  if (able) return level::avx2;
#endif
  return level::portable;
}

namespace choice {
inline level chosen() noexcept {
  const char* const wish = std::getenv("UMBEL_KERNELS");
  return wish != nullptr && std::string_view(wish) == "portable" ? level::portable : best();
}
inline std::atomic<level>& current() noexcept {
  static std::atomic<level> value = chosen();
  return value;
}
}  // namespace choice

[[nodiscard]] inline level in_use() noexcept { return choice::current().load(std::memory_order_relaxed); }
// For tests and for those who must exclude vector code: takes effect for every later batch. Not above best().
inline void use(level wish) noexcept {
  choice::current().store(wish < best() ? wish : best(), std::memory_order_relaxed);
}

}  // namespace umbel::cells::kernel
