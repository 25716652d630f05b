// pairwise.hpp - digest -> random words by a pairwise independent function and an array of random numbers.
// Idea       If a function sends the few keys of a group to different entries of an array of random numbers, what they find there is
//            fully random, however little is known of the function. One that is pairwise independent does so with probability
//            above 1/2 if the array has as many entries as the square of the group; of a few functions one nearly always does.
// Layout     Function j: the top bits of (a_j x + b_j) mod 2^128, a_j odd, where x is the digest folded to one word. Words of the arrays
//            are made by the mixer when they are asked for, entry by entry: the same numbers at every asking, and no megabytes.
//            Seed s is function s mod J; from seed J on the words found are mixed with s / J.
// Source     [Por09] section 6; [Die96] for the functions.
#pragma once

#include <cstdint>

#include <umbel/base/integers.hpp>
#include <umbel/hash/digest.hpp>

namespace umbel::core {

class pairwise_source {
 public:
  pairwise_source() = default;
  pairwise_source(unsigned candidate_bits, unsigned entry_bits) noexcept
      : candidate_bits_(candidate_bits), entry_bits_(entry_bits) {}

  [[nodiscard]] std::uint64_t candidates() const noexcept { return std::uint64_t{1} << candidate_bits_; }
  [[nodiscard]] std::uint64_t entries() const noexcept { return std::uint64_t{1} << entry_bits_; }
  [[nodiscard]] std::uint64_t candidate(std::uint64_t seed) const noexcept { return seed & (candidates() - 1); }

  // Which entry a function sends the digest to.
  [[nodiscard]] std::uint64_t entry(digest d, std::uint64_t candidate) const noexcept {
    constexpr detail::remixer fold{detail::salt_of(detail::stage::rows, fold_number)};
    const std::uint64_t own = detail::remix(family, candidate);
    const auto wide = [](std::uint64_t high, std::uint64_t low) {
      return static_cast<detail::uint128>(high) << 64 | low;
    };
    const detail::uint128 a = wide(detail::remix(own, 0), detail::remix(own, 1) | 1);
    const detail::uint128 b = wide(detail::remix(own, 2), detail::remix(own, 3));
    return static_cast<std::uint64_t>((a * fold(d).first() + b) >> 64) >> 1 >> (63 - entry_bits_);
  }
  // A row of this many bits; words past the last are 0 up to an even number.
  void draw(digest d, std::uint64_t seed, std::uint64_t bits, std::uint64_t* out) const noexcept {
    const std::uint64_t which = candidate(seed);
    const std::uint64_t found = detail::remix(detail::remix(family + 1, which), entry(d, which));
    const std::uint64_t round = seed >> candidate_bits_;
    const std::uint64_t words = detail::ceil_div(bits, 64);
    for (std::uint64_t i = 0; i < words; ++i) out[i] = detail::remix(found, round * 64 + i);
    if (words % 2 != 0) out[words] = 0;
    if (bits % 64 != 0) out[words - 1] &= detail::low_mask(static_cast<unsigned>(bits % 64));
  }

 private:
  static constexpr std::uint64_t family = 0x5EED0FA5E7;
  static constexpr std::uint64_t fold_number = 0x80000000;

  unsigned candidate_bits_ = 4, entry_bits_ = 14;
};

}  // namespace umbel::core
