// fnv.hpp - the 64-bit FNV-1 hash of a key, as one digest: for filters of programs that use it.
// Limits     A multiplication for each byte, and keys that collide are easily found: never against
//            keys somebody chooses.
// Source     [FNV19]
#pragma once

#include <cstddef>

#include <umbel/base/config.hpp>
#include <umbel/hash/digest.hpp>

namespace umbel::detail {

// FNV-1 (multiply, then XOR) fills `hi`, which is all that those filters look at; `lo` follows from
// it.
[[nodiscard]] digest fnv_digest(const void* bytes, std::size_t size) noexcept;

}  // namespace umbel::detail

#if UMBEL_WITH_BODIES
#include <umbel/hash/fnv.ipp>
#endif
