// sizing/sparse.hpp - sparse random linear systems [GOV20], [DP08]: cells per key at the
// solvability threshold, and buckets.
//
// n equations of k random unknowns each are solvable almost surely while n / unknowns stays below a
// threshold that tends to 1 as k grows: 1.089 cells per key at k = 3, 1.024 at k = 4, 1.0003 at
// k = 8. One percent above it, most systems of a bucket's size are solved at the first attempt.
//
// Source     [GOV20] for buckets of 1500 keys and 1.10 and 1.03 cells per key; [DP08] for any k.
//            bench/derive/sparse computes the thresholds and counts attempts.
#pragma once

#include <array>
#include <cstdint>

namespace umbel::sizing {

inline constexpr unsigned sparse_least_probes = 3;
inline constexpr unsigned sparse_max_probes = 8;
inline constexpr unsigned sparse_seeds = 256;  // attempts per bucket: the seed is one byte
inline constexpr std::uint64_t sparse_bucket_keys = 1500;  // mean
inline constexpr std::uint64_t sparse_bucket_most =
    16'384;  // ten times what occurs by chance; an attempt takes half a second

[[nodiscard]] constexpr std::uint64_t sparse_buckets(std::uint64_t n) noexcept {
  return n / sparse_bucket_keys + 1;
}

// Cells per key below which almost no system of k unknowns per equation is solvable, in the limit
// of many keys: k (1 - e^-x)^(k-1) / x at the x with k = x (e^x - 1) / (e^x - 1 - x). For k from 3
// to 8.
[[nodiscard]] constexpr double sparse_threshold(unsigned k) noexcept {
  constexpr std::array<double, 9> of{0,        0,        0,        1.089401, 1.023782,
                                     1.007619, 1.002627, 1.000937, 1.000340};
  return of[k];
}

// Cells of a bucket of n keys with k probes each. In ten-thousandths, so that every machine rounds
// alike: the customary 1.10 and 1.03, then 1.01 times the threshold. Always more than n: with n
// cells and even k no system is regular, because all rows lie in the space of even weights.
[[nodiscard]] constexpr std::uint64_t sparse_cells(unsigned k, std::uint64_t n) noexcept {
  constexpr std::array<std::uint64_t, 9> each{0,      0,      0,      11'000, 10'300,
                                              10'177, 10'127, 10'110, 10'104};
  return (n * each[k] + 9'999) / 10'000;
}

}  // namespace umbel::sizing
