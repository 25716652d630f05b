// sizing/vector_quotient.hpp - vector quotient filters [PCDBFJ21]: cache lines, tag width, false
// positive rate.
//
// A key is represented by its pair of lines, bucket and tag: M = (z/2) b 2^t fingerprints. A
// non-member passes with probability 1 - (1 - 1/M)^n, about 2 (s/b) load / 2^t.
//
// Symbols    n keys in z cache lines of 512 bits, z even. A line has b buckets and s tags of t
//            bits: (80, 48, 8) or (36, 28, 16).
// Limits     The load that is always reached was measured by filling tables
//            (bench/derive/vector_quotient.cpp).
// Source     [PCDBFJ21]; the rate is derived here.
#pragma once

#include <cstdint>

#include <umbel/base/config.hpp>

namespace umbel::sizing {

inline constexpr std::uint64_t vector_line_bits = 512;

struct vector_form {
  unsigned tag_bits, buckets, tags;
};
[[nodiscard]] constexpr vector_form vector_form_of(unsigned tag_bits) noexcept {
  return tag_bits == 8 ? vector_form{8, 80, 48} : vector_form{16, 36, 28};
}

struct vector_plan {
  std::uint64_t keys, lines;
  unsigned tag_bits;
  double fpr;
};

// Number of keys that this many lines always hold.
[[nodiscard]] std::uint64_t vector_room(std::uint64_t lines, unsigned tag_bits);
[[nodiscard]] double vector_fingerprints(std::uint64_t lines, unsigned tag_bits);
[[nodiscard]] double vector_fpr(std::uint64_t n, std::uint64_t lines, unsigned tag_bits);

// Fewest bits with vector_fpr <= eps and lines at least half full; the lowest rate possible if none
// keeps eps.
[[nodiscard]] vector_plan plan_vectors_for_rate(std::uint64_t n, double eps);
// The lowest rate for n keys in `bits`; if n keys do not fit, as many as do. At least two lines.
[[nodiscard]] vector_plan plan_vectors_for_bits(std::uint64_t n, std::uint64_t bits);
// The most keys that `bits` hold at rate eps. Uses at least two lines.
[[nodiscard]] vector_plan vectors_room_for(std::uint64_t bits, double eps);

}  // namespace umbel::sizing

#if UMBEL_WITH_BODIES
#include <umbel/sizing/vector_quotient.ipp>
#endif
