// prefetch.hpp - ask for a cache line now, use it later.
#pragma once

namespace umbel::detail {

inline void prefetch_read(const void* address) noexcept { __builtin_prefetch(address, 0, 3); }
inline void prefetch_write(const void* address) noexcept { __builtin_prefetch(address, 1, 3); }

}  // namespace umbel::detail
