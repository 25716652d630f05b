// packed_test.cpp - cells of every width from 1 to 64, against a vector of bools that spells out
// their bits.
#include <umbel/cells/packed.hpp>

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/base/integers.hpp>

#include "support/counting_resource.hpp"
#include "support/rapidcheck_seeded.hpp"
#include "support/statistics_gate.hpp"

namespace umbel::cells::packed_test {
namespace {

// The layout as the header states it: cell i occupies bits i*w .. i*w+w-1 of a little-endian bit
// string.
struct oracle {
  unsigned width;
  std::vector<bool> string;
  oracle(std::uint64_t size, unsigned w) : width(w), string(size * w) {}
  void set(std::uint64_t i, std::uint64_t value) {
    for (unsigned b = 0; b < width; ++b) string[i * width + b] = (value >> b & 1) != 0;
  }
  [[nodiscard]] std::uint64_t get(std::uint64_t i) const {
    std::uint64_t out = 0;
    for (unsigned b = 0; b < width; ++b) out |= std::uint64_t{string[i * width + b]} << b;
    return out;
  }
};

void expect_same(const packed& cells, const oracle& expected) {
  for (std::uint64_t i = 0; i < cells.size(); ++i)
    ASSERT_EQ(cells.get(i), expected.get(i)) << "width " << cells.width() << " cell " << i;
  const auto* const bytes = reinterpret_cast<const unsigned char*>(cells.storage().data());
  for (std::size_t bit = 0; bit < cells.storage().size() * 64; ++bit) {
    const bool value = bit < expected.string.size() && expected.string[bit];
    ASSERT_EQ((bytes[bit / 8] >> (bit % 8) & 1) != 0, value)
        << "width " << cells.width() << " bit " << bit;
  }
}

class PackedWidth : public ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(All, PackedWidth, ::testing::Range(1U, 65U));

// Each cell once, from the last to the first, as threads that share words do.
TEST_P(PackedWidth, SetsSharedWords) {
  const unsigned width = GetParam();
  packed cells(97, width);
  oracle expected(97, width);
  for (std::uint64_t i = 97; i-- > 0;) {
    const std::uint64_t value = statistics::scatter(width * 7919 + i) & detail::low_mask(width);
    cells.set_shared(i, value);
    expected.set(i, value);
  }
  expect_same(cells, expected);
}

// Writes in random order and over one another; every bit of the storage is looked at afterwards,
// the tail included.
TEST_P(PackedWidth, AgreesWithTheBitString) {
  const unsigned width = GetParam();
  for (const std::uint64_t size : {1U, 2U, 3U, 64U, 97U}) {
    packed cells(size, width);
    oracle expected(size, width);
    for (std::uint64_t step = 0; step < 4 * size; ++step) {
      const std::uint64_t i = statistics::scatter(size << 40 | step) % size;
      const std::uint64_t value =
          statistics::scatter(width * 7919 + step) & detail::low_mask(width);
      cells.set(i, value);
      expected.set(i, value);
      ASSERT_EQ(cells.get(i), value);
    }
    expect_same(cells, expected);
  }
}

TEST_P(PackedWidth, NeighboursAreLeftAlone) {
  const unsigned width = GetParam();
  packed cells(64, width);
  const std::uint64_t full = detail::low_mask(width);
  for (std::uint64_t i = 0; i < 64; ++i) {
    cells.set(i, full);
    for (std::uint64_t j = 0; j < 64; ++j)
      ASSERT_EQ(cells.get(j), j == i ? full : 0) << width << ' ' << i << ' ' << j;
    cells.set(i, 0);
    EXPECT_EQ(cells.storage().ones(), 0U);
  }
}

RC_GTEST_PROP(Packed, AnyProgramOfWritesAgrees, ()) {
  const auto width = *rc::gen::inRange(1U, 65U);
  const auto size = *rc::gen::inRange<std::uint64_t>(1, 200);
  packed cells(size, width);
  oracle expected(size, width);
  for (const auto& [i, value] :
       *rc::gen::container<std::vector<std::pair<std::uint64_t, std::uint64_t>>>(rc::gen::pair(
           rc::gen::inRange<std::uint64_t>(0, size), rc::gen::arbitrary<std::uint64_t>()))) {
    cells.set(i, value & detail::low_mask(width));
    expected.set(i, value & detail::low_mask(width));
  }
  for (std::uint64_t i = 0; i < size; ++i) RC_ASSERT(cells.get(i) == expected.get(i));
}

TEST(Packed, PlainWidthsArePlainArrays) {
  packed bytes(100, 8), shorts(100, 16), words(100, 32);
  for (std::uint64_t i = 0; i < 100; ++i) {
    bytes.set(i, i);
    shorts.set(i, 1000 + i);
    words.set(i, 1'000'000 + i);
  }
  for (std::uint64_t i = 0; i < 100; ++i) {
    EXPECT_EQ(bytes.as<std::uint8_t>()[i], i);
    EXPECT_EQ(shorts.as<std::uint16_t>()[i], 1000 + i);
    EXPECT_EQ(words.as<std::uint32_t>()[i], 1'000'000 + i);
  }
}

// A word of zeros closes the array, so that the last cell is read by one unaligned load inside it.
TEST(Packed, TakesOneClosingWord) {
  EXPECT_EQ(packed::words_for(0, 5), 1U);
  EXPECT_EQ(packed::words_for(64, 1), 2U);
  EXPECT_EQ(packed::words_for(65, 1), 3U);
  EXPECT_EQ(packed::words_for(10, 64), 11U);
  support::counting_resource memory;
  const packed cells(1000, 13, &memory);
  EXPECT_EQ(memory.bytes_held(), packed::words_for(1000, 13) * 8);
}

TEST(Packed, ViewsReadTheSame) {
  packed cells(50, 59);
  for (std::uint64_t i = 0; i < 50; ++i)
    cells.set(i, statistics::scatter(i) & detail::low_mask(59));
  const packed view(50, 59, words<>(buffer::view(cells.storage().bytes().bytes())));
  EXPECT_EQ(view, cells);
  for (std::uint64_t i = 0; i < 50; ++i) EXPECT_EQ(view.get(i), cells.get(i));
}

}  // namespace
}  // namespace umbel::cells::packed_test
