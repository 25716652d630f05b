// pairwise.hpp - rows of random bits from a pairwise independent hash function and an array of
// random numbers [Por09].
//
// The hash function is only required to be pairwise independent. If it maps the keys of a group to
// different entries of an array of random numbers, the numbers found are independent and uniform.
// For m keys and at least m^2 entries a pairwise independent function does so with probability
// above 1/2, for any keys: the probability is over the choice of the function. With 2 log2 n
// functions, one of them does so for every group of n keys with probability 1 - 1/n.
//
// Layout     Functions and arrays are generated from a seed, `draw`, which a map chooses and its
//            file stores. Function j is multiply-shift over both words of a digest: the top bits of
//            (a_j hi + a'_j lo + b_j) mod 2^128 with a_j, a'_j and b_j uniform over 128 bits, which
//            is strongly universal. The digest is not remixed first. Seed s of a group uses
//            function s mod J; from s = J on with another array.
// Limits     The random numbers are those of SplitMix64, generated when needed, so no array is
//            stored. They are as uniform as its stream.
// Source     [Por09] section 6; [Die96] for the functions.
#pragma once

#include <cstdint>

#include <umbel/base/integers.hpp>
#include <umbel/hash/digest.hpp>

namespace umbel::core {

// One function: the top `entry_bits` of (a hi + a2 lo + b) mod 2^word_bits. Strongly universal if
// hi and lo are below 2^k with k + entry_bits <= word_bits + 1 and the coefficients are uniform
// below 2^word_bits.
struct multiply_shift {
  detail::uint128 a, a2, b;
  [[nodiscard]] constexpr std::uint64_t operator()(digest d, unsigned word_bits,
                                                   unsigned entry_bits) const noexcept {
    const detail::uint128 sum = (a * d.hi + a2 * d.lo + b) << (128 - word_bits);
    return static_cast<std::uint64_t>(sum >> (128 - entry_bits));
  }
};

class pairwise_source {
 public:
  pairwise_source() = default;
  // `attempt` gives other functions and arrays from the same draw, for a build that restarts.
  pairwise_source(unsigned candidate_bits, unsigned entry_bits, std::uint64_t draw,
                  std::uint64_t attempt = 0) noexcept
      : candidate_bits_(candidate_bits),
        entry_bits_(entry_bits),
        stream_(detail::remix(detail::remix(family, draw), attempt)) {}

  [[nodiscard]] std::uint64_t candidates() const noexcept {
    return std::uint64_t{1} << candidate_bits_;
  }
  [[nodiscard]] std::uint64_t entries() const noexcept { return std::uint64_t{1} << entry_bits_; }
  [[nodiscard]] std::uint64_t candidate(std::uint64_t seed) const noexcept {
    return seed & (candidates() - 1);
  }

  [[nodiscard]] multiply_shift function(std::uint64_t candidate) const noexcept {
    const std::uint64_t own = detail::remix(stream_, candidate);
    const auto wide = [own](std::uint64_t i) {
      return static_cast<detail::uint128>(detail::remix(own, i)) << 64 | detail::remix(own, i + 1);
    };
    return {wide(0), wide(2), wide(4)};
  }
  // The entry to which a function maps the digest.
  [[nodiscard]] std::uint64_t entry(digest d, std::uint64_t candidate) const noexcept {
    return function(candidate)(d, 128, entry_bits_);
  }
  // A row of `bits` bits; words after the last are 0, up to an even number of words.
  void draw(digest d, std::uint64_t seed, std::uint64_t bits, std::uint64_t* out) const noexcept {
    const std::uint64_t which = candidate(seed);
    const std::uint64_t array = detail::remix(detail::remix(stream_, which), array_number);
    const std::uint64_t found = detail::remix(array, entry(d, which));
    const std::uint64_t round = seed >> candidate_bits_;
    const std::uint64_t words = detail::ceil_div(bits, 64);
    for (std::uint64_t i = 0; i < words; ++i) out[i] = detail::remix(found, round * 64 + i);
    if (words % 2 != 0) out[words] = 0;
    if (bits % 64 != 0) out[words - 1] &= detail::low_mask(static_cast<unsigned>(bits % 64));
  }

 private:
  static constexpr std::uint64_t family = 0x5EED0FA5E7;
  static constexpr std::uint64_t array_number = 6;  // after the six words of the coefficients

  unsigned candidate_bits_ = 4, entry_bits_ = 14;
  std::uint64_t stream_ = 0;
};

}  // namespace umbel::core
