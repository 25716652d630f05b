// sizing/bloom.hpp - how large, and how wrong, a plain Bloom filter is. Pure functions: no storage,
// no hashing.
// Words      n keys, m bits, k probes, eps the rate of false positives, a = kn/m. Paper letters
//            live in this folder only.
// Grades     asymptotic <= classic <= exact. The exact rate is what a filter with independent
//            probes really has; `bloom_fpr` gives it (summed for small m, corrected classic
//            beyond), and plans are made with that one.
// Source     [BM04] sec. 2, [TRL12] sec. II, [BGK08] for the exact rate, [WVT90] for the variance
//            of zeros.
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
// more than any machine has; keeps sums in 64 bits
inline constexpr std::uint64_t max_bits = std::uint64_t{1} << 56;

// From so many bits on a Bloom filter's probes are found by triple hashing, which needs whole words.
inline constexpr std::uint64_t bloom_words_from = 4096;
[[nodiscard]] constexpr std::uint64_t bloom_stored_bits(std::uint64_t bits) noexcept {
  return bits < bloom_words_from ? bits : (bits + 63) / 64 * 64;
}

// (1 - e^(-kn/m))^k  [BM04, sec. 2]. Optimistic for small m.
[[nodiscard]] double bloom_fpr_asymptotic(double n, double m, double k);
// (1 - (1 - 1/m)^(kn))^k. A lower bound on the truth for k >= 2, equal to it for k = 1.
[[nodiscard]] double bloom_fpr_classic(double n, double m, double k);
// The true rate by the occupancy recurrence: time k*n*m, meant for m up to a few thousand  [BGK08].
[[nodiscard]] double bloom_fpr_exact(std::uint64_t n, std::uint64_t m, unsigned k);
// The classic rate corrected by the variance of the fill: relative error below 1e-4 from m = 1024
// on.
[[nodiscard]] double bloom_fpr_corrected(double n, double m, double k);
// The best of these at the size given.
[[nodiscard]] double bloom_fpr(std::uint64_t n, std::uint64_t m, unsigned k);
// [BGK08]: p^k < exact <= p^k * (1 + slack) when slack < 1; here slack = (k/p) * sqrt((ln m - k ln
// p)/m).
[[nodiscard]] double bloom_bose_slack(double n, double m, double k);

// The four textbook forms, unrounded consequences of the asymptotic rate.
// ceil(-n ln eps / (ln 2)^2)
[[nodiscard]] std::uint64_t bloom_bits(std::uint64_t n, double eps);
// ceil(-kn / ln(1 - eps^(1/k)))
[[nodiscard]] std::uint64_t bloom_bits(std::uint64_t n, unsigned k, double eps);
// floor(-m (ln 2)^2 / ln eps)
[[nodiscard]] std::uint64_t bloom_capacity(std::uint64_t m, double eps);
// best integer k for m/n, >= 1
[[nodiscard]] unsigned bloom_probes(std::uint64_t n, std::uint64_t m);
// Real k at which the classic rate is least: (1 - 1/m)^(kn) = 1/2; just below (m/n) ln 2.
[[nodiscard]] double bloom_optimal_probes(double n, double m);

// Plans: exactly two of keys, rate and bits are known. `probes` 0 means: choose.
[[nodiscard]] bloom_plan plan_bloom_for_rate(std::uint64_t n, double eps,
                                             unsigned probes = 0);  // smallest with fpr <= eps
[[nodiscard]] bloom_plan plan_bloom_for_bits(std::uint64_t n, std::uint64_t m, unsigned probes = 0);
// How many keys m bits hold with bloom_fpr <= eps, and with how many probes.
struct bloom_room {
  std::uint64_t keys;
  unsigned probes;
};
[[nodiscard]] bloom_room bloom_room_for(std::uint64_t m, double eps, unsigned probes = 0);

// Expected zeros after n keys, their variance, and Azuma's bound on P(|Z - E Z| >= t m).
[[nodiscard]] double bloom_expected_zeros(double n, double m, double k);
[[nodiscard]] double bloom_variance_of_zeros(double n, double m, double k);
[[nodiscard]] double bloom_azuma_bound(double n, double m, double k, double t);

// Keys behind a filter with Z zeros; Z = 0 is the caller's `saturated`. Standard error beside it.
[[nodiscard]] double bloom_cardinality(double zeros, double m, double k);
[[nodiscard]] double bloom_cardinality_error(double n, double m, double k);
// Size of the intersection from the zeros of both filters and of their OR.
[[nodiscard]] double bloom_intersection_size(double zeros_a, double zeros_b, double zeros_or,
                                             double m, double k);
// E[popcount(A and B)] for sets of these sizes.
[[nodiscard]] double bloom_inner_product(double size_a, double size_b, double common, double m,
                                         double k);
// Probes a non-member costs on average when a share `fill` of the bits is set and tests stop at the
// first zero.
[[nodiscard]] double bloom_probes_per_non_member(double fill, unsigned k);

// Bits no set of n keys out of a universe of u can go below at rate eps  [BM04, sec. 2.2].
// n log2(1/eps) is its limit for n << eps u; before that it is not a bound.
[[nodiscard]] double set_lower_bound(double n, double eps);
[[nodiscard]] double set_lower_bound(double n, double eps, double u);

}  // namespace umbel::sizing

#if UMBEL_WITH_BODIES
#include <umbel/sizing/bloom.ipp>
#endif
