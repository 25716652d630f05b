// packet_mask.hpp - the Bloom filter field of a packet, and the masks of nodes and links in it
// [WW02], [JZA09].
//
// Layout     Whole words; bit i is bit i mod 64 of word i / 64.
// Invariant  A drawn mask has exactly the requested number of ones, and depends only on the digest
//            and the number.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <umbel/base/error.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/base/text.hpp>
#include <umbel/hash/digest.hpp>

namespace umbel::net {

template <unsigned Bits>
struct packet_mask {
  static_assert(Bits % 64 == 0 && Bits > 0);
  std::array<std::uint64_t, Bits / 64> words{};

  // Returns `ones` if a mask can have that many, or throws bad_parameter.
  [[nodiscard]] static unsigned checked(unsigned ones) {
    if (ones < 1 || ones > Bits / 2)
      throw bad_parameter(detail::text("ones: expected 1 to ", Bits / 2, ", found ", ones));
    return ones;
  }
  // Distinct random bits derived from this digest; different for every number.
  [[nodiscard]] static constexpr packet_mask drawn(digest d, unsigned ones,
                                                   std::uint64_t number = 0) noexcept {
    packet_mask out;
    const std::uint64_t seed = detail::remix(
        detail::fold_product(d.hi ^ detail::golden, d.lo ^ detail::mix64(d.hi)), number);
    for (std::uint64_t i = 0; out.ones() < ones; ++i) {
      const std::uint64_t bit = detail::fastrange(detail::remix(seed, i), Bits);
      out.words[bit / 64] |= std::uint64_t{1} << (bit % 64);
    }
    return out;
  }
  [[nodiscard]] constexpr unsigned ones() const noexcept {
    unsigned sum = 0;
    for (const std::uint64_t word : words) sum += static_cast<unsigned>(std::popcount(word));
    return sum;
  }
  [[nodiscard]] constexpr double fill() const noexcept {
    return static_cast<double>(ones()) / Bits;
  }
  [[nodiscard]] constexpr bool contains(const packet_mask& other) const noexcept {
    std::uint64_t missing = 0;
    for (std::size_t i = 0; i < words.size(); ++i) missing |= other.words[i] & ~words[i];
    return missing == 0;
  }
  constexpr packet_mask& operator|=(const packet_mask& other) noexcept {
    for (std::size_t i = 0; i < words.size(); ++i) words[i] |= other.words[i];
    return *this;
  }
  friend constexpr bool operator==(const packet_mask&, const packet_mask&) = default;
};

}  // namespace umbel::net
