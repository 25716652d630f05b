// sizing/matrix.hpp - retrieval by random linear systems over GF(2) [Por09]: success probabilities
// and sizes.
//
// n random rows over n + c unknowns are independent with probability (1 - 2^-(c+1)) ...
// (1 - 2^-(c+n)), 0.289 for c = 0. So three or four seeds are tried, which costs no payload bits.
// Small groups make a try cheap.
//
// Source     [Por09]. bench/derive/matrix computes the tables.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string_view>

#include <umbel/base/integers.hpp>

namespace umbel {

// Layouts of the structure:
//   grouped    groups of about 64 keys, each a system of its own: for every number of keys
//   tabulated  groups of about 3 keys, solved by table
//   exact      one system of sparse rows, exactly keys * width bits; up to 65536 keys
//   dense      one system of dense rows, the reference; up to 4096 keys
enum class matrix_form : std::uint64_t { grouped, tabulated, exact, dense };
// How the rows of a group are generated: `hashed` remixes the digest; `pairwise` looks up random
// words by pairwise independent functions drawn from a seed, and needs no stronger hashing.
enum class matrix_source : std::uint64_t { hashed, pairwise };

inline constexpr std::array<std::string_view, 4> matrix_form_names{"grouped", "tabulated", "exact",
                                                                   "dense"};
inline constexpr std::array<std::string_view, 2> matrix_source_names{"hashed", "pairwise"};

[[nodiscard]] constexpr std::string_view name_of(matrix_form form) noexcept {
  return matrix_form_names[static_cast<std::uint64_t>(form)];
}
[[nodiscard]] constexpr bool form_named(std::string_view name, matrix_form& form) noexcept {
  for (std::uint64_t i = 0; i < 4; ++i) {
    if (name != name_of(static_cast<matrix_form>(i))) continue;
    form = static_cast<matrix_form>(i);
    return true;
  }
  return false;
}

namespace sizing {

// ---- probabilities ----

// Probability that n random rows over n + c unknowns in a field of q elements are independent.
[[nodiscard]] inline double independence(std::uint64_t n, std::uint64_t c, double q = 2) noexcept {
  double out = 1;
  for (std::uint64_t i = c + 1; i <= c + n && i <= c + 1100; ++i)
    out *= 1 - std::pow(q, -static_cast<double>(i));
  return out;
}
// Lower bound of that by [Por09] Th. 3.1; it is 0 at q = 2, c = 0.
[[nodiscard]] inline double independence_bound(std::uint64_t c, double q) noexcept {
  return 1 - 1 / (std::pow(q, static_cast<double>(c)) * (q - 1));
}
// Probability that a large random square matrix over GF(2) has rank n - d: 0.2888, 0.5776, 0.1284,
// 0.0052 for d = 0 to 3.
[[nodiscard]] inline double rank_defect(unsigned d) noexcept {
  double out = independence(1000, d) * std::exp2(-static_cast<double>(d) * d);
  for (unsigned i = 1; i <= d; ++i) out /= 1 - std::exp2(-static_cast<double>(i));
  return out;
}
// Expected number of seeds tried for a large square system with right sides of r bits. A system of
// defect d is consistent by chance with probability 2^-(r d).
[[nodiscard]] inline double matrix_tries(unsigned r) noexcept {
  double solved = 0;
  for (unsigned d = 0; d < 8; ++d)
    solved += rank_defect(d) * std::exp2(-static_cast<double>(r) * d);
  return 1 / solved;
}

// ---- groups ----

inline constexpr std::uint64_t matrix_bucket_keys = 16'384;  // maximal mean, for two levels
inline constexpr std::uint64_t matrix_bucket_most = std::uint64_t{1} << 17;
inline constexpr std::uint64_t matrix_tabulated_group = 3;
// per group: the deviation of its start, and its seed
inline constexpr unsigned matrix_entry_bits = 12;
inline constexpr unsigned matrix_stray_bits = 8;
// seeds from this one on are stored in a list
inline constexpr std::uint64_t matrix_listed_seed = 15;
inline constexpr std::uint64_t matrix_seeds = 1 << 16;
inline constexpr std::uint64_t matrix_max_spare = 64;
inline constexpr unsigned matrix_redraws = 8;

struct matrix_shape {
  std::uint64_t buckets = 0;
  std::uint64_t groups = 0;  // of each bucket
};
// Buckets of equal expected size, and groups within them of nearly `group` keys. With one level, a
// bucket is a group.
[[nodiscard]] constexpr matrix_shape shape_matrix(std::uint64_t n, std::uint64_t group,
                                                  std::uint64_t levels) noexcept {
  if (n == 0) return {};
  if (levels == 1) return {umbel::detail::ceil_div(n, group), 1};
  const std::uint64_t buckets = umbel::detail::ceil_div(n, matrix_bucket_keys),
                      all = buckets * group;
  return {buckets, std::max<std::uint64_t>(1, (n + all / 2) / all)};
}
// Maximal keys of a group: [Por09] rejects a partition with larger groups.
[[nodiscard]] constexpr std::uint64_t matrix_group_most(std::uint64_t group) noexcept {
  return std::max<std::uint64_t>(64, 4 * group);
}
// A bucket with more keys than this is bad: six standard deviations above twice the mean.
[[nodiscard]] inline std::uint64_t matrix_bad_from(double mean) noexcept {
  return static_cast<std::uint64_t>(2 * mean + 6 * std::sqrt(mean)) + 1;
}
// Maximal number of keys in bad buckets, which a list stores; above it the keys are partitioned
// with a new seed. n / log2(n)^2 of [Por09] Th. 4.1.
[[nodiscard]] inline double matrix_bad_most(std::uint64_t n) noexcept {
  const double log = std::max(1.0, std::log2(static_cast<double>(n)));
  return static_cast<double>(n) / (log * log);
}
// Expected entries per group in the list of seeds.
[[nodiscard]] inline double matrix_listed(unsigned r) noexcept {
  return std::pow(1 - 1 / matrix_tries(r), static_cast<double>(matrix_listed_seed));
}

// The parameters as printed in [Por09] section 4, for n keys of r bits. For tests and documents
// only: they suit no n that fits into memory.
struct matrix_paper_shape {
  double buckets, bad_from, bad_most, group, group_most;
};
[[nodiscard]] inline matrix_paper_shape paper_matrix(double n, double r) noexcept {
  const double log = std::log2(n);
  return {n / (log * log), 2 * std::pow(log, 4), n / (log * log), std::sqrt(log / r) / 2,
          std::sqrt(log / (2 * r))};
}
// One level with groups of s keys on average: an upper bound on the probability that a group has
// more than 2 s.
[[nodiscard]] inline double one_level_bound(double s) noexcept {
  return std::exp(-(2 * std::log(2.0) - 1) * s);
}

// ---- one system ----

inline constexpr std::uint64_t matrix_dense_most = 4096;
inline constexpr std::uint64_t matrix_exact_most = 65'536;
// up to here rows of the exact form are dense: one word
inline constexpr std::uint64_t matrix_word_keys = 64;
inline constexpr std::uint64_t matrix_exact_seeds = 64;  // above, spare unknowns are added
inline constexpr std::uint64_t matrix_exact_spare = 8;
inline constexpr unsigned matrix_max_probes = 15;

// Unknowns per row of a square sparse system: the smallest odd number >= ln n + 2. With an even
// number the system is always singular: all rows lie in the space of even weights. Computed by
// multiplication up to n e^2 <= e^t, so that every machine rounds alike.
[[nodiscard]] constexpr unsigned matrix_probes(std::uint64_t n) noexcept {
  unsigned t = 1;
  for (double power = 2.718281828459045; power < 7.38905609893065 * static_cast<double>(n); t += 2)
    power *= 7.38905609893065;
  return t;
}
// Approximate probability that a square system with t unknowns per row is regular.
[[nodiscard]] inline double sparse_independence(std::uint64_t n, unsigned t) noexcept {
  return 0.2888 * std::exp(-static_cast<double>(n) * std::exp(-static_cast<double>(t)));
}

// ---- pairwise hashing ----

// log2 of the entries of a table of random words for groups of `group` keys. Under one function,
// two of twice as many keys collide with probability below 1/2.
[[nodiscard]] constexpr unsigned pairwise_entry_bits(std::uint64_t group) noexcept {
  return 2 * static_cast<unsigned>(std::bit_width(2 * group - 1));
}
// log2 of the number of functions to choose from: 2 log2 n of them, rounded up to a power of two.
[[nodiscard]] constexpr unsigned pairwise_candidate_bits(std::uint64_t n) noexcept {
  return static_cast<unsigned>(std::bit_width(
      2 * std::max<std::uint64_t>(2, static_cast<std::uint64_t>(std::bit_width(n))) - 1));
}

}  // namespace sizing
}  // namespace umbel
