// sizing/generalized.ipp - bodies of sizing/generalized.hpp.
#pragma once

#include <algorithm>
#include <cmath>

#include <umbel/sizing/bloom.hpp>
#include <umbel/sizing/generalized.hpp>

namespace umbel::sizing {

namespace detail {

// The chance that none of k draws hits a given one of m bits; a single bit is always hit.
[[nodiscard]] inline double none_of(double m, double k) { return k == 0 ? 1 : std::exp(k * std::log1p(-1 / m)); }
[[nodiscard]] inline double some_of(double m, double k) { return k == 0 ? 0 : -std::expm1(k * std::log1p(-1 / m)); }

// The least whole number from `least` on that will do, if all larger ones do too; at most `most`.
template <class Holds>
[[nodiscard]] std::uint64_t least_that(std::uint64_t least, std::uint64_t most, Holds&& holds) {
  while (least < most) {
    const std::uint64_t middle = least + (most - least) / 2;
    if (holds(middle))
      most = middle;
    else
      least = middle + 1;
  }
  return least;
}

}  // namespace detail

UMBEL_INLINE double generalized::clears() const { return detail::some_of(m, k0); }
UMBEL_INLINE double generalized::sets() const { return detail::some_of(m, k1) * detail::none_of(m, k0); }

UMBEL_INLINE double generalized::clear_after(double n, double start) const {
  if (n == 0) return start;
  const double kept = detail::none_of(m, (k0 + k1) * n), q0 = clears();
  return start * kept + q0 / (q0 + sets()) * (1 - kept);
}

UMBEL_INLINE double generalized::fpr(double clear) const {
  return std::pow(clear, m * clears()) * std::pow(1 - clear, m * sets());
}
UMBEL_INLINE double generalized::bound() const { return fpr(clears() / (clears() + sets())); }

UMBEL_INLINE double generalized::fnr(double j) const {
  if (j == 0) return 0;
  const double lost = detail::some_of(m, (k0 + k1) * j), q0 = clears(), q1 = sets();
  // Bits it cleared are found so unless a later key touched them last and set them; the same the other way round.
  const auto kept = [&](double of, double by) { return of == 0 ? 0 : m * of * std::log1p(-lost * by / (q0 + q1)); };
  return -std::expm1(kept(q0, q1) + kept(q1, q0));
}
UMBEL_INLINE double generalized::mean_fnr(std::uint64_t n) const {
  double sum = 0;
  for (std::uint64_t j = 0; j < n; ++j) sum += fnr(static_cast<double>(j));
  return n == 0 ? 0 : sum / static_cast<double>(n);
}

UMBEL_INLINE unsigned generalized_probes(double eps) {
  return static_cast<unsigned>(std::clamp(std::ceil(-std::log2(eps) / 2 - 1e-9), 1.0, double{generalized_max_probes}));
}

UMBEL_INLINE std::uint64_t generalized_bits(std::uint64_t n, unsigned k0, unsigned k1, double forgets) {
  return detail::least_that(2, max_bits, [&](std::uint64_t m) {
    return generalized{static_cast<double>(m), double(k0), double(k1)}.fnr(static_cast<double>(n)) <= forgets;
  });
}
UMBEL_INLINE std::uint64_t generalized_room(std::uint64_t m, unsigned k0, unsigned k1, double forgets) {
  constexpr std::uint64_t most = std::uint64_t{1} << 50;  // keys anybody may ask for; a single bit forgets none
  const generalized filter{static_cast<double>(m), double(k0), double(k1)};
  return detail::least_that(1, most + 1,
                            [&](std::uint64_t n) { return filter.fnr(static_cast<double>(n)) > forgets; }) -
         1;
}
UMBEL_INLINE unsigned generalized_most_probes(std::uint64_t n, std::uint64_t m, double forgets) {
  unsigned k = 1;
  while (k < generalized_max_probes &&
         generalized{static_cast<double>(m), k + 1.0, k + 1.0}.fnr(static_cast<double>(n)) <= forgets)
    ++k;
  return k;
}

}  // namespace umbel::sizing
