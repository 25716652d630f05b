// sizing/cascade.hpp - how large, how deep and how wrong cascades of Bloom filters are.
// Words      n keys, V values, eps_i the rate of a filter of level i, delta the share of
//            non-members that get a value. In an exact cascade r keys are told from s others, r <=
//            s.
// Idea       A level is sized when the keys that reach it are counted, so a build needs shapes of
//            single filters; plans run the same shapes on expected counts.
// Source     [CKRT04] sec. 2 for the paper's levels; [LCL17] for the exact cascade; the rate of
//            non-members is derived in doc/theory/cascade.md.
#pragma once

#include <cstdint>
#include <span>

#include <umbel/base/config.hpp>

namespace umbel::sizing {

inline constexpr unsigned cascade_max_values = 16;
inline constexpr unsigned cascade_max_levels = 64;  // deeper: the hashes are drawn again
inline constexpr unsigned cascade_draws = 16;       // before `unsolvable`
inline constexpr unsigned cascade_tail_bits = 16;   // of a check in the tail, at least; and at most
inline constexpr unsigned cascade_max_tail_bits = 60;
inline constexpr unsigned exact_max_layers = 254;
// of one filter, at most
inline constexpr std::uint64_t cascade_filter_bits = std::uint64_t{1} << 48;

enum class cascade_levels : std::uint64_t {
  // the first level from the rate asked for, later ones at 1/2 (two values) or 1/4: least bits
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

// A filter for n keys at rate eps, of `least` bits or more; what room that leaves small ones is
// used.
[[nodiscard]] filter_shape cascade_filter(std::uint64_t n, double eps, std::uint64_t least);
// Level i of the paper for n keys on the larger side: between 64 and 2^32 bits.
[[nodiscard]] filter_shape paper_filter(std::uint64_t n, unsigned level, unsigned k);
// Bits every filter of a level has at least: 256 for the level.
[[nodiscard]] std::uint64_t cascade_least_bits(unsigned filters);
// Rate of a level for V values and delta.
[[nodiscard]] double cascade_eps(unsigned level, unsigned values, double delta,
                                 cascade_levels levels);
// So many keys or fewer go into the tail, where there is one: max(64, n / log2 n).
[[nodiscard]] std::uint64_t cascade_tail_from(std::uint64_t n);
// Check bits of the tail: 16, or what delta asks for.
[[nodiscard]] unsigned cascade_tail_check(double delta);

// The share of non-members that get a value, exactly, when filter v of level i accepts one with
// probability accepts[i * values + v], and a tail believes one with probability `tail` (0: none). A
// non-member's filters go on accepting up to some level each; it gets the value whose filters went
// furthest, if that is one value.
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
  unsigned k = 2;  // of the paper
  bool tail = false;
};
// What to expect when values are equally frequent.
[[nodiscard]] cascade_plan plan_cascade(const cascade_options& options);

// The paper's promises: E[levels] <= 2 log log n / log k, bits per key <= 3k, non-members <= 2 *
// 2^-k.
[[nodiscard]] double paper_levels_bound(double n, double k);

// Layer i (from 0) of an exact cascade for c keys: rate r / (sqrt(2) s), at most 0.61, in the
// first, 1/2 in the others.
[[nodiscard]] filter_shape exact_layer(std::uint64_t c, unsigned layer, std::uint64_t r,
                                       std::uint64_t s);
// log2(e) r (log2(s/r) + 1/2 + 2 (1/sqrt(2) + 1/2)): bits of all layers, before rounding.
[[nodiscard]] double exact_cascade_bits(double r, double s);
// What to expect after rounding.
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
