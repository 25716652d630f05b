// sizing/entropy.hpp - how unlike the values of a map are, and the lengths of the prefix code that
// follows.
// Words      `counts` says how many keys have each value; n keys in all.
// Limits     No code is longer than 32 bits: where the best one were, the rarest values are counted
//            as if less rare.
// Source     [Huf52]; the bound is Shannon's.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <umbel/base/config.hpp>

namespace umbel::sizing {

inline constexpr unsigned max_code_bits = 32;
inline constexpr std::uint64_t max_codes = std::uint64_t{1} << 20;  // of one code

// Bits per key, sum of c/n log2(n/c): no code that tells values one by one takes less.
[[nodiscard]] double entropy(std::span<const std::uint64_t> counts);

// Lengths of a prefix code whose sum, weighted with these counts, is least. Counts fall, or stay;
// lengths then never fall. One value alone needs no bits. At most `max_codes` + 1 counts.
[[nodiscard]] std::vector<std::uint8_t> code_lengths(std::span<const std::uint64_t> falling);

}  // namespace umbel::sizing

#if UMBEL_WITH_BODIES
#include <umbel/sizing/entropy.ipp>
#endif
