// sizing/generalized.ipp - bodies of sizing/generalized.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include <umbel/sizing/bloom.hpp>
#include <umbel/sizing/generalized.hpp>

namespace umbel::sizing {

namespace detail {

// Probability that none of k draws hits a given one of m bits. If m = 1 the bit is always hit.
[[nodiscard]] inline double none_of(double m, double k) {
  return k == 0 ? 1 : std::exp(k * std::log1p(-1 / m));
}
[[nodiscard]] inline double some_of(double m, double k) {
  return k == 0 ? 0 : -std::expm1(k * std::log1p(-1 / m));
}

// Binary search: the least integer in [least, most] that satisfies `holds`, if all larger ones do;
// `most` if none below does.
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
UMBEL_INLINE double generalized::sets() const {
  return detail::some_of(m, k1) * detail::none_of(m, k0);
}

UMBEL_INLINE double generalized::clear_after(double n, double start) const {
  if (n == 0) return start;
  const double kept = detail::none_of(m, (k0 + k1) * n), q0 = clears();
  return start * kept + q0 / (q0 + sets()) * (1 - kept);
}

UMBEL_INLINE double generalized::fpr(double clear) const {
  const double z = clear * m;
  const auto draws = static_cast<unsigned>(k0);
  // hit[g]: probability that all draws so far hit clear bits, g distinct ones. Each of the k1 other
  // draws must then hit one of the m - z set bits or one of these g, which the key itself clears.
  std::array<double, generalized_max_probes + 1> hit{};
  hit[0] = 1;
  for (unsigned i = 0; i < draws; ++i)
    for (unsigned g = i + 1;; --g) {
      const double again = hit[g] * g / m;
      hit[g] = g == 0 ? again : again + hit[g - 1] * std::max(0.0, z - g + 1) / m;
      if (g == 0) break;
    }
  double rate = 0;
  for (unsigned g = 0; g <= draws; ++g)
    if (hit[g] != 0) rate += hit[g] * std::pow(std::min(1.0, 1 - (z - g) / m), k1);
  return rate;
}
UMBEL_INLINE double generalized::worst_clear() const {
  // The rate is unimodal in z: ternary search. Uses integers, because above 2^53 bits a step of 1
  // does not change a double and the search would not end.
  const auto rate_at = [&](std::uint64_t z) { return fpr(static_cast<double>(z) / m); };
  std::uint64_t low = 0, high = static_cast<std::uint64_t>(m);
  while (high - low > 8) {
    const std::uint64_t third = (high - low) / 3, left = low + third, right = high - third;
    if (rate_at(left) < rate_at(right))
      low = left;
    else
      high = right;
  }
  double best = static_cast<double>(low), largest = -1;
  for (std::uint64_t z = low; z <= high; ++z)
    if (const double rate = rate_at(z); rate > largest)
      largest = rate, best = static_cast<double>(z);
  return best;
}
UMBEL_INLINE double generalized::bound() const { return fpr(worst_clear() / m); }
UMBEL_INLINE double generalized::limit() const {
  const double k = k0 + k1;
  return std::pow(k0 / k, k0) * std::pow(k1 / k, k1);
}

UMBEL_INLINE double generalized::fnr(double j) const {
  if (j == 0) return 0;
  const double lost = detail::some_of(m, (k0 + k1) * j), q0 = clears(), q1 = sets();
  // A bit that the key cleared is still clear unless the last later key that touched it set it. The
  // same holds for bits it set, with the roles exchanged.
  const auto kept = [&](double of, double by) {
    return of == 0 ? 0 : m * of * std::log1p(-lost * by / (q0 + q1));
  };
  return -std::expm1(kept(q0, q1) + kept(q1, q0));
}
UMBEL_INLINE double generalized::mean_fnr(std::uint64_t n) const {
  double sum = 0;
  for (std::uint64_t j = 0; j < n; ++j) sum += fnr(static_cast<double>(j));
  return n == 0 ? 0 : sum / static_cast<double>(n);
}

UMBEL_INLINE std::optional<std::uint64_t> generalized_bits_for_rate(double eps, unsigned k0,
                                                                    unsigned k1) {
  const auto keeps = [&](std::uint64_t m) {
    return generalized{static_cast<double>(m), double(k0), double(k1)}.bound() <= eps;
  };
  if (generalized{1, double(k0), double(k1)}.limit() >= eps) return std::nullopt;
  std::uint64_t enough = 2;
  while (enough < max_bits && !keeps(enough)) enough *= 2;
  if (!keeps(enough)) return std::nullopt;
  return detail::least_that(enough / 2, enough, keeps);
}

UMBEL_INLINE std::uint64_t generalized_bits(std::uint64_t n, unsigned k0, unsigned k1,
                                            double forgets) {
  return detail::least_that(2, max_bits, [&](std::uint64_t m) {
    return generalized{static_cast<double>(m), double(k0), double(k1)}.fnr(
               static_cast<double>(n)) <= forgets;
  });
}
UMBEL_INLINE std::uint64_t generalized_room(std::uint64_t m, unsigned k0, unsigned k1,
                                            double forgets) {
  // upper limit of the search; a filter of one bit forgets nothing
  constexpr std::uint64_t most = std::uint64_t{1} << 50;
  const generalized filter{static_cast<double>(m), double(k0), double(k1)};
  return detail::least_that(
             1, most + 1,
             [&](std::uint64_t n) { return filter.fnr(static_cast<double>(n)) > forgets; }) -
         1;
}
UMBEL_INLINE unsigned generalized_probes_that_keep(std::uint64_t n, std::uint64_t m,
                                                   double forgets) {
  unsigned k = 1;
  while (k < generalized_max_probes && generalized{static_cast<double>(m), k + 1.0, k + 1.0}.fnr(
                                           static_cast<double>(n)) <= forgets)
    ++k;
  return k;
}

UMBEL_INLINE generalized_shape plan_generalized(std::uint64_t n, double eps, unsigned sets,
                                                std::optional<unsigned> clears, double forgets) {
  const unsigned first = sets != 0 ? sets : 1, last = sets != 0 ? sets : generalized_max_probes;
  std::optional<generalized_shape> best;
  for (unsigned k = first; k <= last; ++k) {
    const unsigned k0 = clears.value_or(k);
    const std::uint64_t kept = generalized_bits(n, k0, k, forgets);
    if (best && kept >= best->bits) break;  // more probes need more bits from here on
    const auto enough = generalized_bits_for_rate(eps, k0, k);
    if (enough && (!best || std::max(kept, *enough) < best->bits))
      best = {std::max(kept, *enough), k, k0};
  }
  if (best) return *best;
  const unsigned k0 = clears.value_or(last);
  return {generalized_bits(n, k0, last, forgets), last, k0};
}
UMBEL_INLINE generalized_shape plan_generalized_for_bits(std::uint64_t m, double eps, unsigned sets,
                                                         std::optional<unsigned> clears) {
  unsigned k = sets != 0 ? sets : 1;
  const auto keeps = [&] {
    return generalized{static_cast<double>(m), double(clears.value_or(k)), double(k)}.bound() <=
           eps;
  };
  while (sets == 0 && k < generalized_max_probes && !keeps()) ++k;
  return {m, k, clears.value_or(k)};
}

}  // namespace umbel::sizing
