// sizing/blocked.hpp - blocked Bloom filters [PSS07]: the false positive rate under the Poisson
// load of blocks.
//
// With b bits per block and c bits per key, a block holds Poisson(b/c) keys. The rate is the
// block's own rate averaged over that load. It is exact: the probability that d given bits are all
// set follows by inclusion-exclusion over the bits that a key misses.
//
// Source     [PSS07] for blocks; the Parquet format specification for lanes.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include <umbel/base/block_shape.hpp>
#include <umbel/base/config.hpp>
#include <umbel/sizing/crossing.hpp>

namespace umbel::sizing {

using umbel::detail::block_shape;

inline constexpr unsigned max_block_probes = 16;

// One group that gets `probes` bits per key: the probability that a key misses given bits, and the
// distribution of the number of distinct bits a non-member probes.
class block_group {
 public:
  block_group(const block_shape& shape, unsigned probes)
      : bits_(shape.group_bits), probes_(probes) {
    missed_.fill(1);
    looked_at_[0] = 1;
    for (unsigned left = probes; left > 0; left -= std::min(left, shape.round))
      add_round(std::min(left, shape.round));
    for (unsigned d = 0; d <= probes; ++d) {
      double choose = looked_at_[d];
      for (unsigned r = 0; r <= d; choose = -choose * (d - r) / (r + 1), ++r)
        excluded_[r] += choose;
    }
    if (shape.in_two)
      for (double& missed : missed_) missed = 1 - 2.0 / shape.groups * (1 - missed);
  }
  [[nodiscard]] unsigned probes() const noexcept { return probes_; }
  // Probability that one key misses `r` given bits.
  [[nodiscard]] double missed(unsigned r) const noexcept { return missed_[r]; }
  // False positive rate if all keys miss r given bits with probability clear[r]:
  // inclusion-exclusion (sizing/exclusion.hpp), summed over the number of distinct bits a
  // non-member probes.
  [[nodiscard]] double rate(const std::array<double, max_block_probes + 1>& clear) const noexcept {
    double sum = 0;
    for (unsigned r = 0; r <= probes_; ++r) sum += excluded_[r] * clear[r];
    return std::max(0.0, sum);
  }
  // The same for a non-member that probes two groups: clear(r, s) is the probability that all keys
  // miss r given bits of one and s of the other.
  template <class Clear>
  [[nodiscard]] double rate_of_two(Clear&& clear) const {
    double sum = 0;
    for (unsigned r = 0; r <= probes_; ++r)
      for (unsigned s = 0; s <= probes_; ++s) sum += excluded_[r] * excluded_[s] * clear(r, s);
    return std::max(0.0, sum);
  }
  // False positive rate if `ones` bits of the group are set.
  [[nodiscard]] double rate_at(unsigned ones) const noexcept {
    double sum = 0, all_set = 1;
    for (unsigned d = 0; d <= probes_ && d <= ones; ++d) {
      sum += looked_at_[d] * all_set;
      all_set *= static_cast<double>(ones - d) / (bits_ - d);
    }
    return sum;
  }

 private:
  void add_round(unsigned size) {
    const double b = bits_;
    for (unsigned r = 1; r <= max_block_probes; ++r)
      for (unsigned s = 0; s < size; ++s) missed_[r] *= std::max(0.0, b - r - s) / (b - s);
    // one bit at a time: a bit of this round differs from the s bits before it
    for (unsigned s = 0; s < size; ++s) {
      std::array<double, max_block_probes + 1> after{};
      for (unsigned d = s; d < max_block_probes; ++d) {
        const double again = (d - s) / (b - s);
        after[d] += looked_at_[d] * again;
        after[d + 1] += looked_at_[d] * (1 - again);
      }
      looked_at_ = after;
    }
  }

  unsigned bits_, probes_;
  std::array<double, max_block_probes + 1> missed_;
  std::array<double, max_block_probes + 1> looked_at_{}, excluded_{};
};

// Sum over i of Poisson(i; mean) * rate(i), to 12 standard deviations on both sides. `rate` may
// take a second argument, whether this i is the first, and compute its value from the previous one.
template <class Rate>
[[nodiscard]] double poisson_average(double mean, Rate&& rate) {
  const double reach = 12 * std::sqrt(mean) + 30;
  double i = std::max(0.0, std::floor(mean - reach)), sum = 0;
  double weight = std::exp(i * std::log(mean) - mean - std::lgamma(i + 1));
  for (bool first = true; i <= mean + reach; weight *= mean / ++i, first = false) {
    if constexpr (std::is_invocable_v<Rate&, double, bool>)
      sum += weight * rate(i, first);
    else
      sum += weight * rate(i);
  }
  return sum;
}

// Probabilities that i keys miss given bits, for consecutive i: powers by multiplication.
class block_clear {
 public:
  explicit block_clear(const block_group& group) noexcept : group_(group) {}
  void follow(double i, bool first) noexcept {
    for (unsigned r = 0; r <= group_.probes(); ++r)
      clear_[r] = first ? std::pow(group_.missed(r), i) : clear_[r] * group_.missed(r);
  }
  [[nodiscard]] const std::array<double, max_block_probes + 1>& values() const noexcept {
    return clear_;
  }

 private:
  const block_group& group_;
  std::array<double, max_block_probes + 1> clear_{};
};

// Probability that a key which marks two groups misses r given bits of one group and s of another.
[[nodiscard]] inline double missed_in_two(const block_shape& shape, const block_group& group,
                                          unsigned r, unsigned s) noexcept {
  // probability that it marks these groups
  const double one = 2.0 / shape.groups, both = one / (shape.groups - 1);
  const double hit_r = (1 - group.missed(r)) / one, hit_s = (1 - group.missed(s)) / one;
  return 1 - one * (hit_r + hit_s) + both * hit_r * hit_s;
}

// False positive rate of blocks of one shape, for any number of bits per key.
class block_rate {
 public:
  explicit block_rate(const block_shape& shape)
      : shape_(shape),
        large_(shape, shape.probes_in(0)),
        small_(shape, shape.probes_in(shape.groups - 1)) {}
  [[nodiscard]] double operator()(double bits_per_key) const {
    return shape_.in_two ? of_two(bits_per_key) : of_all(bits_per_key);
  }

 private:
  [[nodiscard]] double of_all(double bits_per_key) const {
    const unsigned many = shape_.probes % shape_.groups;  // groups with one probe more
    const double stays = shape_.patterns > 0 ? 1 - 1.0 / shape_.patterns : 1;
    block_clear clear_large(large_), clear_small(small_);
    double new_mask = 1;  // probability that no key of the block has the non-member's mask
    return poisson_average(shape_.bits() / bits_per_key, [&](double i, bool first) {
      clear_small.follow(i, first);
      double out = 1;
      const double rate = small_.rate(clear_small.values());
      for (unsigned g = many; g < shape_.groups; ++g) out *= rate;
      if (many > 0) {
        clear_large.follow(i, first);
        const double more = large_.rate(clear_large.values());
        for (unsigned g = 0; g < many; ++g) out *= more;
      }
      new_mask = first ? std::pow(stays, i) : new_mask * stays;
      return 1 - (1 - out) * new_mask;
    });
  }
  // The Poisson average of a power has a closed form.
  [[nodiscard]] double of_two(double bits_per_key) const {
    const double load = shape_.bits() / bits_per_key;
    return small_.rate_of_two([&](unsigned r, unsigned s) {
      return std::exp(-load * (1 - missed_in_two(shape_, small_, r, s)));
    });
  }

  block_shape shape_;
  block_group large_, small_;
};
[[nodiscard]] inline double block_fpr(const block_shape& shape, double bits_per_key) {
  return block_rate(shape)(bits_per_key);
}

// The number of probes with the lowest rate at this many bits per key, from `least` to `most`;
// shape_of(k) is the shape with k probes.
template <class ShapeOf>
[[nodiscard]] unsigned best_block_probes(ShapeOf&& shape_of, double bits_per_key, unsigned least,
                                         unsigned most) {
  unsigned best = least;
  double lowest = 2;
  const double enough = std::ceil(bits_per_key * 0.7) + 1;
  for (unsigned k = least; k <= most && (k == least || k <= enough); ++k)
    if (const double rate = block_fpr(shape_of(k), bits_per_key); rate < lowest)
      lowest = rate, best = k;
  return best;
}

// The smallest number of blocks for n keys with an exact rate of at most eps, between half a bit
// and 2^16 bits per key.
[[nodiscard]] inline std::uint64_t blocks_for_rate(const block_shape& shape, std::uint64_t n,
                                                   double eps) {
  const block_rate rate(shape);
  const double blocks_per_bit = static_cast<double>(n) / shape.bits();
  const double high = smallest_enough(
      std::max(0.5, std::floor(blocks_per_bit / 2)),
      std::max(1.0, std::ceil(blocks_per_bit * (1 << 16))), 0x1p-50,
      [&](double blocks) { return rate_excess(rate(blocks / blocks_per_bit), eps); });
  return high > 1.8e16 ? std::uint64_t{1} << 54 : static_cast<std::uint64_t>(high);
}

// Estimated number of keys in z blocks with this many clear bits.
[[nodiscard]] inline double block_cardinality(const block_shape& shape, double clear, double z) {
  const unsigned many = shape.in_two ? 0 : shape.probes % shape.groups;
  const double large = std::log1p(-(1 - block_group(shape, shape.probes_in(0)).missed(1)) / z);
  const double small =
      std::log1p(-(1 - block_group(shape, shape.probes_in(shape.groups - 1)).missed(1)) / z);
  const auto expected = [&](double n) {
    return z * shape.group_bits *
           (many * std::exp(n * large) + (shape.groups - many) * std::exp(n * small));
  };
  if (clear >= expected(0)) return 0;
  double low = 0, high = 1;
  while (expected(high) > clear) high *= 2;
  for (int step = 0; step < 100; ++step) {
    const double middle = (low + high) / 2;
    (expected(middle) > clear ? low : high) = middle;
  }
  return (low + high) / 2;
}

// Standard error of that estimate with n keys. It combines the variance of the block loads and the
// variance inside groups. Because n is fixed, part of the first is removed (regression on the
// load).
[[nodiscard]] inline double block_cardinality_error(const block_shape& shape, double n, double z) {
  const double load = n / z, b = shape.group_bits;
  double inside = 0, of_loads = 0, slope = 0;
  for (unsigned g = 0; g < shape.groups; ++g) {
    const block_group group(shape, shape.probes_in(g));
    const double one = group.missed(1), clear = std::exp(-load * (1 - one));
    inside += b * clear + b * (b - 1) * std::exp(-load * (1 - group.missed(2))) -
              b * b * std::exp(-load * (1 - one * one));
    slope += b * clear * (1 - one);
    for (unsigned h = 0; h < shape.groups; ++h) {
      const double other = block_group(shape, shape.probes_in(h)).missed(1);
      const double both = shape.in_two && h != g ? missed_in_two(shape, group, 1, 1) : one * other;
      of_loads += b * b * (std::exp(-load * (1 - both)) - clear * std::exp(-load * (1 - other)));
    }
  }
  of_loads -= load * slope * slope;
  return slope == 0 ? 0 : std::sqrt(std::max(0.0, z * (inside + of_loads))) / slope;
}

}  // namespace umbel::sizing
