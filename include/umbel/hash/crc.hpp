// crc.hpp - CRC-32 and CRC-32C of a key as one digest: checksums that programs and hardware share.
//
// Limits     Linear over GF(2): keys that differ in a fixed pattern can collide, and collisions are
//            easy to construct. Only for filters that must agree with such hardware, never for keys
//            chosen by an adversary.
// Source     [BM04] sec. 2.1, [TRL12] sec. II-C
#pragma once

#include <cstddef>

#include <umbel/base/config.hpp>
#include <umbel/hash/digest.hpp>

namespace umbel::detail {

// CRC-32 (polynomial EDB88320, reflected) is the upper half of hi, CRC-32C (82F63B78) that of lo;
// the other CRC is the lower half. Shards and buckets use the top bits.
[[nodiscard]] digest crc_digest(const void* bytes, std::size_t size) noexcept;

}  // namespace umbel::detail

#if UMBEL_WITH_BODIES
#include <umbel/hash/crc.ipp>
#endif
