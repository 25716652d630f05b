// walks.ipp - bodies of walks.hpp.
#pragma once

#include <bit>

#include <umbel/base/integers.hpp>
#include <umbel/engine/probe/walks.hpp>

namespace umbel::core {

namespace walks {

// Two constants of DCSO's library; the prime is the largest below 2^64.
inline constexpr std::uint64_t dcso_prime = 0xFFFFFFFFFFFFFFC5, dcso_factor = 0xFFFFFFFFFFFFFA43;
inline constexpr std::uint64_t mersenne61 = (std::uint64_t{1} << 61) - 1;

[[nodiscard]] constexpr std::uint64_t add(std::uint64_t a, std::uint64_t b,
                                          std::uint64_t m) noexcept {
  return a >= m - b ? a - (m - b) : a + b;
}
[[nodiscard]] constexpr std::uint64_t modulo61(detail::uint128 x) noexcept {
  std::uint64_t folded =
      static_cast<std::uint64_t>(x & mersenne61) + static_cast<std::uint64_t>(x >> 61);
  folded = (folded & mersenne61) + (folded >> 61);
  return folded == mersenne61 ? 0 : folded;
}
// A step is never 0, because a walk that does not move has only one cell. It is odd if the number
// of cells is even.
[[nodiscard]] constexpr std::uint64_t step(std::uint64_t word, std::uint64_t m) noexcept {
  return m % 2 == 0 ? (word | 1) % m : word % (m - 1) + 1;
}

// The i-th random word of a salt, after the two that remix digests.
[[nodiscard]] constexpr std::uint64_t word_of(const walk_shape& at, std::uint64_t i) noexcept {
  return detail::remix(detail::salt_of(detail::stage::probes, at.salt), 2 + i);
}

[[nodiscard]] constexpr std::uint64_t pairwise(const walk_shape& at, std::uint64_t x,
                                               std::uint64_t i) noexcept {
  const std::uint64_t a = word_of(at, 2 * i) % (mersenne61 - 1) + 1,
                      b = word_of(at, 2 * i + 1) % mersenne61;
  return modulo61(static_cast<detail::uint128>(a) * x + b) % at.cells;
}

[[nodiscard]] constexpr std::uint64_t h3(const walk_shape& at, std::uint64_t x,
                                         std::uint64_t i) noexcept {
  std::uint64_t out = 0;
  for (; x != 0; x &= x - 1)
    out ^= word_of(at, 64 * i + static_cast<unsigned>(std::countr_zero(x)));
  return out & (at.cells - 1);
}

}  // namespace walks

UMBEL_INLINE walk modular_walk(scheme options, std::uint64_t m, std::uint64_t h1, std::uint64_t h2,
                               std::uint64_t h3) noexcept {
  switch (options) {
    // i^2 has differences 1, 3, 5 ...
    case scheme::extended: return {h1, walks::add(h2, 1 % m, m), 2 % m, 0};
    // (i^3 - i)/6 has 0, 1, 3, 6 ...
    case scheme::enhanced: return {h1, h2, 1 % m, 1 % m};
    case scheme::triple_modular: return {h1, h2, h3, 0};
    default: return {h1, h2, 0, 0};
  }
}

UMBEL_INLINE walk start_walk(const walk_shape& at, digest d,
                             const detail::remixed& words) noexcept {
  const std::uint64_t m = at.cells, first = words.first(), second = words.second();
  switch (at.options) {
    case scheme::plain_double:
    case scheme::extended:
    case scheme::enhanced:
    case scheme::triple_modular: {
      const std::uint64_t third =
          detail::fold_product(first ^ std::rotl(second, 32), detail::golden);
      // `second` is the product of the digest's halves modulo 2^32 - 1, except for a carry: 47 % of
      // its values are multiples of 3, 31 % of 5. It is good enough as a whole word, but its
      // remainders need another round.
      const std::uint64_t step = walks::step(detail::mix64(second), m);
      // i^2 adds 1 to the first step and 2 to every later one: with an odd h2 all cells of a key
      // would have the same parity.
      return modular_walk(at.options, m, first % m,
                          at.options == scheme::extended ? step - 1 : step, third % m);
    }
    case scheme::crc:
      return modular_walk(at.options, m, (d.hi >> 32) % m, walks::step(d.lo >> 32, m), 0);
    case scheme::chunks: return {d.hi, d.lo, 0, 0};
    case scheme::dcso: return {d.hi % walks::dcso_prime, 0, 0, 0};
    case scheme::pairwise: return {walks::modulo61(d.lo), 0, 0, 0};
    case scheme::h3: return {d.lo, 0, 0, 0};
    case scheme::rng: return {first != 0 ? first : detail::golden, 0, 0, 0};
    case scheme::triple: return {first, second, words.third(), 0};
    case scheme::independent:
    case scheme::partitioned: break;
  }
  return {first, 0, 0, 0};
}

UMBEL_INLINE std::uint64_t next_cell(const walk_shape& at, walk& w) noexcept {
  const std::uint64_t m = at.cells;
  switch (at.options) {
    case scheme::plain_double:
    case scheme::extended:
    case scheme::enhanced:
    case scheme::triple_modular:
    case scheme::crc: {
      const std::uint64_t cell = w.x;
      w.x = walks::add(w.x, w.y, m);
      w.y = walks::add(w.y, w.z, m);
      w.z = walks::add(w.z, w.u, m);
      return cell;
    }
    case scheme::chunks: {
      const std::uint64_t cell = (w.x >> 32) % m;
      w.x = w.x << 32 | w.y >> 32;
      w.y <<= 32;
      return cell;
    }
    case scheme::dcso:  // the product is cut to 64 bits before it is reduced
      w.x = w.x * walks::dcso_factor % walks::dcso_prime;
      return w.x % m;
    case scheme::pairwise: return walks::pairwise(at, w.x, w.y++);
    case scheme::h3: return walks::h3(at, w.x, w.y++);
    case scheme::rng:  // xorshift64*
      w.x ^= w.x >> 12;
      w.x ^= w.x << 25;
      w.x ^= w.x >> 27;
      return detail::fastrange(w.x * 0x2545F4914F6CDD1D, m);
    case scheme::partitioned: {
      const std::uint64_t slice = m / at.probes;
      const std::uint64_t cell = w.y + detail::fastrange(detail::mix64(w.x), slice);
      w.x += detail::golden;
      w.y += slice;
      return cell;
    }
    case scheme::triple: {
      const std::uint64_t cell = detail::fastrange(w.x, m);
      w.x += w.y;
      w.y += w.z;
      return cell;
    }
    case scheme::independent: break;
  }
  const std::uint64_t cell = detail::fastrange(detail::mix64(w.x), m);
  w.x += detail::golden;
  return cell;
}

}  // namespace umbel::core
