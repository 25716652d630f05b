// monotone_test.cpp - rising numbers come back, at every width of their low bits; words that lie
// stay below the range.
#include <umbel/cells/monotone.hpp>

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/base/error.hpp>

namespace umbel::cells {
namespace monotone_test {
namespace {

std::vector<std::uint64_t> rising(std::uint64_t count, std::uint64_t range, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> out(count);
  for (auto& number : out) number = random() % range;
  std::sort(out.begin(), out.end());
  return out;
}

void expect_back(const std::vector<std::uint64_t>& numbers, std::uint64_t range,
                 unsigned low_bits) {
  const monotone made(numbers, range, low_bits);
  ASSERT_EQ(made.size(), numbers.size());
  for (std::uint64_t i = 0; i < numbers.size(); ++i)
    ASSERT_EQ(made[i], numbers[i])
        << "number " << i << " of " << numbers.size() << ", " << low_bits << " low bits";
}

TEST(Monotone, GivesNumbersBack) {
  for (const std::uint64_t count : {1U, 2U, 127U, 128U, 129U, 1000U, 5000U})
    for (const std::uint64_t range : {1U, 2U, 63U, 64U, 65U, 1000U, 1'000'000U})
      for (const unsigned low_bits : {0U, 1U, 7U, 20U})
        expect_back(rising(count, range, count), range, low_bits);
}

// All in one place, and as far apart as can be: runs of set bits, and runs of clear ones over many
// words.
TEST(Monotone, CrowdsAndGaps) {
  expect_back(std::vector<std::uint64_t>(1000, 0), 1 << 20, 3);
  expect_back(std::vector<std::uint64_t>(1000, (1 << 20) - 1), 1 << 20, 3);
  std::vector<std::uint64_t> ends(300, 0);
  ends.insert(ends.end(), 300, (1 << 20) - 1);
  expect_back(ends, 1 << 20, 0);
}

// As a file would bring them: `describe` visited by one who swaps the arrays.
struct tamper {
  std::vector<words<>*> arrays;
  void array(std::string_view, words<>& words) { arrays.push_back(&words); }
};

TEST(Monotone, ReshapeTakesJustTheRightWords) {
  const auto numbers = rising(500, 10'000, 7);
  const monotone made(numbers, 10'000, 4);
  auto copy = made;
  copy.reshape(500, 10'000, 4);
  EXPECT_EQ(copy, made);
  EXPECT_THROW(monotone(made).reshape(499, 10'000, 4), corrupt);
  EXPECT_THROW(monotone(made).reshape(500, 30'000, 4), corrupt);
  EXPECT_THROW(monotone(made).reshape(500, 10'000, 5), corrupt);
  EXPECT_THROW(monotone(made).reshape(500, 10'000, 0), corrupt);
  EXPECT_THROW(monotone(made).reshape(0, 1, 0), corrupt);
  tamper parts;
  monotone::describe(copy, parts);
  (*parts.arrays[1])[2] ^= 1;  // one set bit more, or less
  EXPECT_THROW(copy.reshape(500, 10'000, 4), corrupt);
}

// A mapped file may change after it was checked: whatever is read then is below the range, and
// nothing past the end is read.
TEST(Monotone, AnyWordsGiveNumbersBelowTheRange) {
  monotone made(rising(500, 10'000, 8), 10'000, 4);
  tamper parts;
  monotone::describe(made, parts);
  for (const std::uint64_t filler :
       {std::uint64_t{0U}, ~std::uint64_t{0}, std::uint64_t{0x8000000000000001}}) {
    for (words<>* const array : parts.arrays)
      std::fill(array->span().begin(), array->span().end(), filler);
    for (std::uint64_t i = 0; i < made.size(); ++i) ASSERT_LT(made[i], 10'000U) << i;
  }
}

}  // namespace
}  // namespace monotone_test
}  // namespace umbel::cells
