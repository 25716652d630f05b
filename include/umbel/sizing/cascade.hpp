// sizing/cascade.hpp - size, depth and error rates of cascades of Bloom filters [CKRT04], [LCL17].
//
// A level is sized when the keys that reach it have been counted, so a build needs shapes of single
// filters. Plans use the same shapes with expected counts.
//
// Symbols    n keys; V values; eps_i the false positive rate of a filter of level i; delta the
//            share of non-members that get a value. An exact cascade separates r keys from s
//            others, r <= s.
// Source     [CKRT04] sec. 2 for the paper's levels; [LCL17] for the exact cascade. The rate of
//            non-members is derived in doc/theory/cascade.md.
#pragma once

#include <cstdint>
#include <span>

#include <umbel/base/config.hpp>

namespace umbel::sizing {

inline constexpr unsigned cascade_max_values = 16;
inline constexpr unsigned cascade_max_levels = 64;  // above: build again with a new seed
inline constexpr unsigned cascade_draws = 16;       // seeds tried before `unsolvable`
inline constexpr unsigned cascade_tail_bits = 16;   // check bits in the tail: least, and most
inline constexpr unsigned cascade_max_tail_bits = 60;
inline constexpr unsigned exact_max_layers = 254;
// maximum for one filter
inline constexpr std::uint64_t cascade_filter_bits = std::uint64_t{1} << 48;

enum class cascade_levels : std::uint64_t {
  // first level at the rate asked for, later ones at 1/2 (two values) or 1/4: fewest bits
  tight = 0,
  quick = 1,  // later ones at 1/16: fewer levels
  paper = 2,  // [CKRT04]: a constant k, level i with 2^(k^i) k bits per key
};

struct filter_shape {
  std::uint64_t bits = 0;
  unsigned probes = 0;
  [[nodiscard]] std::uint64_t stored_bits() const noexcept {
    return (bits / 64 + (bits % 64 != 0)) * 64;
  }  // whole words
};

// A filter for n keys at rate eps with at least `least` bits. A filter raised to `least` also gets
// more probes.
[[nodiscard]] filter_shape cascade_filter(std::uint64_t n, double eps, std::uint64_t least);
// Level i of the paper for n keys on the larger side; the filter has 64 to 2^32 bits.
[[nodiscard]] filter_shape paper_filter(std::uint64_t n, unsigned level, unsigned k);
// Least bits of each filter of a level: 256 for the whole level.
[[nodiscard]] std::uint64_t cascade_least_bits(unsigned filters);
// False positive rate of a level's filters for V values and delta.
[[nodiscard]] double cascade_eps(unsigned level, unsigned values, double delta,
                                 cascade_levels levels);
// The tail, if there is one, takes the keys once at most max(64, n / log2 n) are left.
[[nodiscard]] std::uint64_t cascade_tail_from(std::uint64_t n);
// Check bits of the tail: 16, or more if delta requires it.
[[nodiscard]] unsigned cascade_tail_check(double delta);

// The exact share of non-members that get a value. Filter v of level i accepts a non-member with
// probability accepts[i * values + v]; a tail accepts one with probability `tail` (0: no tail). The
// filters of each value accept a non-member up to some level. It gets the value whose filters
// accept it furthest, if that value is unique.
[[nodiscard]] double cascade_non_member_rate(std::span<const double> accepts, unsigned values,
                                             double tail) noexcept;

struct cascade_plan {
  unsigned levels = 0;
  unsigned probes = 0;     // of all filters of the first level
  std::uint64_t bits = 0;  // of the filters
  std::uint64_t tail_keys = 0;
  double fpr = 0;
};
struct cascade_options {
  std::uint64_t n = 0;
  unsigned values = 2;
  double delta = 1.0 / 256;
  cascade_levels levels = cascade_levels::tight;
  unsigned k = 2;  // for the paper's levels
  bool tail = false;
};
// The expected cascade if values are equally frequent.
[[nodiscard]] cascade_plan plan_cascade(const cascade_options& options);

// The paper's bounds: E[levels] <= 2 log log n / log k, bits per key <= 3k, rate of
// non-members <= 2 * 2^-k.
[[nodiscard]] double paper_levels_bound(double n, double k);

// Layer i (from 0) of an exact cascade for c keys. Rate of the first layer: r / (sqrt(2) s), at
// most 0.61; of the others: 1/2.
[[nodiscard]] filter_shape exact_layer(std::uint64_t c, unsigned layer, std::uint64_t r,
                                       std::uint64_t s);
// Bits of all layers before rounding: log2(e) r (log2(s/r) + 1/2 + 2 (1/sqrt(2) + 1/2)).
[[nodiscard]] double exact_cascade_bits(double r, double s);
// The expected cascade after rounding.
struct exact_cascade_plan {
  unsigned layers = 0;
  unsigned probes = 0;
  std::uint64_t bits = 0;
};
[[nodiscard]] exact_cascade_plan plan_exact_cascade(std::uint64_t r, std::uint64_t s);

}  // namespace umbel::sizing

#if UMBEL_WITH_BODIES
#include <umbel/sizing/cascade.ipp>
#endif
