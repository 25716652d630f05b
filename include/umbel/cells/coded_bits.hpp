// coded_bits.hpp - a run of bits in about as many as its entropy says: for sending and storing, not
// for asking.
// Idea       Two codes of bits that are one with one probability, which both sides know from the
//            number of ones. A static range coder comes within a thousandth of the entropy; Rice
//            codes of the gaps between ones take up to 2 % more and need no multiplication. An
//            adaptive coder would lose on small filters what it learns.
// Layout     Bits are those of bytes, the lowest first. Range code: 64-bit low and range, the range
//            from 2^64 - 1 down; of each range the first P0/2^32 mean a zero; whenever it falls
//            below 2^56 the top byte of low goes out, and all eight in the end.
// Invariant  One run of bits has one code: a decoder refuses whatever the encoder would not have
//            written.
// Limits     The decoder takes the number of bits and of ones from its caller, who has checked them
//            against memory.
// Source     [Mit02] for coding filters; range coding as [Mar79].
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <umbel/base/config.hpp>

namespace umbel::cells {

[[nodiscard]] std::uint64_t ones_in(std::span<const std::byte> bits) noexcept;

// Both sides of a code: `bits` holds 1 to 2^59 bytes, `ones` of whose bits are set; neither none
// nor all of them.
[[nodiscard]] std::vector<std::byte> range_encode(std::span<const std::byte> bits,
                                                  std::uint64_t ones);
[[nodiscard]] std::vector<std::byte> rice_encode(std::span<const std::byte> bits,
                                                 std::uint64_t ones);
// Fill `bits`, which is zero before; throw `corrupt` if the code is too short, too long, or of
// other bits than these.
void range_decode(std::span<const std::byte> code, std::uint64_t ones, std::span<std::byte> bits);
void rice_decode(std::span<const std::byte> code, std::uint64_t ones, std::span<std::byte> bits);

}  // namespace umbel::cells

#if UMBEL_WITH_BODIES
#include <umbel/cells/coded_bits.ipp>
#endif
