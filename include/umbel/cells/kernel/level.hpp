// level.hpp - which spelling of every kernel this process uses; chosen once, by what the processor
// can do.
// Idea       A vector kernel is a faster spelling of a portable loop, held to the same bits by
//            tests. This is the only place that chooses; UMBEL_KERNELS=portable in the environment
//            switches vectors off, =avx2 the widest. A kernel of small operations is a type of
//            static functions, written twice; `with_spelling` calls a loop with the one in use.
#pragma once

#include <atomic>
#include <cstdlib>
#include <string_view>

#include <umbel/base/config.hpp>

namespace umbel::cells::kernel {

enum class level { portable, avx2, avx512 };  // whoever has one has those before it

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
// Decided when it is first asked for. A local static would have every single call ask for its guard
// as well.
inline constexpr level undecided{-1};
inline constinit std::atomic<level> current{undecided};
[[gnu::noinline]] inline level decide() noexcept {
  level none = undecided;
  // `use` may have come first
  current.compare_exchange_strong(none, chosen(), std::memory_order_relaxed);
  return current.load(std::memory_order_relaxed);
}
}  // namespace choice

[[nodiscard]] inline level in_use() noexcept {
  const level now = choice::current.load(std::memory_order_relaxed);
  if (now >= level::avx2) [[likely]]  // first: then who asks for just that makes one comparison
    return now;
  return now == choice::undecided ? choice::decide() : now;
}
// For tests and for those who must exclude vector code: takes effect for every later batch. Not
// above best().
inline void use(level options) noexcept {
  choice::current.store(options < best() ? options : best(), std::memory_order_relaxed);
}

// work(ops, given...) with the spelling that is in use, all that it calls being inlined into it;
// `work` takes `auto ops`. What a single call needs is given beside a lambda that captures nothing:
// it then comes in registers.
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
// On other processors than x86-64 `Vector` is the portable spelling once more.
template <class Portable, class Vector, class Work, class... Given>
auto with_spelling(Work&& work, Given... given) noexcept {
#if defined(__x86_64__)
  if (in_use() >= level::avx2) return with_avx2<Vector>(work, given...);
#endif
  return with_portable<Portable>(work, given...);
}

}  // namespace umbel::cells::kernel
