// sizing/bank.hpp - banks of Bloom filters: class codes, error rates, and the cost of longest
// prefix matching [LPB05], [DKT03].
//
// Symbols    C classes; b member filters of one shape; f the false positive rate of one of them; v
//            the weight of a class's code. A key of a class is inserted into filter j for every set
//            bit j of the class's code. Errors only turn zeros of an answer into ones.
// Codes      plain: one filter per class, b = C, v = 1.
//            binary: every word except 0, which means absent; b = ceil(log2(C + 1)).
//            dense: 0 is a code too, and its class cannot be distinguished from absent;
//            b = ceil(log2 C).
//            constant_weight: v = b/2 of b bits are set; an answer with more ones is a detected
//            error.
// Shared     In a coded bank a key marks the same rows of several filters, so the errors of these
//            filters are correlated: fewer answers have an error than with independent filters, and
//            the plain formulas are bounds. `shared_rows` is exact.
// Source     [CLF04] for plain banks, [LPB05] and [TRL12] sec. III-M for coded ones. [DKT03] for
//            prefixes; [TRL12] misprints the exponent. `shared_rows` is derived here by
//            inclusion-exclusion.
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

// Width b for C classes. A constant-weight code has v = b/2.
[[nodiscard]] inline unsigned bank_width(bank_code code, unsigned classes) {
  switch (code) {
    case bank_code::plain: return classes;
    case bank_code::binary: return static_cast<unsigned>(std::bit_width(classes));
    case bank_code::dense: return std::max(1U, static_cast<unsigned>(std::bit_width(classes - 1)));
    case bank_code::constant_weight: break;
  }
  unsigned width = 2;
  // the central binomial coefficient, from the previous one
  for (std::uint64_t codes = 2; codes < classes; ++width)
    codes = codes * (width + 1) / (width + 1 - (width + 1) / 2);
  return width;
}
// Whether a word may be a code.
[[nodiscard]] inline bool is_bank_code(bank_code code, unsigned width, std::uint32_t word) {
  if (code == bank_code::constant_weight)
    return static_cast<unsigned>(std::popcount(word)) == width / 2;
  return word != 0 || code == bank_code::dense;
}

// Assigns a code to every class so that the filters hold about equally many keys. The largest class
// comes first; each class takes the free code that adds least to the sum of the squared loads. Not
// for plain banks, which have no codes.
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

// Mean number of wrong classes that a plain bank reports beside the true one.
[[nodiscard]] inline double bank_wrong_classes(unsigned classes, double f) {
  return (classes - 1) * f;
}
// Probabilities that a member is answered with its code, and a non-member with 0. Lower bounds if
// rows are shared, otherwise exact.
[[nodiscard]] inline double coded_right(unsigned width, unsigned weight, double f) {
  return std::pow(1 - f, width - weight);
}
[[nodiscard]] inline double coded_absent(unsigned width, double f) {
  return std::pow(1 - f, width);
}
// Probability that a non-member is answered with one of C codes of weight v, if the filters err
// independently.
[[nodiscard]] inline double coded_taken(unsigned classes, unsigned width, unsigned weight,
                                        double f) {
  return classes * std::pow(f, weight) * std::pow(1 - f, width - weight);
}

// Errors of a coded bank of m rows and k probes. A row has no one in the columns T with probability
// e^(-k n_T / m), where n_T keys have a one there. So it has ones in all of S with probability
// q_S = sum over T in S of (-1)^|T| e^(-k n_T / m), and all k rows of a key do with probability
// q_S^k.
class shared_rows {
 public:
  shared_rows(std::span<const std::uint32_t> codes, unsigned width, std::span<const double> keys_of,
              double m, unsigned k)
      : k_(k), all_ones_(std::size_t{1} << width) {
    double total = 0;
    for (std::size_t i = 0; i < codes.size(); ++i)
      all_ones_[codes[i]] += keys_of[i], total += keys_of[i];
    sum_over_subsets();  // now: keys whose code lies within a set of columns
    std::vector<double> clear(all_ones_.size());
    for (std::size_t t = 0; t < clear.size(); ++t)
      clear[t] = sign(t) * std::exp(-k_ * (total - all_ones_[clear.size() - 1 - t]) / m);
    all_ones_ = std::move(clear);
    sum_over_subsets();
  }
  // Probability that no filter of these columns errs, for a key that is in none of them.
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
  std::vector<double> all_ones_;  // q_S, indexed by S
};

// Longest prefix matching with the same bits per prefix: the false positive rate of each length's
// filter, (1/2)^((M/N) ln 2), and the mean number of tables probed at most if `longer` lengths are
// longer than the match.
[[nodiscard]] inline double prefix_rate(double bits_per_prefix) {
  return std::exp2(-bits_per_prefix * std::numbers::ln2);
}
[[nodiscard]] inline double prefix_probes(unsigned longer, double f) { return 1 + longer * f; }

}  // namespace umbel::sizing
