// sizing/entropy.hpp - entropy of the values of a map, and code lengths of its Huffman code
// [Huf52].
//
// Symbols    `counts` has the number of keys of each value; n is their sum.
// Limits     Codes have at most 32 bits. If the optimal code is longer, the counts of the rarest
//            values are raised.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <umbel/base/config.hpp>

namespace umbel::sizing {

inline constexpr unsigned max_code_bits = 32;
inline constexpr std::uint64_t max_codes = std::uint64_t{1} << 20;  // of one code

// Bits per key: sum of c/n log2(n/c), Shannon's lower bound for codes of single values.
[[nodiscard]] double entropy(std::span<const std::uint64_t> counts);

// Lengths of an optimal prefix code for these counts. Counts must not rise; then lengths do not
// fall. A single value needs 0 bits. At most `max_codes` + 1 counts.
[[nodiscard]] std::vector<std::uint8_t> code_lengths(std::span<const std::uint64_t> falling);

}  // namespace umbel::sizing

#if UMBEL_WITH_BODIES
#include <umbel/sizing/entropy.ipp>
#endif
