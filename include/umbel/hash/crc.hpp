// crc.hpp - CRC-32 and CRC-32C of a key, as one digest: the simplest hash that programs and
// hardware share.
// Limits     Linear over GF(2): keys that differ in a pattern collide in a pattern, and anybody can
//            make them. For filters that must agree with such hardware; never against keys somebody
//            chooses.
// Source     [BM04] sec. 2.1, [TRL12] sec. II-C
#pragma once

#include <cstddef>

#include <umbel/base/config.hpp>
#include <umbel/hash/digest.hpp>

namespace umbel::detail {

// CRC-32 (polynomial EDB88320, reflected) leads in hi, CRC-32C (82F63B78) in lo, each followed by
// the other: shards and buckets look at top bits.
[[nodiscard]] digest crc_digest(const void* bytes, std::size_t size) noexcept;

}  // namespace umbel::detail

#if UMBEL_WITH_BODIES
#include <umbel/hash/crc.ipp>
#endif
