// siphash.hpp - SipHash-2-4 with 128-bit output [AB12]: the keyed hash for untrusted keys.
//
// Without the 128-bit key an adversary cannot predict which keys share cells, and so cannot craft
// colliding keys.
//
// Limits     About four times slower than XXH3 on short keys, so it is not the default.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <umbel/base/config.hpp>
#include <umbel/hash/digest.hpp>

namespace umbel {

// Sixteen secret bytes. Never stored in a file; a file stores only a check value of them.
using secret_key = std::array<std::uint8_t, 16>;

namespace detail {

[[nodiscard]] digest siphash128(const void* bytes, std::size_t size,
                                const secret_key& key) noexcept;

}  // namespace detail
}  // namespace umbel

#if UMBEL_WITH_BODIES
#include <umbel/hash/siphash.ipp>
#endif
