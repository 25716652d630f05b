// digest_lanes.hpp - the digests of eight keys at once, with AVX-512.
//
// Invariant  The same bits as hasher and remixer, implemented a second time. The tests of the
//            structures that use these functions compare both.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <umbel/cells/kernel/lanes.hpp>
#include <umbel/hash/hasher.hpp>

#if defined(__x86_64__)
namespace umbel::core::eight {

namespace kernel = cells::kernel::avx512;
using kernel::all, kernel::lane_count, kernel::lanes;

struct digests {
  lanes hi, lo;
};
[[nodiscard, UMBEL_LANES, gnu::always_inline]] inline kernel::products remixed(
    const digest& salts, const digests& d) noexcept {
  return kernel::full_product(d.hi ^ salts.hi, d.lo ^ salts.lo);
}
[[nodiscard, UMBEL_LANES, gnu::always_inline]] inline lanes first_of(
    const kernel::products& words) noexcept {
  return words.high ^ words.low;
}
[[nodiscard, UMBEL_LANES, gnu::always_inline]] inline lanes second_of(
    const kernel::products& words) noexcept {
  return words.high + (words.low << 32 | words.low >> 32);
}

// Eight digests, from the i-th on.
template <std::integral K>
requires(sizeof(K) == 8)  //
    [[nodiscard, UMBEL_LANES, gnu::always_inline]] inline digests
    digests_at(const detail::integer_digests<K>& digest_at, std::size_t i) noexcept {
  const lanes x =
      kernel::load(reinterpret_cast<const std::uint64_t*>(digest_at.keys + i)) ^ digest_at.mask;
  const kernel::products product = kernel::full_product(x, all(detail::integer_factor));
  return {first_of(product), product.low};
}
[[nodiscard, UMBEL_LANES, gnu::always_inline]] inline digests digests_at(
    const detail::digest_list& digest_at, std::size_t i) noexcept {
  const auto* const words = reinterpret_cast<const std::uint64_t*>(digest_at.first + i);
  const lanes a = kernel::load(words), b = kernel::load(words + lane_count);
  return {__builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14),
          __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15)};
}
template <class DigestAt>
[[nodiscard, UMBEL_LANES]] inline digests digests_at(const DigestAt& digest_at,
                                                     std::size_t i) noexcept {
  digest some[lane_count];
  for (unsigned lane = 0; lane < lane_count; ++lane) some[lane] = digest_at(i + lane);
  return digests_at(detail::digest_list{some}, 0);
}

}  // namespace umbel::core::eight
#endif
