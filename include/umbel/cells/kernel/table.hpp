// table.hpp - which spelling of each kernel this process uses; chosen once, by what the processor can do.
// Idea       A vector kernel is a faster spelling of a portable function, held to the same bits by tests. This is the
//            only place that chooses; UMBEL_KERNELS=portable in the environment switches vectors off.
#pragma once

#include <atomic>
#include <cstdlib>
#include <string_view>

#include <umbel/cells/kernel/split_block.hpp>

namespace umbel::cells::kernel {

struct table {
  std::string_view name;
  const split_block& blocks;
};

[[nodiscard]] inline const table& portable_table() noexcept {
  static const table all{"portable", portable_split_block()};
  return all;
}

[[nodiscard]] inline const table& best_table() noexcept {
#if defined(__x86_64__)
  static const table vector{"avx2", avx2_split_block()};
  static const bool able = __builtin_cpu_supports("avx2");
  if (able) return vector;
#endif
  return portable_table();
}

namespace detail {
inline const table* chosen() noexcept {
  const char* const wish = std::getenv("UMBEL_KERNELS");
  return wish != nullptr && std::string_view(wish) == "portable" ? &portable_table() : &best_table();
}
inline std::atomic<const table*>& current() noexcept {
  static std::atomic<const table*> pointer = chosen();
  return pointer;
}
}  // namespace detail

[[nodiscard]] inline const table& in_use() noexcept { return *detail::current().load(std::memory_order_relaxed); }
// For tests and for those who must exclude vector code: takes effect for every later batch.
inline void use(const table& kernels) noexcept { detail::current().store(&kernels, std::memory_order_relaxed); }

}  // namespace umbel::cells::kernel
