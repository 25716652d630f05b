// sizing/cuckoo.ipp - bodies of sizing/cuckoo.hpp.
#pragma once

#include <algorithm>
#include <cmath>

#include <umbel/base/integers.hpp>
#include <umbel/sizing/cuckoo.hpp>

namespace umbel::sizing {

namespace detail {

[[nodiscard]] inline unsigned cuckoo_least_width(bool sorted) { return sorted ? 4 : 2; }
[[nodiscard]] inline unsigned cuckoo_max_width(unsigned b, bool sorted) {
  return sorted ? 16 : std::min(32U, 128 / b);
}
[[nodiscard]] inline unsigned cuckoo_slot_bits(unsigned f, bool sorted) {
  return f - (sorted ? 1 : 0);
}
[[nodiscard]] inline std::uint64_t even_buckets(double nb) {
  return 2 * static_cast<std::uint64_t>(std::ceil(nb / 2));
}

// The number of buckets within `bits`, at least two.
[[nodiscard]] inline std::uint64_t cuckoo_buckets_in(std::uint64_t bits, unsigned b,
                                                     unsigned slot_bits) {
  const std::uint64_t cells = std::max<std::uint64_t>(bits / 64, 1) * 64 - 64;
  return std::max<std::uint64_t>(cells / (b * slot_bits) / 2, 1) * 2;
}
// Number of keys at which the rate reaches eps.
[[nodiscard]] inline std::uint64_t cuckoo_keys_at(double eps, std::uint64_t nb, unsigned f) {
  const double each =
      std::log1p(-2 / (static_cast<double>(nb) * static_cast<double>(umbel::detail::low_mask(f))));
  return static_cast<std::uint64_t>(std::min(std::log1p(-eps) / each * (1 + 1e-12), 0x1p50));
}

}  // namespace detail

UMBEL_INLINE double cuckoo_load(unsigned b) { return b == 2 ? 0.84 : b == 4 ? 0.95 : 0.98; }

UMBEL_INLINE double cuckoo_fpr(std::uint64_t n, std::uint64_t nb, unsigned f) {
  const double chance =
      2 / (static_cast<double>(nb) * static_cast<double>(umbel::detail::low_mask(f)));
  return -std::expm1(static_cast<double>(n) * std::log1p(-chance));
}

// Load: the key count at which the first insert fails has a standard deviation below
// sqrt(slots) / 4 (0.4 for b = 2), and its mean is above the load by at least as much. Crowds:
// there are C(n, k) ways to choose k = 2b + 2 keys, one more than two buckets and the victim hold.
// They all have the same pair with probability pairs^(1-k).
UMBEL_INLINE std::uint64_t cuckoo_buckets(std::uint64_t n, unsigned b, unsigned f) {
  if (n <= 2 * b) return 2;
  const auto keys = static_cast<double>(n);
  const double load = cuckoo_load(b), slack = b == 2 ? 2 : 1;
  const double root = (slack + std::sqrt(slack * slack + 4 * load * keys)) / (2 * load);
  const unsigned crowd = 2 * b + 2;
  double ways = 0;
  for (unsigned i = 0; i < crowd; ++i) ways += std::log(std::max(keys - i, 1.0) / (i + 1));
  const double pairs = std::exp((ways - std::log(cuckoo_misfit)) / (crowd - 1));
  const double half =
      std::max(std::sqrt(pairs), pairs / static_cast<double>(umbel::detail::low_mask(f)));
  return std::max(detail::even_buckets(root * root / b), detail::even_buckets(2 * half));
}

UMBEL_INLINE std::uint64_t cuckoo_room(std::uint64_t nb, unsigned b, unsigned f) {
  std::uint64_t fits = 0, too_many = nb * b + 1;
  while (too_many - fits > 1) {
    const std::uint64_t middle = fits + (too_many - fits) / 2;
    (cuckoo_buckets(middle, b, f) <= nb ? fits : too_many) = middle;
  }
  return fits;
}

UMBEL_INLINE std::uint64_t cuckoo_bits(std::uint64_t nb, unsigned b, unsigned f, bool sorted) {
  return (umbel::detail::ceil_div(nb * b * detail::cuckoo_slot_bits(f, sorted), 64) + 1) * 64;
}

UMBEL_INLINE cuckoo_plan plan_cuckoo_for_rate(std::uint64_t n, double eps, unsigned b,
                                              bool sorted) {
  const auto kept = [&](const cuckoo_plan& p) { return p.fpr <= eps * (1 + 1e-9); };
  // allowed share of non-members per key
  const double share = n == 0 ? 1 : -std::expm1(std::log1p(-eps) / static_cast<double>(n));
  cuckoo_plan best{};
  const auto size = [](const cuckoo_plan& p) {
    return p.buckets * detail::cuckoo_slot_bits(p.width, p.sorted);
  };
  for (unsigned f = detail::cuckoo_least_width(sorted); f <= detail::cuckoo_max_width(b, sorted);
       ++f) {
    const std::uint64_t least = cuckoo_buckets(n, b, f);
    const double wanted = 2 / (share * static_cast<double>(umbel::detail::low_mask(f)));
    const std::uint64_t nb =
        std::max(least, detail::even_buckets(std::min(wanted, 1.5 * static_cast<double>(least))));
    const cuckoo_plan made{n, nb, b, f, sorted, cuckoo_fpr(n, nb, f)};
    const bool better = kept(made) == kept(best)
                            ? kept(made) ? size(made) < size(best) : made.fpr < best.fpr
                            : kept(made);
    if (best.width == 0 || better) best = made;
  }
  return best;
}

// The widths at which at least two buckets fit into `bits`, and the narrowest width in any case.
namespace detail {
template <class Work>
void for_each_cuckoo_shape(std::uint64_t bits, unsigned b, bool sorted, Work&& work) {
  const unsigned least = cuckoo_least_width(sorted);
  for (unsigned f = cuckoo_max_width(b, sorted); f >= least; --f)
    if (const std::uint64_t nb = cuckoo_buckets_in(bits, b, cuckoo_slot_bits(f, sorted));
        cuckoo_bits(nb, b, f, sorted) <= bits || f == least)
      work(nb, f);
}
}  // namespace detail

// From wide tags to narrow ones: the first width at which all keys fit is the best.
UMBEL_INLINE cuckoo_plan plan_cuckoo_for_bits(std::uint64_t n, std::uint64_t bits, unsigned b,
                                              bool sorted) {
  cuckoo_plan most{};
  detail::for_each_cuckoo_shape(bits, b, sorted, [&](std::uint64_t nb, unsigned f) {
    if (most.width != 0 && most.keys >= n) return;
    const std::uint64_t keys = std::min(n, cuckoo_room(nb, b, f));
    if (most.width == 0 || keys > most.keys)
      most = {keys, nb, b, f, sorted, cuckoo_fpr(keys, nb, f)};
  });
  return most;
}

UMBEL_INLINE cuckoo_plan cuckoo_room_for(std::uint64_t bits, double eps, unsigned b, bool sorted) {
  cuckoo_plan most{};
  detail::for_each_cuckoo_shape(bits, b, sorted, [&](std::uint64_t nb, unsigned f) {
    const std::uint64_t keys = std::min(cuckoo_room(nb, b, f), detail::cuckoo_keys_at(eps, nb, f));
    if (most.width == 0 || keys > most.keys)
      most = {keys, nb, b, f, sorted, cuckoo_fpr(keys, nb, f)};
  });
  return most;
}

}  // namespace umbel::sizing
