// environment.hpp - settings of a test run from the environment.
// Idea       UMBEL_SMALL=1 is set for sanitizer runs: the same tests at smaller n, because a
//            sanitizer looks for bad accesses, not for error rates. RapidCheck's seed is fixed
//            here, so that a failure is reproducible; RC_PARAMS in the environment overrides it.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace umbel::test {

[[nodiscard]] inline bool small() {
  const char* const options = std::getenv("UMBEL_SMALL");
  return options != nullptr && *options != '\0' && std::strcmp(options, "0") != 0;
}
[[nodiscard]] inline std::uint64_t small_or(std::uint64_t in_small_runs, std::uint64_t otherwise) {
  return small() ? in_small_runs : otherwise;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif
#else
inline constexpr bool sanitized = false;
#endif

inline const int rapidcheck_seed = ::setenv(
    "RC_PARAMS", small() ? "seed=1970 max_success=20 max_size=50" : "seed=1970 max_success=100", 0);

}  // namespace umbel::test
