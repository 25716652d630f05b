// sum_code_test.cpp - every list has its code and every code its list; what adds up to too much has
// none.
#include <umbel/cells/sum_code.hpp>

#include <cstdint>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

namespace umbel::cells::sum_code_test {
namespace {

template <class Code>
unsigned sum(const typename Code::list& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0U);
}

// All of them: codes are 0 to N - 1, each the list's that it decodes to, and lists with larger sums
// have none.
template <std::size_t Length, unsigned Most>
void all_lists() {
  using code = sum_code<Length, Most>;
  std::uint64_t fit = 0, without = 0;
  typename code::list numbers{};
  for (;;) {  // as an odometer, numbers up to Most + 1
    const auto made = code::encode(numbers);
    ASSERT_EQ(made.has_value(), sum<code>(numbers) <= Most);
    if (made) {
      ASSERT_LT(*made, code::codes());
      ASSERT_EQ(code::decode(*made), numbers);
      ++fit;
    } else {
      ++without;
    }
    std::size_t i = 0;
    while (i < Length && numbers[i] == Most + 1) numbers[i++] = 0;
    if (i == Length) break;
    ++numbers[i];
  }
  EXPECT_EQ(fit, code::codes());
  EXPECT_GT(without, 0U);
}
TEST(SumCode, EveryListOfAFew) {
  all_lists<1, 1>();
  all_lists<1, 5>();
  all_lists<3, 2>();
  all_lists<4, 4>();
  all_lists<7, 3>();
}

using large = sum_code<112, 12>;
static_assert(large::codes() == 15'924'662'409'664'151);  // 124 over 12
static_assert(large::codes() < std::uint64_t{1} << 56);
static_assert(large::encode(large::list{}) == 0);

TEST(SumCode, ListsUpToTheLimitAndOneMore) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    large::list numbers{};
    for (std::uint64_t of = 0, most = random() % 13; of < most; ++of)
      ++numbers[random() % (i % 2 == 0 ? 112 : 4)];
    const auto code = large::encode(numbers);
    ASSERT_TRUE(code.has_value());
    ASSERT_LT(*code, large::codes());
    ASSERT_EQ(large::decode(*code), numbers);
    // Filled up to the limit it fits, wherever that is done; with one more it does not.
    while (sum<large>(numbers) < 12) ++numbers[random() % 112];
    ASSERT_EQ(large::decode(large::encode(numbers).value()), numbers);
    ++numbers[random() % 112];
    ASSERT_FALSE(large::encode(numbers).has_value());
  }
  // All in one number, at either end; the last code is twelve in the first.
  large::list first{}, last{};
  first[0] = 12;
  last[111] = 12;
  EXPECT_EQ(large::encode(first), large::codes() - 1);
  EXPECT_EQ(large::encode(last), 12U);
  EXPECT_EQ(large::decode(12), last);
}

// Codes at random, and numbers that are none: they end, and give what has a code.
TEST(SumCode, EveryNumberIsSafe) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t code = random() % large::codes();
    ASSERT_EQ(large::encode(large::decode(code)), code);
    ASSERT_LE(sum<large>(large::decode(random() >> i % 8)), 12U);
  }
}

}  // namespace
}  // namespace umbel::cells::sum_code_test
