// sizing/bloom.hpp - size and false positive rate of a plain Bloom filter [BM04], [BGK08].
//
// Pure functions: no storage, no hashing.
//
// Symbols    n keys, m bits, k probes, eps the false positive rate, a = kn/m. Paper letters are
//            used in this folder only.
// Grades     asymptotic <= classic <= exact. The exact rate is that of a filter with independent
//            probes. `bloom_fpr` gives it: by summation for small m, by the corrected classic
//            formula above. Plans use `bloom_fpr`.
// Source     [BM04] sec. 2, [TRL12] sec. II, [BGK08] for the exact rate, [WVT90] for the variance
//            of the number of zeros.
#pragma once

#include <cstdint>

#include <umbel/base/config.hpp>

namespace umbel::sizing {

struct bloom_plan {
  std::uint64_t bits;
  unsigned probes;
  double fpr;  // as predicted after rounding
};

inline constexpr unsigned bloom_max_probes = 1024;
// more than any machine has; sums stay within 64 bits
inline constexpr std::uint64_t max_bits = std::uint64_t{1} << 56;

// From so many bits on a Bloom filter's probes are found by triple hashing, which needs whole words.
inline constexpr std::uint64_t bloom_words_from = 4096;
[[nodiscard]] constexpr std::uint64_t bloom_stored_bits(std::uint64_t bits) noexcept {
  return bits < bloom_words_from ? bits : (bits + 63) / 64 * 64;
}

// (1 - e^(-kn/m))^k  [BM04, sec. 2]. Optimistic for small m.
[[nodiscard]] double bloom_fpr_asymptotic(double n, double m, double k);
// (1 - (1 - 1/m)^(kn))^k. A lower bound on the exact rate for k >= 2, equal to it for k = 1.
[[nodiscard]] double bloom_fpr_classic(double n, double m, double k);
// The exact rate by the occupancy recurrence [BGK08]. Time k*n*m: for m up to a few thousand.
[[nodiscard]] double bloom_fpr_exact(std::uint64_t n, std::uint64_t m, unsigned k);
// The classic rate corrected by the variance of the fill. Relative error below 1e-4 for m >= 1024.
[[nodiscard]] double bloom_fpr_corrected(double n, double m, double k);
// The most accurate of these for the given size.
[[nodiscard]] double bloom_fpr(std::uint64_t n, std::uint64_t m, unsigned k);
// [BGK08]: p^k < exact <= p^k * (1 + slack) if slack < 1. Here slack = (k/p) * sqrt((ln m - k ln
// p)/m).
[[nodiscard]] double bloom_bose_slack(double n, double m, double k);

// The four textbook formulas, derived from the asymptotic rate without rounding.
// ceil(-n ln eps / (ln 2)^2)
[[nodiscard]] std::uint64_t bloom_bits(std::uint64_t n, double eps);
// ceil(-kn / ln(1 - eps^(1/k)))
[[nodiscard]] std::uint64_t bloom_bits(std::uint64_t n, unsigned k, double eps);
// floor(-m (ln 2)^2 / ln eps)
[[nodiscard]] std::uint64_t bloom_capacity(std::uint64_t m, double eps);
// best integer k for m/n, >= 1
[[nodiscard]] unsigned bloom_probes(std::uint64_t n, std::uint64_t m);
// The real k that minimizes the classic rate: (1 - 1/m)^(kn) = 1/2; just below (m/n) ln 2.
[[nodiscard]] double bloom_optimal_probes(double n, double m);

// Plans. Exactly two of keys, rate and bits are given. `probes` 0 means: choose the number.
[[nodiscard]] bloom_plan plan_bloom_for_rate(std::uint64_t n, double eps,
                                             unsigned probes = 0);  // smallest with fpr <= eps
[[nodiscard]] bloom_plan plan_bloom_for_bits(std::uint64_t n, std::uint64_t m, unsigned probes = 0);
// How many keys m bits hold with bloom_fpr <= eps, and with how many probes.
struct bloom_room {
  std::uint64_t keys;
  unsigned probes;
};
[[nodiscard]] bloom_room bloom_room_for(std::uint64_t m, double eps, unsigned probes = 0);

// Expected number of zeros after n keys, its variance, and Azuma's bound on P(|Z - E Z| >= t m).
[[nodiscard]] double bloom_expected_zeros(double n, double m, double k);
[[nodiscard]] double bloom_variance_of_zeros(double n, double m, double k);
[[nodiscard]] double bloom_azuma_bound(double n, double m, double k, double t);

// Estimated number of keys in a filter with Z zeros, and its standard error. Z = 0 is `saturated`;
// the caller handles it.
[[nodiscard]] double bloom_cardinality(double zeros, double m, double k);
[[nodiscard]] double bloom_cardinality_error(double n, double m, double k);
// Estimated size of the intersection, from the zeros of both filters and of their OR.
[[nodiscard]] double bloom_intersection_size(double zeros_a, double zeros_b, double zeros_or,
                                             double m, double k);
// E[popcount(A and B)] for sets of these sizes.
[[nodiscard]] double bloom_inner_product(double size_a, double size_b, double common, double m,
                                         double k);
// Mean probes per non-member query if a share `fill` of the bits is set and the query stops at the
// first zero.
[[nodiscard]] double bloom_probes_per_non_member(double fill, unsigned k);

// Lower bound on the bits for any set of n keys from a universe of u at rate eps [BM04, sec. 2.2].
// n log2(1/eps) is its limit for n << eps u; for larger n it is not a bound.
[[nodiscard]] double set_lower_bound(double n, double eps);
[[nodiscard]] double set_lower_bound(double n, double eps, double u);

}  // namespace umbel::sizing

#if UMBEL_WITH_BODIES
#include <umbel/sizing/bloom.ipp>
#endif
