// sizing/bank.hpp - banks of filters: which code a class gets, how often an answer is wrong, what a
// prefix match costs.
// Words      C classes, b member filters of one shape, f the rate of one of them, v the ones of a
//            class's code. A key of a class goes into filter j for every one of its code's bits j.
//            Errors only turn zeros of an answer into ones.
// Codes      plain            one filter per class: b = C, v = 1
//            binary           all words but 0, which means absent: b = ceil(log2(C + 1))
//            dense            0 is a code too: b = ceil(log2 C), and that class cannot be told from
//            absent constant_weight  v = b/2 of b ones: an answer with more of them is a detected
//            error
// Shared     In a coded bank a key marks the same rows of several filters, so these err together:
//            fewer answers have an error than independent filters would give, and the plain
//            formulas are bounds. `shared_rows` has the truth.
// Source     [CLF04] (plain), [LPB05] (coded), [TRL12] sec. III-M; [DKT03] for prefixes, whose
//            exponent [TRL12] misprints; `shared_rows` by inclusion and exclusion, derived here.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <span>
#include <vector>

namespace umbel::sizing {

enum class bank_code : std::uint64_t { plain, binary, dense, constant_weight };

// b for C classes; and v = b/2 of a constant weight.
[[nodiscard]] inline unsigned bank_width(bank_code code, unsigned classes) {
  switch (code) {
    case bank_code::plain: return classes;
    case bank_code::binary: return static_cast<unsigned>(std::bit_width(classes));
    case bank_code::dense: return std::max(1U, static_cast<unsigned>(std::bit_width(classes - 1)));
    case bank_code::constant_weight: break;
  }
  unsigned width = 2;
  // the middle of a row of Pascal's triangle, from the last
  for (std::uint64_t codes = 2; codes < classes; ++width)
    codes = codes * (width + 1) / (width + 1 - (width + 1) / 2);
  return width;
}
// Whether a word may be a code of these.
[[nodiscard]] inline bool is_bank_code(bank_code code, unsigned width, std::uint32_t word) {
  if (code == bank_code::constant_weight)
    return static_cast<unsigned>(std::popcount(word)) == width / 2;
  return word != 0 || code == bank_code::dense;
}

// A code for every class, such that the filters hold about as many keys each: the largest class
// first takes the free code that adds least to the sum of squares of the loads. Not for plain
// banks, which have none.
[[nodiscard]] inline std::vector<std::uint32_t> bank_codes(bank_code code,
                                                           std::span<const double> keys_of) {
  const unsigned width = bank_width(code, static_cast<unsigned>(keys_of.size()));
  std::vector<std::uint32_t> free;
  for (std::uint32_t word = 0; word >> width == 0; ++word)
    if (is_bank_code(code, width, word)) free.push_back(word);
  std::vector<std::size_t> order(keys_of.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return keys_of[a] > keys_of[b]; });
  std::vector<double> load(width);
  std::vector<std::uint32_t> out(keys_of.size());
  for (const std::size_t i : order) {
    const auto added = [&](std::uint32_t word) {
      double sum = 0;
      for (std::uint32_t left = word; left != 0; left &= left - 1)
        sum += 2 * load[static_cast<unsigned>(std::countr_zero(left))] + keys_of[i];
      return sum;
    };
    std::size_t best = 0;
    double least = added(free[0]);
    for (std::size_t j = 1; j < free.size(); ++j)
      if (const double sum = added(free[j]); sum < least) best = j, least = sum;
    out[i] = free[best];
    for (std::uint32_t left = out[i]; left != 0; left &= left - 1)
      load[static_cast<unsigned>(std::countr_zero(left))] += keys_of[i];
    free.erase(free.begin() + static_cast<std::ptrdiff_t>(best));
  }
  return out;
}
// Keys in each member filter.
[[nodiscard]] inline std::vector<double> bank_loads(std::span<const std::uint32_t> codes,
                                                    unsigned width,
                                                    std::span<const double> keys_of) {
  std::vector<double> load(width);
  for (std::size_t i = 0; i < codes.size(); ++i)
    for (std::uint32_t left = codes[i]; left != 0; left &= left - 1)
      load[static_cast<unsigned>(std::countr_zero(left))] += keys_of[i];
  return load;
}

// Wrong classes that a plain bank names beside the true one, on average.
[[nodiscard]] inline double bank_wrong_classes(unsigned classes, double f) {
  return (classes - 1) * f;
}
// A member is answered with its code; a non-member with 0. Bounds from below where rows are shared,
// else exact.
[[nodiscard]] inline double coded_right(unsigned width, unsigned weight, double f) {
  return std::pow(1 - f, width - weight);
}
[[nodiscard]] inline double coded_absent(unsigned width, double f) {
  return std::pow(1 - f, width);
}
// A non-member is answered with one of C codes of weight v, by filters that err independently.
[[nodiscard]] inline double coded_taken(unsigned classes, unsigned width, unsigned weight,
                                        double f) {
  return classes * std::pow(f, weight) * std::pow(1 - f, width - weight);
}

// Errors of a coded bank of m rows and k probes. A row has no one in the columns T with chance
// e^(-k n_T / m), where n_T keys have a one there; so it has ones in all of S with q_S = sum over T
// in S of (-1)^|T| e^(-k n_T / m), and a key's k rows have with q_S^k.
class shared_rows {
 public:
  shared_rows(std::span<const std::uint32_t> codes, unsigned width, std::span<const double> keys_of,
              double m, unsigned k)
      : k_(k), all_ones_(std::size_t{1} << width) {
    double total = 0;
    for (std::size_t i = 0; i < codes.size(); ++i)
      all_ones_[codes[i]] += keys_of[i], total += keys_of[i];
    sum_over_subsets();  // keys whose code lies within a set of columns
    std::vector<double> clear(all_ones_.size());
    for (std::size_t t = 0; t < clear.size(); ++t)
      clear[t] = sign(t) * std::exp(-k_ * (total - all_ones_[clear.size() - 1 - t]) / m);
    all_ones_ = std::move(clear);
    sum_over_subsets();
  }
  // No filter of these columns errs, for a key that is in none of them.
  [[nodiscard]] double clean(std::uint32_t columns) const {
    double sum = 0;
    for (std::uint32_t s = columns;; s = (s - 1) & columns) {
      sum += sign(s) * std::pow(std::max(0.0, all_ones_[s]), k_);
      if (s == 0) return sum;
    }
  }

 private:
  [[nodiscard]] static double sign(std::uint64_t set) {
    return std::popcount(set) % 2 == 0 ? 1 : -1;
  }
  void sum_over_subsets() {
    for (std::size_t bit = 1; bit < all_ones_.size(); bit *= 2)
      for (std::size_t s = 0; s < all_ones_.size(); ++s)
        if ((s & bit) != 0) all_ones_[s] += all_ones_[s ^ bit];
  }
  double k_;
  std::vector<double> all_ones_;  // q_S by S
};

// Longest prefix match with the same bits for every prefix: the rate of each length's filter,
// (1/2)^((M/N) ln 2), and the tables looked into at most, on average, where so many lengths are
// longer than the match.
[[nodiscard]] inline double prefix_rate(double bits_per_prefix) {
  return std::exp2(-bits_per_prefix * std::numbers::ln2);
}
[[nodiscard]] inline double prefix_probes(unsigned longer, double f) { return 1 + longer * f; }

}  // namespace umbel::sizing
