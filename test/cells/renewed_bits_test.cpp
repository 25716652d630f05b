// renewed_bits_test.cpp - bits that are cleared little by little answer as if they were cleared at
// once, at any moment.
#include <umbel/cells/renewed_bits.hpp>

#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace umbel::cells::renewed_bits_test {
namespace {

// Beside an array that is cleared at once; turns end long before the next `forget`, just then, and
// too late.
TEST(RenewedBits, AnswerAsIfClearedAtOnce) {
  std::mt19937_64 next(1);
  for (const std::uint64_t size : {1U, 63U, 512U, 513U, 5000U, 40'000U})
    for (const std::uint64_t step : {0U, 1U, 3U}) {
      renewed_bits some(size);
      std::vector<bool> model(size);
      for (int i = 0; i < 20'000; ++i) {
        if (next() % 400 == 0) {
          some.forget();
          model.assign(size, false);
        }
        const std::uint64_t at = next() % size;
        ASSERT_EQ(some.test(at), model[at]) << size << " " << i;
        if (next() % 2 == 0) {
          ASSERT_EQ(some.set(at), !model[at]) << size << " " << i;
          model[at] = true;
        }
        some.renew_some(step);
        if (i % 1000 == 0) {
          std::uint64_t ones = 0;
          for (std::uint64_t j = 0; j < size; ++j) ones += model[j];
          ASSERT_EQ(some.ones(), ones);
          for (std::uint64_t j = 0; j < size; ++j) ASSERT_EQ(some.test(j), model[j]);
        }
      }
      some.clear();
      EXPECT_EQ(some, renewed_bits(size));
    }
}

// No call writes more than the line of its bit, or the lines it was told to.
TEST(RenewedBits, NoCallClearsMore) {
  constexpr std::uint64_t size = 100'000;
  renewed_bits some(size);
  for (std::uint64_t i = 0; i < size; ++i) some.set(i);
  const auto changed = [&](auto&& work) {
    const auto before = some;
    work();
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < before.storage().size(); ++i)
      sum += before.storage()[i] != some.storage()[i];
    return sum;
  };
  EXPECT_EQ(changed([&] { some.forget(); }), 0U);
  EXPECT_EQ(some.ones(), 0U);
  EXPECT_EQ(changed([&] { some.set(70'000); }), renewed_bits::line_words);
  EXPECT_EQ(changed([&] { some.set(70'001); }), 1U);
  EXPECT_EQ(changed([&] { some.renew_some(5); }), 5 * renewed_bits::line_words);
  EXPECT_EQ(changed([&] { some.set(3); }), 1U) << "its turn is over";
  EXPECT_EQ(changed([&] { some.renew_some(some.lines()); }),
            (size + 63) / 64 - 6 * renewed_bits::line_words);
  EXPECT_EQ(some.ones(), 3U);
  EXPECT_EQ(changed([&] { some.renew_some(some.lines()); }), 0U);
  EXPECT_EQ(changed([&] { some.forget(); }), 0U);
}

}  // namespace
}  // namespace umbel::cells::renewed_bits_test
