// level.hpp - run-time dispatch: which implementation of the kernels this process uses.
//
// Every vector kernel has a portable loop with identical results; tests compare them. This file is
// the only place that chooses, once, by the processor's features. UMBEL_KERNELS=portable in the
// environment disables vector code, =avx2 disables AVX-512. A kernel of small operations is a type
// with static functions, written twice; `with_spelling` calls a loop with the type in use.
#pragma once

#include <atomic>
#include <cstdlib>
#include <string_view>

#include <umbel/base/config.hpp>

namespace umbel::cells::kernel {

enum class level { portable, avx2, avx512 };  // each level includes the ones before it

[[nodiscard]] inline level best() noexcept {
#if defined(__x86_64__)
  static const level able = [] {
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi2")) return level::portable;
    const bool wide = __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
                      __builtin_cpu_supports("avx512vpopcntdq");
    return wide ? level::avx512 : level::avx2;
  }();
  return able;
#else
  return level::portable;
#endif
}

namespace choice {
inline level chosen() noexcept {
  const char* const options = std::getenv("UMBEL_KERNELS");
  if (options == nullptr) return best();
  const std::string_view most = options;
  return most == "portable"                       ? level::portable
         : most == "avx2" && best() > level::avx2 ? level::avx2
                                                  : best();
}
// Decided at first use. A local static would check its guard at every call.
inline constexpr level undecided{-1};
inline constinit std::atomic<level> current{undecided};
[[gnu::noinline]] inline level decide() noexcept {
  level none = undecided;
  // use() may have set it already
  current.compare_exchange_strong(none, chosen(), std::memory_order_relaxed);
  return current.load(std::memory_order_relaxed);
}
}  // namespace choice

[[nodiscard]] inline level in_use() noexcept {
  const level now = choice::current.load(std::memory_order_relaxed);
  // compared first: callers that test for avx2 then need one comparison
  if (now >= level::avx2) [[likely]]
    return now;
  return now == choice::undecided ? choice::decide() : now;
}
// Sets the level for later batches, at most best(). For tests and for users who must exclude vector
// code.
inline void use(level options) noexcept {
  choice::current.store(options < best() ? options : best(), std::memory_order_relaxed);
}

// Calls work(ops, given...) with the implementation in use and inlines everything into it; `work`
// takes `auto ops`. Arguments of a single call are passed beside a lambda without captures, so that
// they come in registers.
template <class Ops, class Work, class... Given>
[[UMBEL_FLAT]] auto with_portable(Work&& work, Given... given) noexcept {
  return work(Ops{}, given...);
}
#if defined(__x86_64__)
template <class Ops, class Work, class... Given>
[[gnu::target("avx2,bmi,bmi2,popcnt"), UMBEL_FLAT]] auto with_avx2(Work&& work,
                                                                   Given... given) noexcept {
  return work(Ops{}, given...);
}
#endif
// On processors other than x86-64, `Vector` is the portable type too.
template <class Portable, class Vector, class Work, class... Given>
auto with_spelling(Work&& work, Given... given) noexcept {
#if defined(__x86_64__)
  if (in_use() >= level::avx2) return with_avx2<Vector>(work, given...);
#endif
  return with_portable<Portable>(work, given...);
}

}  // namespace umbel::cells::kernel
