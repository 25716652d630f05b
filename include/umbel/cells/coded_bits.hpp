// coded_bits.hpp - entropy coding of a bit array for transmission and storage: range code [Mar79]
// and Golomb-Rice code [Gol66].
//
// Both codes assume that every bit is one with the same probability, which both sides know from the
// number of ones. The static range coder comes within a thousandth of the entropy. Rice codes of
// the gaps between ones take up to 2 % more and need no multiplication. An adaptive coder would
// lose on small filters what it learns.
//
// Layout     Bits are those of bytes, the lowest first. Range code: 64-bit low and range, the range
//            from 2^64 - 1 down; the first P0/2^32 of each range codes a zero. Whenever the range
//            falls below 2^56 the top byte of low is written; at the end all eight bytes are.
// Invariant  Every bit array has exactly one code: a decoder rejects anything the encoder would not
//            have written.
// Limits     The decoder takes the number of bits and of ones from its caller, who must have
//            checked them against memory limits.
// Source     [Mit02] for compressing filters; [Mar79] for range coding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <umbel/base/config.hpp>

namespace umbel::cells {

[[nodiscard]] std::uint64_t ones_in(std::span<const std::byte> bits) noexcept;

// Encoders and decoders. `bits` has 1 to 2^59 bytes with `ones` set bits; at least one bit is set
// and one is clear.
[[nodiscard]] std::vector<std::byte> range_encode(std::span<const std::byte> bits,
                                                  std::uint64_t ones);
[[nodiscard]] std::vector<std::byte> rice_encode(std::span<const std::byte> bits,
                                                 std::uint64_t ones);
// Decode into `bits`, which must be zeros. Throw `corrupt` if the code is too short, too long, or
// decodes to a different number of ones.
void range_decode(std::span<const std::byte> code, std::uint64_t ones, std::span<std::byte> bits);
void rice_decode(std::span<const std::byte> code, std::uint64_t ones, std::span<std::byte> bits);

}  // namespace umbel::cells

#if UMBEL_WITH_BODIES
#include <umbel/cells/coded_bits.ipp>
#endif
