// fnv.hpp - the 64-bit FNV-1 hash [FNV19] as a digest: for filters of other programs that use it.
//
// Limits     One multiplication per byte. Collisions are easy to find: never for keys chosen by an
//            adversary.
#pragma once

#include <cstddef>

#include <umbel/base/config.hpp>
#include <umbel/hash/digest.hpp>

namespace umbel::detail {

// FNV-1 (multiply, then XOR) is `hi`, the only half those filters use. `lo` is computed from it.
[[nodiscard]] digest fnv_digest(const void* bytes, std::size_t size) noexcept;

}  // namespace umbel::detail

#if UMBEL_WITH_BODIES
#include <umbel/hash/fnv.ipp>
#endif
