// sizing/bloomier_bounds.hpp - lower bounds for Bloomier filters [CKRT04]: maps that are exact for
// members only.
//
// Two lower bounds of [CKRT04] sec. 5 concern a map of 2n keys out of N, n with each of two values.
//   Th. 5.1  A map whose hash functions are fixed before the keys are known needs
//            Omega(n + log log N) bits. By Lemma 5.1 it needs log2 chi(G) bits, where the nodes of
//            G are the pairs (A, B) of disjoint n-sets, and (A, B), (A', B') are adjacent if
//            A meets B' or B meets A'. The lemma: chi(G) is between Omega(2^n log N) and
//            O(4^n ln N).
//   Th. 5.2  A map of n <= m <= (n/c) log log (N / (c n^3)) bits, for some large constant c, cannot
//            add and remove keys, even if it draws its hash functions at random.
//
// Constants  The paper gives none. The bounds on chi(G) used here are proved in
//            doc/theory/bloomier.md. The upper one is larger than the lemma's by a factor of 2n, or
//            log2(2n) bits.
// Source     [CKRT04]; [KS73] for universal sets of vectors.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include <umbel/base/integers.hpp>
#include <umbel/sizing/subset.hpp>

namespace umbel::sizing {

// n (r + log2(1/eps)): a lower bound for maps of n keys to r-bit values, all values equally likely,
// that give a value to a share eps of the non-members, for a universe much larger than n.
[[nodiscard]] inline double map_lower_bound(double n, double r, double eps) {
  const double check = -std::log2(eps);
  return n * (r + check);
}

// C(t, k), or 2^127 if it may exceed 2^127 / t. Each product is divisible by the next i.
[[nodiscard]] constexpr umbel::detail::uint128 limited_binomial(unsigned t, unsigned k) noexcept {
  constexpr umbel::detail::uint128 limit = umbel::detail::uint128{1} << 127;
  umbel::detail::uint128 out = 1;
  for (unsigned i = 1; i <= k; ++i) {
    if (out > limit / t) return limit;
    out = out * (t - k + i) / i;
  }
  return out;
}

// Fewest 0/1 vectors of N >= 2 coordinates in which every two coordinates show all four patterns:
// the least t with C(t - 1, floor(t/2) - 1) >= N [KS73].
[[nodiscard]] constexpr unsigned pair_universal_vectors(std::uint64_t N) noexcept {
  unsigned t = 4;
  while (limited_binomial(t - 1, t / 2 - 1) < N) ++t;
  return t;
}
// Fewest vectors in which every ordered pair of coordinates shows (1, 0): the least t with
// C(t, floor(t/2)) >= N, by Sperner's theorem. This is chi(G) for n = 1.
[[nodiscard]] constexpr unsigned separating_vectors(std::uint64_t N) noexcept {
  unsigned t = 2;
  while (limited_binomial(t, t / 2) < N) ++t;
  return t;
}

// Lower and upper bounds on log2 chi(G). Requires n >= 1 and N >= 2n.
[[nodiscard]] inline double fixed_hash_lower_bits(std::uint64_t n, std::uint64_t N) {
  if (n == 1) return std::log2(separating_vectors(N));
  return static_cast<double>(n - 2) + std::log2(pair_universal_vectors(N - n + 2));
}
[[nodiscard]] inline double fixed_hash_upper_bits(std::uint64_t n, std::uint64_t N) {
  const auto half = static_cast<double>(n);
  const double pairs = subset_bits(static_cast<double>(N), 2 * half) + subset_bits(2 * half, half);
  return 2 * half + std::log2(pairs * std::numbers::ln2 + std::exp2(-2 * half));
}

// (n/c) log2 log2 (N / (c n^3)) of Th. 5.2: a map with a size between n bits and this cannot change
// its keys. 0 if the formula is not positive. The theorem says nothing if this is below n, and it
// leaves c open.
[[nodiscard]] inline double changing_keys_bits(double n, double N, double c) {
  const double ratio = N / (c * n * n * n);
  return ratio <= 2 ? 0 : n / c * std::log2(std::log2(ratio));
}

}  // namespace umbel::sizing
