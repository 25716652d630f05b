// md5.hpp - MD5 [Riv92]: for filters of other programs that use it.
//
// Limits     Broken as a cryptographic hash, and slow: new filters should not use it.
#pragma once

#include <cstddef>

#include <umbel/base/config.hpp>
#include <umbel/hash/digest.hpp>

namespace umbel::detail {

// The 16 bytes of the digest, read as two big-endian words.
[[nodiscard]] digest md5_digest(const void* bytes, std::size_t size) noexcept;

}  // namespace umbel::detail

#if UMBEL_WITH_BODIES
#include <umbel/hash/md5.ipp>
#endif
