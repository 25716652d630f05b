// scheme.hpp - the schemes that derive a key's k cells from its digest, by number and by name.
//
// Idea       `triple`, and `independent` for few cells, are the default. The others are those of
//            the literature, of other programs and of hardware: to read their filters, to reproduce
//            their figures, and to measure their cost.
// Layout     The numbers are stored in files.
// Source     [KM06] double and extended, [DM04] enhanced and triple, [JCR07] rng, [CW79] pairwise
//            and h3; doc/theory/hashing.md has the measured cost of each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <umbel/base/integers.hpp>

namespace umbel::core {

enum class scheme : std::uint64_t {
  triple = 0,          // h1 + i h2 + C(i,2) h3 modulo 2^64, each value then reduced separately
  independent = 1,     // one mixed word for each probe
  plain_double = 2,    // h1 + i h2 modulo the number of cells, as the next three
  extended = 3,        // h1 + i h2 + i^2
  enhanced = 4,        // h1 + i h2 + (i^3 - i)/6
  triple_modular = 5,  // h1 + i h2 + C(i,2) h3
  partitioned = 6,     // probe i falls into the i-th of k equal slices
  rng = 7,             // outputs of a small generator that the key seeds
  // the four 32-bit words of an MD5 digest, modulo: what a Squid cache digest does
  chunks = 8,
  pairwise = 9,  // (a_i x + b_i) mod 2^61 - 1, modulo
  // the XOR of random words chosen by the bits of the key; cells are a power of two
  h3 = 10,
  crc = 11,  // double hashing with CRC-32 and CRC-32C
  // powers of a number near 2^64 times an FNV hash, modulo a prime and then the cells: DCSO's
  // `bloom`
  dcso = 12,
};

inline constexpr std::array<std::string_view, 13> scheme_names{
    "triple",      "independent", "double", "extended", "enhanced", "triple-modular",
    "partitioned", "rng",         "chunks", "pairwise", "h3",       "crc",
    "dcso"};

[[nodiscard]] constexpr std::string_view name_of(scheme s) noexcept {
  return scheme_names[static_cast<std::size_t>(s)];
}
[[nodiscard]] constexpr std::optional<scheme> scheme_named(std::string_view name) noexcept {
  for (std::size_t i = 0; i < scheme_names.size(); ++i)
    if (scheme_names[i] == name) return static_cast<scheme>(i);
  return std::nullopt;
}

// Walks with arithmetic modulo the number of cells: their steps must be odd or nonzero.
[[nodiscard]] constexpr bool steps_modulo(scheme s) noexcept {
  return (s >= scheme::plain_double && s <= scheme::triple_modular) || s == scheme::crc;
}
// Schemes with their own hash; the words of chunks and crc have 32 bits.
[[nodiscard]] constexpr bool has_narrow_words(scheme s) noexcept {
  return s == scheme::chunks || s == scheme::crc;
}
[[nodiscard]] constexpr bool has_own_hash(scheme s) noexcept {
  return has_narrow_words(s) || s == scheme::dcso;
}
// position(m/2) = position(m) mod m/2; for the others it is position(m) / 2.
[[nodiscard]] constexpr bool reduces_modulo(scheme s) noexcept {
  return steps_modulo(s) || s == scheme::chunks || s == scheme::pairwise || s == scheme::h3 ||
         s == scheme::dcso;
}

}  // namespace umbel::core
