// rows_test.cpp - rows of bits of every width: what is set is read, alone and in common, and
// neighbours stay untouched.
#include <random>
#include <set>

#include <gtest/gtest.h>

#include <umbel/cells/rows.hpp>

namespace rows_test {
namespace {

using umbel::cells::rows;

TEST(Rows, HoldWhatIsSetAtEveryWidth) {
  std::mt19937_64 random(1);
  for (const unsigned width : {1U, 2U, 7U, 63U, 64U, 65U, 100U, 127U, 128U, 129U, 511U, 4096U}) {
    constexpr std::uint64_t count = 37;
    rows matrix(count, width);
    ASSERT_EQ(matrix.words_per_row(), (width + 63) / 64);
    std::set<std::pair<std::uint64_t, unsigned>> expected;
    for (unsigned i = 0; i < 5 * width; ++i) {
      const std::uint64_t row = random() % count;
      const auto column = static_cast<unsigned>(random() % width);
      const bool value = random() % 4 != 0;
      matrix.set(row, column, value);
      if (value)
        expected.emplace(row, column);
      else
        expected.erase({row, column});
    }
    std::vector<std::uint64_t> out(matrix.words_per_row() + 1, 77);
    for (std::uint64_t row = 0; row < count; ++row) {
      matrix.copy(row, out.data());
      for (unsigned column = 0; column < 64 * matrix.words_per_row(); ++column)
        ASSERT_EQ(out[column / 64] >> (column % 64) & 1, expected.contains({row, column}))
            << "width " << width << ", row " << row << ", column " << column;
      ASSERT_EQ(out.back(), 77U) << "wrote past a row";
    }
    EXPECT_EQ(matrix.storage().ones(), expected.size());
    EXPECT_EQ(matrix.storage()[matrix.storage().size() - 1], 0U);
  }
}

TEST(Rows, KeepWhatIsInCommon) {
  for (const unsigned width : {5U, 64U, 200U}) {
    rows matrix(3, width);
    for (unsigned i = 0; i < width; i += 2) matrix.set(0, i);
    for (unsigned i = 0; i < width; i += 3) matrix.set(1, i);
    std::vector<std::uint64_t> out(matrix.words_per_row(), ~std::uint64_t{0});
    EXPECT_TRUE(matrix.keep_common(0, out.data()));
    EXPECT_TRUE(matrix.keep_common(1, out.data()));
    for (unsigned i = 0; i < 64 * matrix.words_per_row(); ++i)
      EXPECT_EQ(out[i / 64] >> (i % 64) & 1, i < width && i % 6 == 0) << i;
    EXPECT_FALSE(matrix.keep_common(2, out.data()));
  }
}

TEST(Rows, RefuseWordsThatDoNotFit) {
  rows matrix(10, 13);
  EXPECT_NO_THROW(matrix.reshape(10, 13));
  EXPECT_THROW(matrix.reshape(100, 13), umbel::corrupt);
  matrix.storage()[2] = std::uint64_t{1} << 2;  // bit 130: past the last row
  EXPECT_THROW(matrix.reshape(10, 13), umbel::corrupt);
}

}  // namespace
}  // namespace rows_test
