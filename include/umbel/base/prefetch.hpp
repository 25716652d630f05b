// prefetch.hpp - ask for a cache line now, use it later.
// Limits     To gcc a function that does nothing but fetch has no effect, and it drops the call: inserts into banked filters
//            took four times as long. An empty volatile statement makes it stay.
#pragma once

namespace umbel::detail {

[[gnu::always_inline]] inline void prefetch_read(const void* address) noexcept {
  __builtin_prefetch(address, 0, 3);
  asm volatile("");
}
[[gnu::always_inline]] inline void prefetch_write(const void* address) noexcept {
  __builtin_prefetch(address, 1, 3);
  asm volatile("");
}

}  // namespace umbel::detail
