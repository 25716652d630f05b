// sizing/cascade.ipp - bodies of sizing/cascade.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include <umbel/sizing/bloom.hpp>
#include <umbel/sizing/cascade.hpp>

namespace umbel::sizing {

UMBEL_INLINE filter_shape cascade_filter(std::uint64_t n, double eps, std::uint64_t least) {
  if (n == 0) return {};
  // limit to which probes of a small filter are raised: it ends the cascade sooner at no cost
  constexpr unsigned many = 8;
  const bloom_plan plan = plan_bloom_for_rate(n, eps);
  if (plan.bits > least) return {plan.bits, plan.probes};
  return {least, std::clamp(bloom_probes(n, least), plan.probes, std::max(plan.probes, many))};
}

UMBEL_INLINE filter_shape paper_filter(std::uint64_t n, unsigned level, unsigned k) {
  if (n == 0) return {};
  // bits of a first level, which is never cut
  const double first = 2.0 * k * static_cast<double>(n);
  const double bits = std::exp2(std::min(64.0, std::pow(k, level)) - 1) * first;
  const double clamped = std::clamp(bits, 64.0, std::max(0x1p32, first));
  return {static_cast<std::uint64_t>(clamped), k};
}

UMBEL_INLINE std::uint64_t cascade_least_bits(unsigned filters) {
  return filters >= 4 ? 64 : filters >= 2 ? 128 : 256;
}

UMBEL_INLINE double cascade_eps(unsigned level, unsigned values, double delta,
                                cascade_levels levels) {
  const double v = values;
  // at most 1/2: the filter has at least as many bits as keys
  if (level == 0) return std::min(delta / v, 1 / std::max(2 * (v - 1), 2.0));
  return levels == cascade_levels::quick ? 1.0 / 16 : values == 2 ? 1.0 / 2 : 1.0 / 4;
}

UMBEL_INLINE std::uint64_t cascade_tail_from(std::uint64_t n) {
  const auto keys = static_cast<double>(std::max<std::uint64_t>(n, 2));
  return std::max<std::uint64_t>(64, static_cast<std::uint64_t>(keys / std::log2(keys)));
}

UMBEL_INLINE unsigned cascade_tail_check(double delta) {
  return std::clamp(static_cast<unsigned>(std::ceil(-std::log2(delta) - 1e-9)), cascade_tail_bits,
                    cascade_max_tail_bits);
}

UMBEL_INLINE double cascade_non_member_rate(std::span<const double> accepts, unsigned values,
                                            double tail) noexcept {
  const std::size_t levels = values == 0 ? 0 : accepts.size() / values;
  if (levels == 0) return tail;
  double answered = 0;
  std::array<double, cascade_max_values> reached, ends, below;
  reached.fill(1);  // P(accepted by all levels so far)
  for (std::size_t i = 0; i < levels; ++i) {
    // ends[v]: the filters of value v accept up to this level and, unless it is the last, not in
    // the next.
    for (unsigned v = 0; v < values; ++v) {
      reached[v] *= accepts[i * values + v];
      below[v] = 1 - reached[v];
      ends[v] = i + 1 == levels ? reached[v] : reached[v] * (1 - accepts[(i + 1) * values + v]);
    }
    for (unsigned v = 0; v < values; ++v) {
      double alone = ends[v];
      for (unsigned u = 0; u < values; ++u)
        if (u != v) alone *= below[u];
      answered += alone;
    }
  }
  double none = 1, one = 0;  // probabilities that no value, and that one value, reaches the end
  for (unsigned v = 0; v < values; ++v) {
    one = one * below[v] + none * reached[v];
    none *= below[v];
  }
  return std::min(1.0, answered + tail * std::max(0.0, 1 - none - one));
}

namespace detail {
// Expected live keys, by the number of other values whose filters still accept them.
class live_keys {
 public:
  live_keys(double n, unsigned values) : by_rivals_(values, 0.0) { by_rivals_[values - 1] = n; }
  [[nodiscard]] double total() const {
    double sum = 0;
    for (const double x : by_rivals_) sum += x;
    return sum;
  }
  // A level in which every such filter accepts with probability p.
  void pass(double p) {
    std::vector<double> next(by_rivals_.size(), 0.0);
    for (std::size_t j = 1; j < by_rivals_.size(); ++j) {
      double odds = by_rivals_[j] * std::pow(1 - p, static_cast<double>(j));  // all filters reject
      for (std::size_t left = 0; left <= j; ++left) {
        next[left] += odds;
        odds *= static_cast<double>(j - left) / static_cast<double>(left + 1) * p / (1 - p);
      }
    }
    next[0] = 0;  // resolved: no other value is left
    by_rivals_ = next;
  }

 private:
  std::vector<double> by_rivals_;
};
}  // namespace detail

UMBEL_INLINE cascade_plan plan_cascade(const cascade_options& options) {
  cascade_plan out;
  if (options.n == 0) return out;
  std::vector<double> accepts;
  detail::live_keys live(static_cast<double>(options.n), options.values);
  const double tail_from = options.tail ? static_cast<double>(cascade_tail_from(options.n)) : 0;
  for (; out.levels < cascade_max_levels; ++out.levels) {
    const double keys = out.levels == 0 ? static_cast<double>(options.n) : live.total();
    if (keys <= tail_from) {
      out.tail_keys = static_cast<std::uint64_t>(keys);
      break;
    }
    if (keys < 0.5) break;
    // If fewer keys are left than there are values, most values have no filter.
    const auto filters = static_cast<unsigned>(
        std::clamp(std::ceil(keys), 1.0, static_cast<double>(options.values)));
    const auto each = static_cast<std::uint64_t>(std::ceil(keys / filters));
    const filter_shape shape =
        options.levels == cascade_levels::paper
            ? paper_filter(each, out.levels, options.k)
            : cascade_filter(each,
                             cascade_eps(out.levels, options.values, options.delta, options.levels),
                             cascade_least_bits(filters));
    if (out.levels == 0) out.probes = shape.probes * filters;
    out.bits = std::min(max_bits + 1, out.bits + std::min(max_bits, shape.stored_bits()) * filters);
    const double p = std::min(bloom_fpr(each, shape.bits, shape.probes), 0.999);
    accepts.insert(accepts.end(), options.values, p * filters / options.values);
    live.pass(p);
  }
  const double tail =
      options.tail ? std::exp2(-static_cast<double>(cascade_tail_check(options.delta))) : 0;
  out.fpr = cascade_non_member_rate(accepts, options.values, tail);
  return out;
}

UMBEL_INLINE double paper_levels_bound(double n, double k) {
  return 2 * std::log2(std::log2(n)) / std::log2(k);
}

UMBEL_INLINE filter_shape exact_layer(std::uint64_t c, unsigned layer, std::uint64_t r,
                                      std::uint64_t s) {
  // 0.61: with two sides of equal size, where one probe is used, this rate minimizes the sum of all
  // layers.
  const double first =
      std::min(0.61, static_cast<double>(r) / (std::numbers::sqrt2 * static_cast<double>(s)));
  const double p = layer == 0 ? first : 0.5;
  return cascade_filter(c, p, cascade_least_bits(1));
}

UMBEL_INLINE double exact_cascade_bits(double r, double s) {
  if (r <= 0 || s <= 0) return 0;
  if (r > s) std::swap(r, s);
  return std::numbers::log2e * r * (std::log2(s / r) + 0.5 + 2 * (1 / std::numbers::sqrt2 + 0.5));
}

UMBEL_INLINE exact_cascade_plan plan_exact_cascade(std::uint64_t r, std::uint64_t s) {
  exact_cascade_plan out;
  if (r == 0 || s == 0) return out;
  if (r > s) std::swap(r, s);
  double inside = static_cast<double>(r),
         outside = static_cast<double>(s);  // this layer's keys, and the keys to exclude
  for (; inside >= 0.5 && out.layers < exact_max_layers; ++out.layers) {
    const auto keys = static_cast<std::uint64_t>(std::ceil(inside));
    const filter_shape shape = exact_layer(keys, out.layers, r, s);
    if (out.layers == 0) out.probes = shape.probes;
    out.bits = std::min(max_bits + 1, out.bits + shape.stored_bits());
    outside *= bloom_fpr(keys, shape.bits, shape.probes);
    std::swap(inside, outside);
  }
  return out;
}

}  // namespace umbel::sizing
