// bank_test.cpp - sizing of banks of Bloom filters [TRL12]: class codes, error formulas, and
// longest prefix matching [DKT03].
#include <umbel/sizing/bank.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace umbel::sizing::bank_test {
namespace {

TEST(BankCodes, NumbersOfFiltersMatchReferenceValues) {
  for (unsigned classes = 1; classes <= 4096; ++classes) {
    EXPECT_EQ(bank_width(bank_code::plain, classes), classes);
    EXPECT_EQ(bank_width(bank_code::binary, classes), std::ceil(std::log2(classes + 1.0)));
    EXPECT_EQ(bank_width(bank_code::dense, classes), std::max(1.0, std::ceil(std::log2(classes))));
  }
  const auto middle = [](unsigned b) {
    return std::round(std::tgamma(b + 1) / std::tgamma(b / 2 + 1) / std::tgamma(b - b / 2 + 1));
  };
  for (const unsigned classes :
       {1U, 2U, 3U, 6U, 7U, 10U, 11U, 20U, 70U, 71U, 252U, 3432U, 3433U, 4096U}) {
    const unsigned b = bank_width(bank_code::constant_weight, classes);
    EXPECT_GE(middle(b), classes);
    if (b > 2) {
      EXPECT_LT(middle(b - 1), classes);
    }
  }
}

TEST(BankCodes, CodesDifferAndHaveTheirKindsShape) {
  for (const auto code : {bank_code::binary, bank_code::dense, bank_code::constant_weight})
    for (const unsigned classes : {1U, 2U, 5U, 20U, 200U}) {
      const auto codes = bank_codes(code, std::vector<double>(classes, 1));
      const unsigned b = bank_width(code, classes);
      EXPECT_EQ(std::set<std::uint32_t>(codes.begin(), codes.end()).size(), classes);
      for (const std::uint32_t word : codes) {
        EXPECT_EQ(word >> b, 0U);
        EXPECT_TRUE(is_bank_code(code, b, word));
      }
    }
}

// Classes of very unequal size: no filter holds much more than the mean, and the largest classes
// have the codes with fewest ones.
TEST(BankCodes, LoadsAreClose) {
  std::vector<double> sizes(100);
  for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = 1000.0 / static_cast<double>(1 + i);
  for (const auto code : {bank_code::binary, bank_code::constant_weight}) {
    const auto codes = bank_codes(code, sizes);
    const unsigned b = bank_width(code, 100);
    const auto load = bank_loads(codes, b, sizes);
    const double most = *std::max_element(load.begin(), load.end());
    const double least = *std::min_element(load.begin(), load.end());
    EXPECT_LT(most - least, sizes[0]) << "no further apart than the largest class";
    std::vector<std::uint32_t> in_order(codes);
    std::sort(in_order.begin(), in_order.end());
    const auto plain = bank_loads(in_order, b, sizes);
    EXPECT_LT(most, *std::max_element(plain.begin(), plain.end()))
        << "better than codes as they come";
  }
}

TEST(BankErrors, Formulas) {
  EXPECT_DOUBLE_EQ(bank_wrong_classes(9, 0.01), 0.08);
  EXPECT_DOUBLE_EQ(coded_right(8, 3, 0.01), std::pow(0.99, 5));
  EXPECT_DOUBLE_EQ(coded_right(8, 8, 0.01), 1);
  EXPECT_DOUBLE_EQ(coded_absent(8, 0.01), std::pow(0.99, 8));
  // Over all codes, the probabilities of each answer to a non-member sum to 1.
  double sum = coded_absent(6, 0.1);
  for (unsigned v = 1; v <= 6; ++v)
    sum += coded_taken(
        static_cast<unsigned>(std::round(std::tgamma(7) / std::tgamma(v + 1) / std::tgamma(7 - v))),
        6, v, 0.1);
  EXPECT_NEAR(sum, 1, 1e-12);
}

// If no key sets two filters, the filters are independent and the shared model is the plain
// formula.
TEST(BankErrors, WithoutSharedKeysFiltersErrIndependently) {
  const std::vector<std::uint32_t> codes{1, 2, 4, 8};
  const std::vector<double> sizes(4, 1000);
  const shared_rows model(codes, 4, sizes, 8000, 5);
  const double f = std::pow(-std::expm1(-5 * 1000 / 8000.0), 5);
  EXPECT_NEAR(model.clean(15), coded_absent(4, f), 1e-12);
  EXPECT_NEAR(model.clean(7), coded_right(4, 1, f), 1e-12);
  EXPECT_NEAR(model.clean(0), 1, 1e-12);
}
TEST(BankErrors, SharedRowsErrTogetherAndLessOften) {
  const auto codes = bank_codes(bank_code::binary, std::vector<double>(255, 1));
  const shared_rows model(codes, 8, std::vector<double>(255, 40), 50'000, 7);
  const double f = 1 - model.clean(1);
  EXPECT_GT(model.clean(255), coded_absent(8, f));
  for (std::uint32_t columns = 1; columns < 256; ++columns)
    EXPECT_GE(model.clean(columns) + 1e-12,
              coded_absent(static_cast<unsigned>(std::popcount(columns)), f) * 0.999);
}

TEST(PrefixBank, MatchesReferenceTable) {
  const struct {
    double bits, f, probes32, probes2;
  } rows[] = {{4, 0.146, 5.68, 1.29},
              {6, 0.056, 2.79, 1.11},
              {8, 0.0214, 1.69, 1.043},
              {10, 0.0082, 1.26, 1.016}};
  for (const auto& row : rows) {
    const double f = prefix_rate(row.bits);
    EXPECT_NEAR(f, row.f, 0.005 * row.f);
    EXPECT_NEAR(prefix_probes(32, f), row.probes32, 0.006);
    EXPECT_NEAR(prefix_probes(2, f), row.probes2, 0.006);
  }
}

}  // namespace
}  // namespace umbel::sizing::bank_test
