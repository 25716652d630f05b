// siphash.hpp - SipHash-2-4 with 128 bits of output: the keyed hash for input nobody vouches for.
// Idea       Without the 128-bit key nobody can predict which keys share cells, so nobody can craft
//            them.
// Limits     About four times slower than XXH3 on short keys: that is the price, and why it is
//            asked for by name.
// Source     [AB12]
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <umbel/base/config.hpp>
#include <umbel/hash/digest.hpp>

namespace umbel {

// Sixteen secret bytes. Never stored in a file; a file holds only a check value of them.
using secret_key = std::array<std::uint8_t, 16>;

namespace detail {

[[nodiscard]] digest siphash128(const void* bytes, std::size_t size,
                                const secret_key& key) noexcept;

}  // namespace detail
}  // namespace umbel

#if UMBEL_WITH_BODIES
#include <umbel/hash/siphash.ipp>
#endif
