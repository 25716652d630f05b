// chosen_test.cpp - the XOR of chosen cells: both spellings give what a loop over cells gives, to
// the last cell; tight cells.
#include <umbel/cells/kernel/chosen.hpp>

#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/cells/tight.hpp>

namespace umbel::cells {
namespace chosen_cells {
namespace {

TEST(Chosen, BothSpellingsAtEveryWidth) {
  std::mt19937_64 random(1);
  for (unsigned width = 1; width <= 64; ++width) {
    for (const std::uint64_t size : {1U, 60U, 64U, 97U, 130U, 700U}) {
      packed cells(size, width);
      for (std::uint64_t i = 0; i < size; ++i) cells.set(i, random() >> (64 - width));
      for (int round = 0; round < 40; ++round) {
        const std::uint64_t run = 1 + random() % std::min<std::uint64_t>(size, 512);
        const std::uint64_t first = round % 2 == 0 ? size - run : random() % (size - run + 1);
        std::vector<std::uint64_t> row(10, 0);
        std::uint64_t expected = 0;
        for (std::uint64_t i = 0; i < run; ++i) {
          if (random() % 2 == 0) continue;
          row[i / 64] |= std::uint64_t{1} << i % 64;
          expected ^= cells.get(first + i);
        }
        const auto words = static_cast<unsigned>((run + 127) / 128 * 2);
        ASSERT_EQ(kernel::portable::chosen(cells, first, row.data(), words), expected);
#if defined(__x86_64__)
        if (kernel::best() >= kernel::level::avx2) {
          ASSERT_EQ(kernel::avx2::chosen(cells, {cells, kernel::load_shape(width)}, first,
                                         static_cast<unsigned>(run), row.data()),
                    expected)
              << width << ' ' << size << ' ' << first << ' ' << run;
        }
#endif
      }
    }
  }
}

TEST(Tight, HoldsEveryWidthInNoByteMore) {
  std::mt19937_64 random(2);
  for (unsigned width = 1; width <= 64; ++width)
    for (const std::uint64_t size : {0U, 1U, 2U, 7U, 8U, 9U, 100U}) {
      tight cells(size, width);
      ASSERT_EQ(cells.storage().size(), (size * width + 7) / 8);
      std::vector<std::uint64_t> values(size);
      for (std::uint64_t i = 0; i < size; ++i) cells.set(i, values[i] = random() >> (64 - width));
      for (std::uint64_t i = 0; i < size; ++i)
        ASSERT_EQ(cells.get(i), values[i]) << width << ' ' << i;
    }
}
TEST(Tight, TakesOnlyWhatFits) {
  tight cells(10, 3);
  EXPECT_NO_THROW(cells.reshape(10, 3));
  EXPECT_THROW(cells.reshape(11, 3), corrupt);
  EXPECT_THROW(cells.reshape(8, 3), corrupt);
  cells.storage()[3] = 0x40;  // bits 30 and 31 are nobody's
  EXPECT_THROW(cells.reshape(10, 3), corrupt);
}

}  // namespace
}  // namespace chosen_cells
}  // namespace umbel::cells
